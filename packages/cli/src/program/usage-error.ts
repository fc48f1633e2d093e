import type { Command, CommanderError } from "commander";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";

/** A command line that could not be understood, in our words; the command says whose help to read. */
export function usageError(error: CommanderError, command: Command): CliError {
  const [first = "", ...more] = messageOf(error, command).split("\n");
  const why = more
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  return new CliError("usage", {
    what: asSentence(first),
    ...(why === "" ? {} : { why }),
    hint: `See how it is used: ${pathOf(command)} --help`,
    exitCode: EXIT.usage,
    cause: error,
  });
}

function messageOf(error: CommanderError, command: Command): string {
  // Where commands could follow, a word too many is one that nobody knows.
  if (error.code === "commander.excessArguments" && command.commands.length > 0) {
    const names = command.commands.map((below) => below.name()).join(", ");
    return `unknown command '${command.args[0] ?? ""}'\nThere are: ${names}.`;
  }
  return error.message.replace(/^error: /, "");
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/, "")}.`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
