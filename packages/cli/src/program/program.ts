import { type Command, CommanderError } from "commander";
import type { Invocation } from "../messages/next-step.js";
import type { OutputMode } from "../output/output.js";
import type { Surroundings } from "../surroundings.js";
import { type CommandTree, createCommandTree } from "./command-tree.js";
import { addConnectionCommands } from "./connection-commands.js";
import { addHelpCommands } from "./help-commands.js";
import { formatHelp } from "./help.js";
import { addRequestCommands } from "./request-commands.js";
import { addSessionCommands } from "./session-commands.js";
import { addSetupCommands } from "./setup-commands.js";
import { addSkillCommands } from "./skill-commands.js";

const ROOT_EXAMPLES = [
  "authz login --issuer https://authz.example.com",
  "authz skills find contract",
  "authz skills show contracts.list",
  "authz request --scope contracts:read https://contracts.example.com/api/contracts",
];

/** The commands by the part of the program that describes them, in the order in which help lists them. */
const PARTS: readonly { names: readonly string[]; add: (tree: CommandTree) => void }[] = [
  { names: ["login", "logout", "status", "whoami"], add: addSessionCommands },
  { names: ["skills"], add: addSkillCommands },
  { names: ["request", "scopes", "why"], add: addRequestCommands },
  { names: ["connections"], add: addConnectionCommands },
  { names: ["config", "doctor", "completion", "mcp", "__complete"], add: addSetupCommands },
  { names: ["help", "version"], add: addHelpCommands },
];

/** The parts that a command line needs. What names no command, and what speaks about all of them, needs all. */
function partsFor(args: readonly string[]): typeof PARTS {
  const first = args.find((word) => !word.startsWith("-"));
  const part = PARTS.find(({ names }) => first !== undefined && names.includes(first));
  return part === undefined || first === "completion" || first === "help" ? PARTS : [part];
}

/**
 * The command line as it is understood. Each action loads its own module, so a command pays for nothing else.
 *
 * @param args What was typed, when it is known: only what it needs is described to commander.
 */
export function createProgram(
  surroundings: Surroundings,
  mode: OutputMode,
  args: readonly string[] = [],
): { root: Command; run: () => Promise<number>; invocation: () => Invocation } {
  const tree = createCommandTree(surroundings, mode);
  const { root } = tree;
  root
    .description(
      "Calls your company's services with your permissions. Nothing it prints ever contains a credential.",
    )
    .option("--json", "answer with JSON on stdout, failures as JSON on stderr")
    .option("--agent", "short, plain output for models")
    .option("--verbose", "tell on stderr what is sent and answered")
    .option("--profile <name>", "use another profile than the default one")
    .option("-V, --version", "show the version")
    .on("option:version", () => showVersion(surroundings, mode))
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => surroundings.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: (shown, help) =>
        formatHelp(shown, help, shown === root ? ROOT_EXAMPLES : tree.examplesOf(shown)),
    });
  for (const { add } of partsFor(args)) add(tree);
  return {
    root,
    invocation: tree.invocation,
    run: async () => {
      try {
        await root.parseAsync([...args], { from: "user" });
      } catch (error) {
        if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
        const { usageError } = await import("./usage-error.js");
        throw usageError(error, tree.stoppedAt());
      }
      return tree.exitCode();
    },
  };
}

/** Ends the command line early, as commander's own version option would, which wants to know the version at every start. */
function showVersion({ stdout, version }: Surroundings, { json }: OutputMode): never {
  stdout.write(json ? `${JSON.stringify({ version: version() })}\n` : `${version()}\n`);
  throw new CommanderError(0, "commander.version", version());
}
