import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { main } from "../../src/main.js";
import { nodeRuntime, type Runtime } from "../../src/runtime.js";

it("opens neither its input nor stderr for a command that uses neither", async () => {
  const opened: string[] = [];
  const stdout = new PassThrough();
  const runtime: Runtime = {
    ...nodeRuntime(),
    stdout,
    stderrIsTerminal: false,
    get stdin() {
      opened.push("stdin");
      return new PassThrough();
    },
    get stderr() {
      opened.push("stderr");
      return new PassThrough();
    },
  };
  expect([await main(["--help"], runtime), opened]).toEqual([0, []]);
  expect(String(stdout.read())).toContain("authz login --issuer");
});
