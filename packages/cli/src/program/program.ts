import { type Command, CommanderError } from "commander";
import type { OutputMode } from "../output/output.js";
import type { Surroundings } from "../surroundings.js";
import { createCommandTree } from "./command-tree.js";
import { addConnectionCommands } from "./connection-commands.js";
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

/** The command line as it is understood. Each action loads its own module, so a command pays for nothing else. */
export function createProgram(
  surroundings: Surroundings,
  mode: OutputMode,
): { root: Command; run: (args: readonly string[]) => Promise<number> } {
  const tree = createCommandTree(surroundings, mode);
  const { root } = tree;
  root
    .description(
      "Calls your company's services with your permissions. Nothing it prints ever contains a credential.",
    )
    .option("--json", "answer with JSON on stdout, failures as JSON on stderr")
    .option("--agent", "short, plain output for models")
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
  addSessionCommands(tree);
  addSkillCommands(tree);
  addRequestCommands(tree);
  addConnectionCommands(tree);
  addSetupCommands(tree);
  return {
    root,
    run: async (args) => {
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
