import { setTimeout as delay } from "node:timers/promises";
import { type SupervisedProcess, supervise } from "../processes/supervise.js";
import { ReadableError } from "../readable-error.js";
import { openLogFile } from "./log-file.js";
import type { Program } from "./programs.js";
import type { SystemSettings } from "./settings.js";

/** A program of the development system that was started. */
export interface ProgramProcess {
  readonly exited: Promise<number>;
  /**
   * Resolves when this address answers 200.
   *
   * @throws {ReadableError} It ended before, or took too long.
   */
  untilReady(url: string): Promise<void>;
  /** What it said last, for people who want to know why it ended. */
  lastWords(): string;
  stop(): Promise<void>;
  kill(): void;
}

const readyTimeoutSeconds = 60;
const pollMilliseconds = 100;

export function startProgram(
  settings: Pick<SystemSettings, "stateDirectory">,
  program: Program,
): ProgramProcess {
  const log = openLogFile(settings.stateDirectory, program.key);
  const child = supervise({
    command: program.command,
    directory: settings.stateDirectory,
    env: program.env,
    stopSignal: "TERM",
    onLine: (line) => log.write(line),
  });
  const lastWords = (): string => quote(child, log.path);
  return {
    exited: child.exited,
    untilReady: (url) => untilReady(url, program.title, child, lastWords),
    lastWords,
    stop: () => child.stop(),
    kill: () => child.kill(),
  };
}

async function untilReady(
  url: string,
  title: string,
  child: SupervisedProcess,
  lastWords: () => string,
): Promise<void> {
  const exit = child.exited.then((code) => ({ code }));
  const deadline = Date.now() + readyTimeoutSeconds * 1000;
  while (!(await answers(url))) {
    const ended = await Promise.race([exit, delay(pollMilliseconds, undefined)]);
    if (ended !== undefined) {
      throw new ReadableError(`${title} did not start (exit code ${ended.code}).\n${lastWords()}`);
    }
    if (Date.now() > deadline) {
      const waited = `${url} did not answer within ${readyTimeoutSeconds} seconds`;
      throw new ReadableError(`${title} is not ready: ${waited}.\n${lastWords()}`);
    }
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: "manual" });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

function quote(child: SupervisedProcess, logFile: string): string {
  const lines = child.lastLines().map((line) => `  ${line}`);
  const said = lines.length === 0 ? ["It wrote nothing."] : ["Its last lines:", ...lines];
  return [...said, `Its whole log: ${logFile}`].join("\n");
}
