import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const leave = fileURLToPath(new URL("../../bin/leave.js", import.meta.url));
/** More than a pipe takes at once, in bytes. */
const large = 1_000_000;

describe("how the command ends", () => {
  it.each([0, 4])("keeps exit code %i", (code) => {
    expect(run(`process.exitCode = ${String(code)}; leaveSoon();`).status).toBe(code);
  });

  it("waits for what is still being done", () => {
    const { stdout } = run('leaveSoon(); setTimeout(() => process.stdout.write("done"), 200);');
    expect(stdout).toBe("done");
  });

  it("writes everything first", () => {
    const { stdout } = run(`process.stdout.write("x".repeat(${String(large)})); leaveSoon();`);
    expect(stdout).toHaveLength(large);
  });

  it("does not wait for ever", () => {
    const { status, signal } = run("process.exitCode = 1; leaveSoon(); setInterval(() => undefined, 1000);");
    expect([status, signal]).toEqual([1, null]);
  });
});

function run(script: string): { status: number | null; signal: NodeJS.Signals | null; stdout: string } {
  const text = `const { leaveSoon } = require(${JSON.stringify(leave)}); ${script}`;
  return spawnSync(process.execPath, ["--eval", text], {
    encoding: "utf8",
    maxBuffer: 2 * large,
    timeout: 20_000,
  });
}
