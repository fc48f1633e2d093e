import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { skillName } from "@authz/agent-tools";
import { array, assert, property, stringMatching, tuple } from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { type CommandResult, startSignedInWorld } from "../../support/cli-world.js";

const allowedName = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

describe("the name of a pulled skill", () => {
  it.each([
    ["contracts.list", "contracts-list"],
    ["contracts.list-all", "contracts-list-all"],
    [`contracts.${"a".repeat(54)}`, `contracts-${"a".repeat(54)}`],
  ])("is as one would guess for %s", (id, name) => {
    expect(skillName(id)).toBe(name);
  });

  it.each([
    "contracts-list.all",
    "contracts.list--all",
    "contracts.list-",
    "contracts-.list",
    "contracts.list-0123456789ab",
    `contracts.${"a".repeat(55)}`,
    `contracts.${"a".repeat(100)}`,
    `a-${"-".repeat(90)}.x`,
  ])("is allowed, with a part of its hash, for %s", (id) => {
    expect(skillName(id)).toMatch(allowedName);
    expect(skillName(id)).toMatch(/-[\da-f]{12}$/);
  });

  it("is one that no other id has", () => {
    const part = stringMatching(/^[a-c0][a-c0-]{0,6}$/);
    const id = tuple(part, part).map(([publisher, skill]) => `${publisher}.${skill}`);
    // Ids that try to be taken for another skill.
    const imitation = id.map((copied) => `c.${skillName(copied).slice(0, 90)}`);
    assert(
      property(array(id), array(imitation), (ids, imitations) => {
        const distinct = [...new Set([...ids, ...imitations])];
        const names = distinct.map(skillName);
        expect(new Set(names).size).toBe(distinct.length);
        for (const name of names) expect(name).toMatch(allowedName);
      }),
    );
  });
});

describe("authz skills pull", () => {
  const world = forEachTest(startSignedInWorld);
  let directory: string;
  beforeEach(() => {
    directory = join(world.home, "skills");
    publish("contracts.list", "contracts.sign");
  });

  function publish(...ids: string[]): void {
    world.server.skills.length = 0;
    for (const id of ids)
      world.server.skills.push({
        id,
        title: id,
        tags: [],
        requiredScopes: ["contracts:read"],
        allowed: true,
        resource: id.split(".")[0] ?? "",
        content: `# ${id}`,
      });
  }
  const pull = async (...more: string[]): Promise<CommandResult> =>
    await world.run(["skills", "pull", "--directory", directory, ...more]);
  const textOf = (name: string): string => readFileSync(join(directory, name, "SKILL.md"), "utf8");

  it("writes two services' skills beside each other, however they are called", async () => {
    publish("contracts.list-all", "contracts-list.all");
    expect((await pull()).code).toBe(0);
    const texts = readdirSync(directory).map(textOf);
    expect(new Set(texts.map((text) => /^# (.*)$/m.exec(text)?.[1]))).toEqual(
      new Set(["contracts-list.all", "contracts.list-all"]),
    );
    for (const name of readdirSync(directory)) expect(textOf(name)).toContain(`\nname: ${name}\n`);
  });

  it("removes what is gone or no longer allowed, and nothing that it did not write", async () => {
    await pull();
    mkdirSync(join(directory, "mine"));
    writeFileSync(join(directory, "mine", "SKILL.md"), "---\nname: mine\ndescription: x\n---\n");
    writeFileSync(join(directory, "contracts-sign", "notes.txt"), "mine, too");
    mkdirSync(join(directory, "elsewhere"));
    const other = textOf("contracts-list").replace(world.server.origin, "https://other.example");
    writeFileSync(join(directory, "elsewhere", "SKILL.md"), other);
    publish("contracts.list");
    const result = await pull();
    expect(result.stderr).toBe("Removed contracts.sign: it is gone, or you may no longer run it.\n");
    expect(readdirSync(directory).sort()).toEqual(["contracts-list", "contracts-sign", "elsewhere", "mine"]);
    expect(readdirSync(join(directory, "contracts-sign"))).toEqual(["notes.txt"]);
    publish();
    const none = await pull("--json");
    expect(JSON.parse(none.stdout)).toEqual({
      items: [],
      removed: [{ id: "contracts.list", file: join(directory, "contracts-list", "SKILL.md") }],
      incomplete: [],
    });
    expect(existsSync(join(directory, "contracts-list"))).toBe(false);
  });

  it("keeps the others when only some are named", async () => {
    await pull();
    publish("contracts.sign");
    expect((await pull("contracts.sign")).code).toBe(0);
    expect(readdirSync(directory).sort()).toEqual(["contracts-list", "contracts-sign"]);
  });

  const planted: { name: string; plant: (target: string) => void; why: string }[] = [
    {
      name: "a folder that is a link",
      plant: (target) => symlinkSync(target, join(directory, "contracts-list")),
      why: "is a link",
    },
    {
      name: "a file that is a link",
      plant: (target) => {
        mkdirSync(join(directory, "contracts-list"));
        symlinkSync(join(target, "precious"), join(directory, "contracts-list", "SKILL.md"));
      },
      why: "is a link",
    },
    {
      name: "a file from elsewhere",
      plant: () => {
        mkdirSync(join(directory, "contracts-list"));
        writeFileSync(join(directory, "contracts-list", "SKILL.md"), "---\nname: contracts-list\n---\n");
      },
      why: "There is something else with this name",
    },
    {
      name: "a skill of another server",
      plant: () => {
        mkdirSync(join(directory, "contracts-list"));
        const front = '---\nmetadata:\n  id: "contracts.list"\n  source: "https://other.example"\n---\n';
        writeFileSync(join(directory, "contracts-list", "SKILL.md"), front);
      },
      why: "There is something else with this name",
    },
  ];
  it.each(planted)("leaves alone $name", async ({ plant, why }) => {
    const target = join(world.home, "target");
    mkdirSync(target);
    mkdirSync(directory);
    writeFileSync(join(target, "precious"), "precious");
    plant(target);
    const before = existsSync(join(directory, "contracts-list", "SKILL.md")) ? textOf("contracts-list") : "";
    const result = await pull("contracts.list");
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining(why)]);
    expect([readdirSync(target), readFileSync(join(target, "precious"), "utf8")]).toEqual([
      ["precious"],
      "precious",
    ]);
    expect(existsSync(join(directory, "contracts-list", "SKILL.md")) ? textOf("contracts-list") : "").toBe(
      before,
    );
  });

  it("takes a link that is named, and none that is not", async () => {
    const target = join(world.home, "target");
    mkdirSync(target);
    symlinkSync(target, directory);
    expect((await pull("contracts.list")).code).toBe(0);
    expect(readdirSync(target)).toEqual(["contracts-list"]);
    const before = process.cwd();
    process.chdir(world.home);
    try {
      const unnamed = await world.run(["skills", "pull"]);
      expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining("skills is a link")]);
    } finally {
      process.chdir(before);
    }
  });

  it("removes nothing through a link, and replaces its own files in one step", async () => {
    await pull();
    const outside = join(world.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "SKILL.md"), textOf("contracts-sign"));
    symlinkSync(outside, join(directory, "linked"));
    const before = lstatSync(join(directory, "contracts-list", "SKILL.md")).ino;
    expect((await pull()).code).toBe(0);
    expect(existsSync(join(outside, "SKILL.md"))).toBe(true);
    expect(lstatSync(join(directory, "contracts-list", "SKILL.md")).ino).not.toBe(before);
    expect(readdirSync(join(directory, "contracts-list"))).toEqual(["SKILL.md"]);
  });

  describe("with files", () => {
    const digestOf = (bytes: string | Uint8Array): string =>
      `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    /** Publishes one skill with these files, honestly unless told otherwise. */
    function publishFiles(files: Record<string, string | Uint8Array>, promised = files): void {
      publish("contracts.list");
      world.server.skillFiles.clear();
      const [skill] = world.server.skills;
      if (skill === undefined) throw new Error("There is no skill.");
      skill.files = Object.entries(promised).map(([path, bytes]) => ({
        path,
        size: Buffer.from(bytes).length,
        digest: digestOf(bytes),
      }));
      for (const [path, bytes] of Object.entries(files))
        world.server.skillFiles.set(`contracts.list ${path}`, bytes);
    }
    const folder = (): string => join(directory, "contracts-list");
    const all = (): string[] =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
        .sort();
    const picture = Uint8Array.of(0x89, 0, 0xff);

    it("writes the whole folder byte for byte, and nothing that can be run", async () => {
      publishFiles({
        "references/errors.md": "# Errors\n",
        "scripts/run.sh": "#!/bin/sh\n",
        "a/b/logo.png": picture,
      });
      expect((await pull()).code).toBe(0);
      expect(all()).toEqual([
        "contracts-list/.authz-files.json",
        "contracts-list/SKILL.md",
        "contracts-list/a/b/logo.png",
        "contracts-list/references/errors.md",
        "contracts-list/scripts/run.sh",
      ]);
      expect(readFileSync(join(folder(), "a/b/logo.png"))).toEqual(Buffer.from(picture));
      expect(readFileSync(join(folder(), "scripts/run.sh"), "utf8")).toBe("#!/bin/sh\n");
      expect(textOf("contracts-list")).toContain("published, here and beside it");
      for (const file of all()) expect(statSync(join(directory, file)).mode & 0o111).toBe(0);
    });

    it("replaces what changed, removes what is gone, and asks for nothing that is there", async () => {
      publishFiles({ "references/old.md": "old", "references/kept.md": "kept", "b.md": "before" });
      await pull();
      chmodSync(join(folder(), "b.md"), 0o755);
      publishFiles({ "references/kept.md": "kept", "b.md": "after" });
      world.server.skillFiles.delete("contracts.list references/kept.md");
      expect((await pull()).code).toBe(0);
      expect(all()).toEqual([
        "contracts-list/.authz-files.json",
        "contracts-list/SKILL.md",
        "contracts-list/b.md",
        "contracts-list/references/kept.md",
      ]);
      expect(readFileSync(join(folder(), "b.md"), "utf8")).toBe("after");
      expect(statSync(join(folder(), "b.md")).mode & 0o111).toBe(0);
      publishFiles({});
      await pull();
      expect(all()).toEqual(["contracts-list/SKILL.md"]);
    });

    it("leaves other and changed files alone", async () => {
      publishFiles({ "references/mine.md": "theirs", "references/changed.md": "theirs" });
      await pull();
      writeFileSync(join(folder(), "references/changed.md"), "changed by hand");
      writeFileSync(join(folder(), "references/note.md"), "my note");
      publish();
      await pull();
      expect(all()).toEqual(["contracts-list/references/changed.md", "contracts-list/references/note.md"]);

      publishFiles({ "references/note.md": "theirs" });
      const result = await pull();
      expect(result.code).not.toBe(0);
      expect(result.stderr).toContain("something else at");
      expect(readFileSync(join(folder(), "references/note.md"), "utf8")).toBe("my note");
    });

    it.each([
      "../outside.md",
      "/tmp/outside.md",
      "a/../../outside.md",
      ".git/hooks/post-checkout",
      "SKILL.md",
      "a\\b",
      "-x",
    ])("writes nothing for a server that names a file %s", async (path) => {
      publishFiles({ [path]: "evil" });
      const result = await pull();
      expect(result.code).not.toBe(0);
      expect(result.stderr).toContain("cannot be a file of a skill");
      expect(existsSync(join(directory, "..", "outside.md"))).toBe(false);
      expect(existsSync(folder()) ? readdirSync(folder()) : []).toEqual([]);
    });

    it("takes no file that is another one than the skill names, or longer", async () => {
      for (const given of ["PROMISED", "promised and more"]) {
        publishFiles({ "a.md": given }, { "a.md": "promised" });
        const result = await pull();
        expect(result.code).not.toBe(0);
        expect(result.stderr).toMatch(/not the file that the skill names|larger than 8 bytes/);
        expect(existsSync(join(folder(), "a.md"))).toBe(false);
      }
    });

    it("follows no link", async () => {
      const elsewhere = join(world.home, "elsewhere");
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, "target.md"), "precious");
      mkdirSync(folder(), { recursive: true });
      symlinkSync(elsewhere, join(folder(), "references"));
      publishFiles({ "references/target.md": "evil" });
      expect((await pull()).stderr).toContain("is not a folder");
      publishFiles({ "link.md": "evil" });
      symlinkSync(join(elsewhere, "target.md"), join(folder(), "link.md"));
      expect((await pull()).stderr).toContain("something else at");
      // What was prepared to be removed through a link.
      writeFileSync(
        join(folder(), ".authz-files.json"),
        JSON.stringify({
          files: {
            "references/target.md": digestOf("precious"),
            "../elsewhere/target.md": digestOf("precious"),
          },
        }),
      );
      publishFiles({});
      await pull();
      expect(readFileSync(join(elsewhere, "target.md"), "utf8")).toBe("precious");
    });
  });

  describe("authz skills show", () => {
    beforeEach(() => {
      const [skill] = world.server.skills;
      if (skill === undefined) throw new Error("There is no skill.");
      const entry = (path: string, bytes: string | Uint8Array) => ({
        path,
        size: Buffer.from(bytes).length,
        digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
      });
      const picture = Uint8Array.of(0x89, 0, 0xff);
      skill.files = [entry("references/errors.md", "# E\u202e"), entry("logo.png", picture)];
      world.server.skillFiles.set("contracts.list references/errors.md", "# E\u202e");
      world.server.skillFiles.set("contracts.list logo.png", picture);
    });
    const show = async (...more: string[]): Promise<CommandResult> =>
      await world.run(["skills", "show", "contracts.list", ...more]);

    it("names the files of a skill and prints one in a frame", async () => {
      expect((await show()).stderr).toContain("  references/errors.md (6 bytes)\n  logo.png (3 bytes)");
      const { code, stdout } = await show("references/errors.md");
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^--- ([\da-f]{16}): .*a file of contracts\.list.* ---\n# E\\u\{202e\}\n--- \1: end ---\n$/,
      );
    });

    it("prints bytes as Base64 only, and no file that is not there", async () => {
      expect((await show("logo.png")).stderr).toContain("3 bytes and is not text");
      expect(JSON.parse((await show("logo.png", "--json")).stdout)).toEqual({
        id: "contracts.list",
        path: "logo.png",
        size: 3,
        contentBase64: "iQD/",
      });
      const missing = await show("../secret");
      expect([missing.code, missing.stderr]).toEqual([
        expect.any(Number),
        expect.stringContaining("There is no file"),
      ]);
      expect(missing.code).not.toBe(0);
    });
  });
});
