import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { main } from "../../src/main.js";
import { processSurroundings, type Surroundings } from "../../src/surroundings.js";

it("opens neither its input nor stderr for a command that uses neither", async () => {
  const opened: string[] = [];
  const stdout = new PassThrough();
  const surroundings: Surroundings = {
    ...processSurroundings(),
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
  expect([await main(["--help"], surroundings), opened]).toEqual([0, []]);
  expect(String(stdout.read())).toContain("authz login --issuer");
});
