import type { Command } from "commander";
import type { CommandHost } from "../../src/commands/command-host.js";
import type { ServerContext } from "../../src/context.js";

/** Runs a command of `authz-server` on a context, and returns what it prints and its exit code. */
export async function runCommand(
  create: (host: CommandHost) => Command,
  context: ServerContext,
  ...args: readonly string[]
): Promise<{ readonly text: string; readonly exitCode: number }> {
  let [text, exitCode] = ["", 0];
  const withContext: CommandHost["withReader"] = (work) => work(context);
  const command = create({
    withInstallation: withContext,
    withReader: withContext,
    print: (more) => void (text += more),
    async printLines(lines) {
      for await (const line of lines) text += line;
    },
    exitWith: (code) => void (exitCode = code),
  });
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: "user" });
  return { text, exitCode };
}
