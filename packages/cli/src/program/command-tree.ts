import { Command } from "commander";
import type { CommandContext } from "../commands/command.js";
import type { LoginCommandOptions } from "../commands/login/login.js";
import { type NextStep, type Invocation, offer } from "../messages/next-step.js";
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
  /** How the command was started, as far as that is understood by now. */
  readonly invocation: () => Invocation;
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
  let ran: unknown;
  const invocation = (): Invocation => {
    const { program, platform, env } = surroundings;
    const { profile = nonEmpty(env.AUTHZ_PROFILE) } = root.opts<{ profile?: string }>();
    const login = ran instanceof Command && ran.name() === "login" ? repeatedLogin(ran, env) : NOTHING;
    return { program, platform, profile, login };
  };
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
        ran = args.at(-1);
        const { profile } = root.opts<{ profile?: string }>();
        const started = invocation();
        const context = {
          surroundings,
          output: createOutput(surroundings, mode),
          profile,
          invocation: started,
          offer: (step: NextStep) => offer(step, started),
        };
        code = await work(context, ...args);
      },
    invocation,
    exitCode: () => code,
    stoppedAt: () => stopped,
  };
}

const NOTHING: Invocation["login"] = { words: [], variables: {} };

/** What a log-in was told, so that the next one can be told the same. */
function repeatedLogin(command: Command, env: Surroundings["env"]): Invocation["login"] {
  const { issuer, device, browser } = command.opts<LoginCommandOptions>();
  const server = issuer ?? nonEmpty(env.AUTHZ_ISSUER);
  const store = nonEmpty(env.AUTHZ_TOKEN_STORE);
  return {
    words: [
      ...(device === true ? ["--device"] : []),
      ...(browser === undefined ? [] : [browser ? "--browser" : "--no-browser"]),
      ...(server === undefined ? [] : ["--issuer", server]),
    ],
    variables: store === undefined ? {} : { AUTHZ_TOKEN_STORE: store },
  };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}
