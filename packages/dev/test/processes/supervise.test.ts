import { tmpdir } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { type SupervisedProcess, supervise } from "../../src/processes/supervise.js";

describe("supervise", () => {
  let running: SupervisedProcess | undefined;

  afterEach(() => {
    running?.kill();
  });

  function start(script: string, onLine?: (line: string) => void): SupervisedProcess {
    running = supervise({
      command: [process.execPath, "-e", script],
      directory: tmpdir(),
      env: {},
      stopSignal: "TERM",
      onLine,
    });
    return running;
  }

  test("reports the exit code and the last words of a program, from both of its outputs", async () => {
    const program = start('console.log("out"); console.error("err"); process.exitCode = 3');
    expect(await program.exited).toBe(3);
    expect([...program.lastLines()].sort()).toEqual(["err", "out"]);
  });

  test("keeps the last lines only", async () => {
    const program = start("for (let i = 0; i < 100; i++) console.log(i)");
    await program.exited;
    expect(program.lastLines()).toHaveLength(20);
    expect(program.lastLines().at(-1)).toBe("99");
  });

  test("asks a program to stop with the signal it wants", async () => {
    const script =
      'process.on("SIGTERM", () => { console.log("asked"); process.exit(0) }); setInterval(() => {}, 1000); console.log("ready")';
    let program: SupervisedProcess | undefined;
    await new Promise<void>((ready) => {
      program = start(script, () => ready());
    });
    await program?.stop();
    expect(await program?.exited).toBe(0);
    expect(program?.lastLines()).toEqual(["ready", "asked"]);
  });

  test("ends a program at once when told so", async () => {
    const program = start('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
    program.kill();
    expect(await program.exited).not.toBe(0);
  });

  test("reports a program that does not exist", async () => {
    running = supervise({
      command: ["/no/such/program"],
      directory: tmpdir(),
      env: {},
      stopSignal: "TERM",
    });
    expect(await running.exited).toBe(127);
    expect(running.lastLines().join("\n")).toContain("/no/such/program");
  });
});
