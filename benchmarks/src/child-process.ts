import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a measured process says about itself. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** A process that answers each question it is sent. */
export interface AnsweringProcess {
  readonly process: ChildProcess;
  ask<Answer>(question: object): Promise<Answer>;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

type Reply = { readonly answer: unknown } | { readonly failure: string };

/** Starts a program of this folder, or a given file, in a process of its own. It ends with this one. */
export function startProcess(
  file: string | URL,
  args: readonly string[] = [],
  options: ForkOptions = {},
): AnsweringProcess {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const child = fork(path, [...args], options);
  const ask = <Answer>(question: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${path} ended with ${code}.`));
      child.once("exit", onExit);
      child.once("message", (reply: Reply) => {
        child.off("exit", onExit);
        if ("failure" in reply) reject(new Error(reply.failure));
        else resolve(reply.answer as Answer);
      });
      child.send(question);
    });
  return {
    process: child,
    ask,
    usage: () => ask<Usage>({ kind: "usage" }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Answers the questions of the parent process, one after the other, and ends with it. */
export function answerQuestions(answer: (question: never) => unknown): void {
  process.on("message", (question) => {
    void (async () => {
      const reply: Reply = await Promise.resolve()
        .then(() => (isUsageQuestion(question) ? measureUsage() : answer(question as never)))
        .then(
          (value): Reply => ({ answer: value }),
          (error: unknown): Reply => ({
            failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
          }),
        );
      process.send?.(reply);
    })();
  });
  process.on("disconnect", () => process.exit());
}

function isUsageQuestion(question: unknown): boolean {
  return (question as { kind?: unknown }).kind === "usage";
}

/** What this process has used so far. */
export function measureUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() };
}
