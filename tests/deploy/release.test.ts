import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { planVersions } from "../../tools/src/release-dry-run/plan-release.js";
import { readWorkspaces, root } from "../architecture/read-workspace.js";

interface Step {
  readonly name?: string;
  readonly run?: string;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-release-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const written = (path: string): string => readFileSync(join(folder, path), "utf8");
function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content, { mode });
}

/**
 * Puts a program into the way of the real one: it records how it was called, then does what the script says; what it keeps in files stays
 * for the next run.
 */
function stand(program: string, script = ""): void {
  const record = `printf '%s\\n' "${program} $*" >> "$FOLDER/calls.txt"`;
  write(`bin/${program}`, `#!/bin/sh\n${record}\n${script}\n`, 0o755);
}

/** Runs the script of a step as the workflow does; the calls that it made of the programs in the way, in order. */
function run(
  workflow: string,
  job: string,
  name: string,
  variables: Readonly<Record<string, string>> = {},
): { ok: boolean; calls: readonly string[] } {
  const text = readFileSync(join(root, ".github/workflows", workflow), "utf8");
  const { jobs } = parse(text) as { jobs: Record<string, { steps: readonly Step[] } | undefined> };
  const script = jobs[job]?.steps.find((step) => step.name === name)?.run;
  if (script === undefined) throw new Error(`${workflow} has no step "${name}" in ${job}.`);
  write("step.sh", script);
  write("calls.txt", "");
  const env = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
    FOLDER: folder,
    GH_TOKEN: "token",
    GITHUB_REPOSITORY: "acme/authz",
    GITHUB_SHA: "c0ffee",
    REGISTRY_USER: "somebody",
    REGISTRY_PASSWORD: "password",
    ...variables,
  };
  mkdirSync(join(folder, "work"), { recursive: true });
  const options = { cwd: join(folder, "work"), env, encoding: "utf8" } as const;
  const { status } = spawnSync("bash", ["-e", join(folder, "step.sh")], options);
  return { ok: status === 0, calls: written("calls.txt").split("\n").slice(0, -1) };
}

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

describe.skipIf(!has("jq"))("what npm and git get", () => {
  const view = (tag: string) => `gh release view ${tag} --repo acme/authz`;
  const create = (tag: string, notes: string) =>
    `gh release create ${tag} --repo acme/authz --target c0ffee --title ${tag} --notes-file ${notes} --latest=false`;
  const publish = (tarball: string) =>
    `npm publish ./${tarball} --access public --provenance --ignore-scripts --loglevel=warn`;
  const ask = (name: string) => `npm view ${name} version --loglevel=silent`;
  const whole = [
    ask("@authz/dpop@1.1.0"),
    publish("dpop.tgz"),
    view("@authz/dpop@1.1.0"),
    create("@authz/dpop@1.1.0", "1.md"),
    ask("@authz/cli@2.0.0"),
    publish("cli.tgz"),
    view("@authz/cli@2.0.0"),
    create("@authz/cli@2.0.0", "2.md"),
    ask("authz-server@1.4.0"),
    publish("server.tgz"),
    view("authz-server@1.4.0"),
    create("authz-server@1.4.0", "3.md"),
    view("authz-discovery-proxy@1.0.0"),
    create("authz-discovery-proxy@1.0.0", "4.md"),
  ];
  const publishThenTag = () => run("release.yml", "publish", "Publish, then tag");

  beforeEach(() => {
    const releases = [
      { name: "@authz/dpop", version: "1.1.0", tarball: "dpop.tgz", notes: "1.md" },
      { name: "@authz/cli", version: "2.0.0", tarball: "cli.tgz", notes: "2.md" },
      { name: "authz-server", version: "1.4.0", tarball: "server.tgz", notes: "3.md" },
      { name: "authz-discovery-proxy", version: "1.0.0", tarball: null, notes: "4.md" },
    ].map((release) => ({ ...release, tag: `${release.name}@${release.version}` }));
    write("work/releases.json", JSON.stringify(releases));
    write("published.txt", "");
    write("tags.txt", "");
    stand(
      "npm",
      `case "$1" in
        view) grep -qxF "$2" "$FOLDER/published.txt" && echo "\${2##*@}";;
        publish) [ -e "$FOLDER/broken" ] && exit 1
          jq -r --arg tarball "\${2#./}" '.[] | select(.tarball == $tarball) | .tag' releases.json >> "$FOLDER/published.txt";;
      esac`,
    );
    stand(
      "gh",
      `case "$2" in
        view) grep -qxF "$3" "$FOLDER/tags.txt";;
        create) echo "$3" >> "$FOLDER/tags.txt";;
      esac`,
    );
  });

  it("is each package with provenance and without scripts, and its tag when npm has it", () => {
    expect(publishThenTag()).toEqual({ ok: true, calls: whole });
  });

  it("is nothing more, and no tag, when npm refuses one", () => {
    write("broken", "");
    expect(publishThenTag()).toEqual({ ok: false, calls: whole.slice(0, 2) });
    expect(written("tags.txt")).toBe("");
  });

  it("is what is missing, when a release is started again", () => {
    write("published.txt", "@authz/dpop@1.1.0\n@authz/cli@2.0.0\n");
    write("tags.txt", "@authz/dpop@1.1.0\n");
    const done = [publish("dpop.tgz"), create("@authz/dpop@1.1.0", "1.md"), publish("cli.tgz")];
    expect(publishThenTag()).toEqual({ ok: true, calls: whole.filter((call) => !done.includes(call)) });
  });
});

describe.skipIf(!has("tac"))("what the registry of images gets", () => {
  const image = "ghcr.io/acme/authz-server";
  const copies = [
    "docker login --username somebody --password-stdin ghcr.io",
    `skopeo copy --all --preserve-digests --digestfile digest.txt oci-archive:image.tar docker://${image}:c0ffee`,
  ];
  const sign = `cosign sign --yes --recursive ${image}@sha256:abc`;
  const tag = (name: string) =>
    `skopeo copy --all --preserve-digests docker://${image}@sha256:abc docker://${image}:${name}`;

  beforeEach(() => {
    write("work/repository.txt", `${image}\n`);
    write("work/commit.txt", "c0ffee\n");
    write("work/references.txt", `${image}:1.4.0\n${image}:1.4\n${image}:latest\n`);
    stand("docker", "cat > /dev/null");
    stand("skopeo", `case "$*" in *--digestfile*) echo sha256:abc > digest.txt;; esac`);
    stand("cosign");
  });

  it("is the image under its commit, then the signature, then the tags, the full version last", () => {
    expect(run("image.yml", "publish", "Publish, sign, then tag")).toEqual({
      ok: true,
      calls: [...copies, sign, tag("latest"), tag("1.4"), tag("1.4.0")],
    });
  });

  it("has no tag for what could not be signed", () => {
    stand("cosign", "exit 1");
    const { ok, calls } = run("image.yml", "publish", "Publish, sign, then tag");
    expect({ ok, calls }).toEqual({ ok: false, calls: [...copies, sign] });
  });
});

describe.skipIf(!has("sha256sum"))("what people download", () => {
  const platforms = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"];
  const release = "@authz/cli@2.0.0";
  const view = `gh release view ${release} --repo acme/authz --json assets --jq .assets[].name`;
  const upload = (files: string) => `gh release upload ${release} --repo acme/authz ${files}`;
  const archives = [...platforms].sort().map((platform) => `authz-${platform}.tar.gz`);
  const publish = () => run("standalone.yml", "publish", "Publish, the sums last", { RELEASE: release });

  beforeEach(() => {
    for (const platform of platforms) write(`work/authz-${platform}.tar.gz`, platform);
    write("assets.txt", "");
    stand("gh", `case "$2" in view) cat "$FOLDER/assets.txt";; upload) [ ! -e "$FOLDER/broken" ];; esac`);
  });

  it("has a sum for every platform, and there is none without all of them", () => {
    expect(run("standalone.yml", "publish", "Sum up").ok).toBe(true);
    const sums = written("work/SHA256SUMS").trimEnd().split("\n");
    expect(sums.map((line) => line.slice(66))).toEqual(platforms.map((name) => `authz-${name}.tar.gz`));
    for (const line of sums) expect(line).toMatch(/^[0-9a-f]{64} {2}authz-/);
    rmSync(join(folder, "work/authz-darwin-x64.tar.gz"));
    expect(run("standalone.yml", "publish", "Sum up").ok).toBe(false);
  });

  it("is the archives, then their sums", () => {
    expect(publish()).toEqual({
      ok: true,
      calls: [view, upload(`--clobber ${archives.join(" ")}`), upload("SHA256SUMS")],
    });
  });

  it("has no sums when an archive is missing", () => {
    write("broken", "");
    expect(publish()).toEqual({ ok: false, calls: [view, upload(`--clobber ${archives.join(" ")}`)] });
  });

  it("never changes once its sums are there", () => {
    write("assets.txt", "authz-linux-x64.tar.gz\nSHA256SUMS\n");
    expect(publish()).toEqual({ ok: true, calls: [view] });
  });
});

describe("a change", () => {
  /** What this repository, with nothing else to release, would release for one change. */
  async function releasedFor(name: string): Promise<readonly string[]> {
    for (const workspace of ["", ...readWorkspaces().map((known) => known.folder)]) {
      write(join(workspace, "package.json"), readFileSync(join(root, workspace, "package.json"), "utf8"));
    }
    cpSync(join(root, ".changeset/config.json"), join(folder, ".changeset/config.json"), { recursive: true });
    write(".changeset/one.md", `---\n"${name}": minor\n---\n\nSomething new.\n`);
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
    git("init", "--initial-branch=main");
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--allow-empty", "--no-gpg-sign", "-m", "a");
    return (await planVersions(folder)).map((version) => version.name);
  }

  it.each([
    { name: "authz-discovery-proxy", released: ["authz-discovery-proxy"] },
    { name: "authz-server", released: ["@authz/dev", "authz-server"] },
  ])("of $name releases $released alone", async ({ name, released }) => {
    expect(new Set(await releasedFor(name))).toEqual(new Set(released));
  });

  it("of a library releases what contains it, and not the proxy, which contains none", async () => {
    const released = await releasedFor("@authz/dpop");
    expect(released).toEqual(expect.arrayContaining(["@authz/dpop", "@authz/client", "authz-server"]));
    expect(released).not.toContain("authz-discovery-proxy");
  });
});
