import { Command } from "commander";
import type { CommandContext } from "../commands/command.js";
import { createOutput, type OutputMode } from "../output/output.js";
import type { Surroundings } from "../surroundings.js";

/** The work of a command: given its context and what commander parsed, it answers with the exit code. */
export type Work<Arguments extends unknown[]> = (
  context: CommandContext,
  ...args: Arguments
) => Promise<number>;

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
  /** The exit code of the command that ran. */
  readonly exitCode: () => number;
  /** The command that commander gave up at. */
  readonly stoppedAt: () => Command;
}

export function createCommandTree(surroundings: Surroundings, mode: OutputMode): CommandTree {
  const root = new Command("authz");
  const shown = new Map<Command, readonly string[]>();
  let code = 0;
  let stopped = root;
  const addBelow: CommandTree["addBelow"] = (parent, spec, description, examples) => {
    const created = parent.command(spec).description(description);
    created.exitOverride((error) => {
      stopped = created;
      throw error;
    });
    shown.set(created, examples);
    return created;
  };
  return {
    root,
    add: (spec, description, examples) => addBelow(root, spec, description, examples),
    addBelow,
    examplesOf: (command) => shown.get(command) ?? [],
    action:
      (work) =>
      async (...args) => {
        const { profile } = root.opts<{ profile?: string }>();
        code = await work({ surroundings, output: createOutput(surroundings, mode), profile }, ...args);
      },
    exitCode: () => code,
    stoppedAt: () => stopped,
  };
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}
