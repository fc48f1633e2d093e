import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Presentations } from "./open-replay-store.js";

/**
 * Presents one proof in several processes at the same time and returns the outcome of every presentation.
 *
 * The processes run a bundle of the sources, because Node 20 cannot run TypeScript and a build may be out of date.
 */
export async function presentInProcesses(
  openerModule: string,
  address: string,
  presentations: Presentations & { processes: number },
): Promise<string[]> {
  const { processes, ...perProcess } = presentations;
  const folder = await mkdtemp(join(tmpdir(), "authz-replay-"));
  try {
    const program = join(folder, "process.cjs");
    await bundleProgram(openerModule, program);
    const children = await Promise.all(
      Array.from({ length: processes }, () => startProcess(program, address)),
    );
    const outcomes = await Promise.all(children.map((child) => present(child, perProcess)));
    return outcomes.flat();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundleProgram(openerModule: string, outfile: string): Promise<void> {
  const here = dirname(fileURLToPath(import.meta.url));
  await build({
    stdin: {
      contents: `
        import { openStore } from ${JSON.stringify(openerModule)};
        import { answerPresentations } from "./answer-presentations.js";
        void answerPresentations(openStore);`,
      resolveDir: here,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    target: "node20",
    conditions: ["@authz/source"],
    external: ["pg-native"],
    logLevel: "silent",
    outfile,
  });
}

async function startProcess(program: string, address: string): Promise<ChildProcess> {
  const child = fork(program, [address], { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await answerOf(child);
  return child;
}

async function present(child: ChildProcess, presentations: Presentations): Promise<string[]> {
  const ended = once(child, "exit");
  child.send(presentations);
  const outcomes = (await answerOf(child)) as string[];
  await ended;
  return outcomes;
}

/** The next message of a process; a process that ends without one is an error. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const abort = new AbortController();
  const ended = once(child, "exit", abort).then(([code]) => {
    throw new Error(`A process of the replay test ended with code ${String(code)}.`);
  });
  ended.catch(() => {});
  try {
    const [message] = (await Promise.race([once(child, "message", abort), ended])) as unknown[];
    return message;
  } finally {
    abort.abort();
  }
}
