import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly environment?: string;
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return { file, text, workflow: parse(text) as Workflow };
});
const find = (file: string) => {
  const found = workflows.find((known) => known.file === file);
  if (found === undefined) throw new Error(`There is no ${file}.`);
  return found;
};
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file}: ${name}`, job })),
);
const steps = jobs.flatMap(({ name, job }) => (job.steps ?? []).map((step) => ({ name, step })));

function namesOf(found: readonly { readonly name: string }[]): string[] {
  return found.map(({ name }) => name);
}

describe("every workflow", () => {
  it("starts without any right, and each job asks for its own", () => {
    for (const { workflow } of workflows) expect(workflow.permissions).toEqual({});
    expect(namesOf(jobs.filter(({ job }) => job.permissions === undefined))).toEqual([]);
  });

  it("says when it may run twice, and how long a job may take", () => {
    for (const { workflow } of workflows) expect(workflow.concurrency).toBeDefined();
    const own = jobs.filter(({ job }) => job.uses === undefined);
    expect(namesOf(own.filter(({ job }) => job["timeout-minutes"] === undefined))).toEqual([]);
  });

  it("pins every action by its full commit, with the version beside it, everywhere the same", () => {
    const pins = new Map<string, string>();
    for (const { text } of workflows) {
      for (const [, action = ""] of text.matchAll(/uses: (.*)$/gm)) {
        if (action.startsWith("./")) continue;
        expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
        const [name = ""] = action.split("@");
        expect(pins.get(name) ?? action).toBe(action);
        pins.set(name, action);
      }
    }
    expect(pins.size).toBeGreaterThan(0);
  });

  it("never puts foreign text into a script", () => {
    const scripts = steps.filter(({ step }) => step.run?.includes("${{") === true);
    expect(scripts.map(({ name }) => name)).toEqual([]);
  });

  it("leaves no credentials in the checkout", () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith("actions/checkout@") === true);
    expect(checkouts.length).toBeGreaterThan(0);
    expect(namesOf(checkouts.filter(({ step }) => step.with?.["persist-credentials"] !== false))).toEqual([]);
  });
});

describe("rights", () => {
  it.each([
    ["ci.yml: test", { contents: "read" }],
    ["ci.yml: docs", { contents: "read" }],
    ["ci.yml: images", { contents: "read" }],
    ["release.yml: prepare", { contents: "read" }],
    ["release.yml: pull-request", { contents: "write", "pull-requests": "write" }],
    ["release.yml: publish", { contents: "write", "id-token": "write" }],
    ["release.yml: image", { contents: "read", packages: "write", "id-token": "write" }],
    ["release.yml: standalone", { contents: "write", "id-token": "write", attestations: "write" }],
    ["standalone.yml: build", { contents: "read" }],
    ["standalone.yml: publish", { contents: "write", "id-token": "write", attestations: "write" }],
    ["image.yml: build", { contents: "read", packages: "read" }],
    ["image.yml: publish", { packages: "write", "id-token": "write" }],
  ])("of %s are %j", (name, permissions) => {
    expect(jobs.find((known) => known.name === name)?.job.permissions).toEqual(permissions);
    expect(jobs).toHaveLength(12);
  });

  const privileged = jobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes("write"));

  it("that write are in no job that installs or runs what the repository or a package says", () => {
    const builders =
      /\bnpm (ci|install|run|exec|test|pack)\b|\bnpx\b|\bnode \S|\bchangeset\b|docker buildx|build-push-action/;
    const building = privileged.filter(({ job }) =>
      (job.steps ?? []).some(({ run = "", uses = "" }) => builders.test(`${run} ${uses}`)),
    );
    expect(namesOf(building)).toEqual([]);
    expect(privileged.length).toBeGreaterThan(0);
  });

  it("to publish are given in a protected environment only", () => {
    const publishing = privileged.filter(({ job }) => job.permissions?.["id-token"] === "write" && job.steps);
    expect(publishing.map(({ name, job }) => [name, job.environment])).toEqual([
      ["image.yml: publish", "images"],
      ["release.yml: publish", "npm"],
      ["standalone.yml: publish", "downloads"],
    ]);
  });

  it("need no stored secret", () => {
    expect(workflows.filter(({ text }) => text.includes("secrets.")).map(({ file }) => file)).toEqual([]);
  });

  it("of the registry reach no step that runs what the repository says", () => {
    const withPassword = steps.filter(({ step }) => step.env?.["REGISTRY_PASSWORD"] !== undefined);
    expect(withPassword).toHaveLength(2);
    for (const { step } of withPassword) {
      expect(step.run).not.toMatch(/\bnpm\b|\bnpx\b|\bnode\b/);
      expect(step.run).toContain("--password-stdin");
    }
  });
});

describe("ci.yml", () => {
  it("tests on every even release of Node from 20 to 26", () => {
    expect(find("ci.yml").workflow.jobs["test"]?.strategy?.matrix["node"]).toEqual([20, 22, 24, 26]);
  });

  it("builds every Dockerfile for both platforms, without publishing", () => {
    const { images } = find("ci.yml").workflow.jobs;
    const built = images?.strategy?.matrix["include"] as { dockerfile: string }[];
    for (const { dockerfile } of built) {
      expect(readFileSync(join(root, dockerfile), "utf8")).toContain("ENTRYPOINT");
    }
    const build = images?.steps?.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    expect(build?.with).toMatchObject({ platforms: "linux/amd64,linux/arm64", push: false });
  });
});

describe("release.yml", () => {
  it("builds the images of what has one, after the tags", () => {
    expect(find("release.yml").workflow.jobs["image"]).toMatchObject({ needs: ["prepare", "publish"] });
  });
});

describe("image.yml", () => {
  const { workflow } = find("image.yml");

  it("builds both platforms with SBOM and provenance into an archive, which another job publishes", () => {
    const build = workflow.jobs["build"]?.steps?.find(({ uses }) =>
      uses?.startsWith("docker/build-push-action@"),
    );
    expect(build?.with).toMatchObject({
      platforms: "linux/amd64,linux/arm64",
      push: false,
      outputs: "type=oci,dest=image/image.tar",
      sbom: true,
      provenance: "mode=max",
    });
    expect(workflow.jobs["publish"]).toMatchObject({ needs: "build" });
  });

  it("can be started by hand: a failed release is published again", () => {
    expect(workflow.on).toHaveProperty("workflow_dispatch");
    expect(workflow.on).toHaveProperty("workflow_call");
  });
});
