import { type ChildProcess, spawn } from "node:child_process";
import { inject } from "vitest";

/** The commands of the server as processes, for one test file. */
export interface ServerCommands {
  run(
    command: "authz-server" | "authz-migrate",
    args: readonly string[],
    environment: Environment,
  ): RunningCommand;
  /** Ends those that still run. */
  kill(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunningCommand {
  /** Everything on standard output and standard error so far. */
  output(): string;
  stdout(): string;
  /** Resolves when a line on standard output contains the text; rejects when the command exits before. */
  waitFor(text: string): Promise<string>;
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** The script that runs a command of the server: `node <script> authz-server …`. */
export function commandScript(): string {
  return inject("serverCommands");
}

export function createCommands(): ServerCommands {
  const running = new Set<ChildProcess>();
  return {
    run(command, args, environment) {
      const child = spawn(process.execPath, [commandScript(), command, ...args], {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.add(child);
      void child.once("exit", () => running.delete(child));
      return follow(child);
    },
    kill() {
      for (const child of running) child.kill("SIGKILL");
    },
  };
}

function follow(child: ChildProcess): RunningCommand {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const output = () => stdout + stderr;
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const lineWith = (text: string) =>
    stdout
      .split("\n")
      .slice(0, -1)
      .find((line) => line.includes(text));
  return {
    output,
    stdout: () => stdout,
    exited,
    kill: (signal) => void child.kill(signal),
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = lineWith(text);
          if (line !== undefined) resolve(line);
        };
        child.stdout?.on("data", look);
        void exited.then((code) => reject(new Error(`exited with ${code} before "${text}":\n${output()}`)));
        look();
      }),
  };
}
