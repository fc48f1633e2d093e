import { Command, CommanderError } from "commander";
import type { CommandTree } from "./commands/command.js";
import { type Invocation, type NextStep, offer } from "./messages/next-step.js";
import { formatHelp } from "./output/help.js";
import { createOutput, type OutputMode } from "./output/output.js";
import type { Runtime } from "./runtime.js";

const rootExamples = [
  "authz login --issuer https://authz.example.com",
  "authz skills find contract",
  "authz request --scope contracts:read https://contracts.example.com/api/contracts",
];

/** The commands in the order in which help lists them. Each is a file of its own, and a command line loads the one it needs. */
const commandLoaders: Readonly<Record<string, () => Promise<(tree: CommandTree) => void>>> = {
  login: async () => (await import("./commands/login.js")).addLogin,
  logout: async () => (await import("./commands/logout.js")).addLogout,
  status: async () => (await import("./commands/status.js")).addStatus,
  whoami: async () => (await import("./commands/whoami.js")).addWhoami,
  skills: async () => (await import("./commands/skills.js")).addSkills,
  request: async () => (await import("./commands/request.js")).addRequest,
  scopes: async () => (await import("./commands/scopes.js")).addScopes,
  why: async () => (await import("./commands/why.js")).addWhy,
  ask: async () => (await import("./commands/ask.js")).addAsk,
  connections: async () => (await import("./commands/connections.js")).addConnections,
  config: async () => (await import("./commands/config.js")).addConfig,
  doctor: async () => (await import("./commands/doctor.js")).addDoctor,
  completion: async () => (await import("./commands/completion.js")).addCompletion,
  __complete: async () => (await import("./commands/completion.js")).addComplete,
  mcp: async () => (await import("./commands/mcp.js")).addMcp,
  setup: async () => (await import("./commands/setup.js")).addSetup,
  help: async () => (await import("./commands/help.js")).addHelp,
  version: async () => (await import("./commands/help.js")).addVersion,
};

/** The commands that a command line needs. What names none, and what speaks about all of them, needs all. */
function commandsFor(args: readonly string[]): (typeof commandLoaders)[string][] {
  const first = args.find((word, at) => !word.startsWith("-") && args[at - 1] !== "--profile") ?? "";
  const one = Object.hasOwn(commandLoaders, first) ? commandLoaders[first] : undefined;
  return one === undefined || first === "completion" || first === "help"
    ? Object.values(commandLoaders)
    : [one];
}

/** A command line, ready to run. */
export interface Program {
  readonly root: Command;
  readonly run: () => Promise<number>;
  /** How it was started, as far as that is understood by now. */
  readonly invocation: () => Invocation;
}

/**
 * The command line as it is understood.
 *
 * @param args What was typed, when it is known: only what it needs is described to commander.
 */
export async function createProgram(
  runtime: Runtime,
  mode: OutputMode,
  args: readonly string[] = [],
): Promise<Program> {
  const tree = createCommandTree(runtime, mode);
  const { root } = tree;
  root
    .description(
      "Calls your company's services with your permissions. Nothing it prints ever contains a credential.",
    )
    .option("--json", "answer with JSON on stdout, failures as JSON on stderr")
    .option("--agent", "short, plain output for models")
    .option("--verbose", "show on stderr what is sent and received")
    .option("--profile <name>", "use a profile other than the default")
    .option("-V, --version", "show the version")
    .on("option:version", () => showVersion(runtime, mode))
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => runtime.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => runtime.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: (shown, help) =>
        formatHelp(shown, help, shown === root ? rootExamples : tree.examplesOf(shown)),
    });
  for (const load of commandsFor(args)) (await load())(tree);
  return {
    root,
    invocation: tree.invocation,
    run: async () => {
      try {
        await root.parseAsync([...args], { from: "user" });
      } catch (error) {
        if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
        const { usageError } = await import("./messages/usage-error.js");
        throw usageError(error, tree.stoppedAt());
      }
      return tree.exitCode();
    },
  };
}

/** Ends the command line early, as commander's own version option would, which wants to know the version at every start. */
function showVersion({ stdout, version }: Runtime, { json }: OutputMode): never {
  stdout.write(json ? `${JSON.stringify({ version: version() })}\n` : `${version()}\n`);
  throw new CommanderError(0, "commander.version", version());
}

function createCommandTree(runtime: Runtime, mode: OutputMode): CommandTree {
  const root = new Command("authz");
  const shown = new Map<Command, readonly string[]>();
  let code = 0;
  let stopped = root;
  let ran: unknown;
  const invocation = (): Invocation => {
    const { program, platform, env } = runtime;
    const { profile = nonEmpty(env.AUTHZ_PROFILE) } = root.opts<{ profile?: string }>();
    const login = ran instanceof Command && ran.name() === "login" ? repeatedLogin(ran, env) : nothing;
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
          runtime,
          output: createOutput(runtime, mode),
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

const nothing: Invocation["login"] = { words: [], variables: {} };

/** The options of a sign-in, so that the next one can have the same. */
function repeatedLogin(command: Command, env: Runtime["env"]): Invocation["login"] {
  const { issuer, device, browser } = command.opts<{
    issuer?: string;
    device?: boolean;
    browser?: boolean;
  }>();
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
