import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../../image-tags.mjs", import.meta.url));
const commit = "0123456789abcdef0123456789abcdef01234567";

function run(options: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], {
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const options = ["--release", "authz-server@1.2.5", "--commit", commit, "--registry", "ghcr.io/acme"];

describe("image-tags", () => {
  it("prints references for the image of the release only", () => {
    const { status, stdout } = run(options, "1.2.4\n1.3.0\nlatest\n");
    expect(status).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "ghcr.io/acme/authz-server:1.2.5",
      "ghcr.io/acme/authz-server:1.2",
      `ghcr.io/acme/authz-server:${commit}`,
    ]);
  });

  it.each([
    { name: "an existing version", args: options, input: "1.2.5\n", says: "1.2.5 is published already" },
    { name: "no options", args: [], input: "", says: "Usage: node tools/image-tags.mjs" },
    { name: "an unknown option", args: [...options, "--force"], input: "", says: "Usage:" },
  ])("prints nothing and ends with 1 for $name", ({ args, input, says }) => {
    const { status, stdout, stderr } = run(args, input);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(says);
  });
});
