import type { Command } from "commander";
import { exitCodes } from "../exit-code.js";
import type { CommandTree } from "./command.js";

/** `authz help`, which does the same as the option. */
export function addHelp({ root, add }: CommandTree): void {
  add("help [command...]", "Show help, for everything or for one command.", [
    "authz help",
    "authz help request",
    "authz help skills show",
  ]).action((words: readonly string[]) => {
    commandAt(root, words).outputHelp();
  });
}

/** `authz version`, which does the same as the option. */
export function addVersion({ add, action }: CommandTree): void {
  add("version", "Show the version.", ["authz version"]).action(
    action(async ({ runtime, output }) => {
      const version = runtime.version();
      if (output.json) output.data({ version });
      else output.text(version);
      return await Promise.resolve(exitCodes.ok);
    }),
  );
}

/** @throws {CommanderError} There is no such command. */
function commandAt(from: Command, [word, ...rest]: readonly string[]): Command {
  if (word === undefined) return from;
  const below = from.commands.find((command) => command.name() === word);
  if (below !== undefined) return commandAt(below, rest);
  return from.error(`unknown command '${word}'`, { code: "commander.unknownCommand" });
}
