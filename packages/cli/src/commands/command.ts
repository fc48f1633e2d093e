import type { Command } from "commander";
import type { Invocation, NextStep } from "../messages/next-step.js";
import type { Output } from "../output/output.js";
import type { Runtime } from "../runtime.js";

/** What every command is given beside its own arguments. */
export interface CommandContext {
  runtime: Runtime;
  output: Output;
  /** The value of `--profile`. */
  profile: string | undefined;
  /** How this command was started. */
  invocation: Invocation;
  /** A command to be typed next. */
  offer: (step: NextStep) => string;
}

/** The work of a command: given its context and what commander parsed, it answers with the exit code. */
type Work<Arguments extends unknown[]> = (context: CommandContext, ...args: Arguments) => Promise<number>;

/** The command line under construction. */
export interface CommandTree {
  readonly root: Command;
  /** Adds a command below the root, with the examples its help starts with. */
  readonly add: (spec: string, description: string, examples: readonly string[]) => Command;
  /** Adds a command below another one. */
  readonly addBelow: (
    parent: Command,
    spec: string,
    description: string,
    examples: readonly string[],
  ) => Command;
  readonly examplesOf: (command: Command) => readonly string[];
  /** Turns the work of a command into what commander calls. */
  readonly action: <Arguments extends unknown[]>(
    work: Work<Arguments>,
  ) => (...args: Arguments) => Promise<void>;
  /** How the command was started, as far as that is understood by now. */
  readonly invocation: () => Invocation;
  /** The exit code of the command that ran. */
  readonly exitCode: () => number;
  /** The command that commander gave up at. */
  readonly stoppedAt: () => Command;
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}
