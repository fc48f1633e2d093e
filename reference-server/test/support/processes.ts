import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** The commands, built from the sources for one test file. */
export interface BuiltCommands {
  run(
    command: "authz-server" | "authz-migrate",
    args: readonly string[],
    environment: Environment,
  ): RunningCommand;
  remove(): void;
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

const root = fileURLToPath(new URL("../../", import.meta.url));
const conditions = ["@authz/source", "module", "node", "production"];

/** Builds the commands into a folder of their own, so that the tests need no build and never see a stale one. */
export async function buildCommands(): Promise<BuiltCommands> {
  const folder = `${root}node_modules/.authz-test-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  await build({
    configFile: false,
    root,
    logLevel: "error",
    resolve: { conditions },
    ssr: { noExternal: [/^@authz\//], resolve: { conditions } },
    build: {
      ssr: `${root}src/main.ts`,
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rollupOptions: { output: { chunkFileNames: "[name].js" } },
    },
  });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  writeFileSync(
    `${folder}/run.js`,
    `import { runMigrateCommand, runServerCommand } from "./main.js";
     const [, , command, ...args] = process.argv;
     const run = command === "authz-migrate" ? runMigrateCommand : runServerCommand;
     await run([process.argv[0], command, ...args]);`,
  );
  const running = new Set<ChildProcess>();
  return {
    run(command, args, environment) {
      const child = spawn(process.execPath, [`${folder}/run.js`, command, ...args], {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.add(child);
      void child.once("exit", () => running.delete(child));
      return follow(child);
    },
    remove() {
      for (const child of running) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
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
