import { Argument } from "commander";
import { exitCodes } from "../exit-code.js";
import { loadConfig, pathsFor } from "../profile/config.js";
import { openClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";
import { shellScripts, knownShells, type Shell } from "./completion/scripts.js";
import { stepsOf, valueKinds, type ValueKind } from "./completion/steps.js";

/** `authz completion`: prints a script, made from the commands as they are. Values that change are asked for when they are needed. */
export function addCompletion({ root, add, action }: CommandTree): void {
  add("completion", "Print the completion script of a shell.", [
    'eval "$(authz completion bash)"             in ~/.bashrc',
    'eval "$(authz completion zsh)"              in ~/.zshrc',
    "authz completion fish | source              in ~/.config/fish/config.fish",
    "authz completion powershell | Out-String | Invoke-Expression",
  ])
    .addArgument(new Argument("<shell>").choices(knownShells))
    .action(
      action(async ({ runtime }, shell: Shell) => {
        runtime.stdout.write(shellScripts[shell](stepsOf(root)));
        return await Promise.resolve(exitCodes.ok);
      }),
    );
}

/** What the scripts ask for. */
export function addComplete({ root, action }: CommandTree): void {
  root
    .command("__complete", { hidden: true })
    .exitOverride()
    .addArgument(new Argument("<kind>").choices(valueKinds))
    .action(action(completeValues));
}

/** Prints the values that a shell may complete, one a line. Failures are silent: a shell that completes shows no errors. */
async function completeValues(context: CommandContext, kind: ValueKind): Promise<number> {
  const values = await valueSources[kind](context).catch(() => []);
  // Shells take such a list apart in their own ways, so only what means nothing to any of them is handed over.
  const plain = values.filter((value) => /^[a-zA-Z0-9][\w.-]*$/.test(value));
  if (plain.length > 0) context.output.text(plain.join("\n"));
  return exitCodes.ok;
}

const valueSources: Readonly<Record<ValueKind, (context: CommandContext) => Promise<readonly string[]>>> = {
  profiles: async ({ runtime }) => Object.keys((await loadConfig(pathsFor(runtime).config)).profiles),
  skills: async ({ runtime, profile }) => {
    const { client } = await openClient(runtime, profile);
    return (await client.skills()).map(({ id }) => id);
  },
  connections: async ({ runtime, profile }) => {
    const { client } = await openClient(runtime, profile);
    return (await client.connections.list()).map(({ connector }) => connector);
  },
};
