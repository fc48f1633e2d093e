import type { Command, CommanderError } from "commander";
import { CliError } from "../messages/cli-error.js";
import { EXIT } from "../exit-code.js";
import { nearest } from "./nearest.js";

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
    hint: "See how it is used",
    next: { do: "run", words: [...pathOf(command), "--help"], inEveryProfile: true },
    exitCode: EXIT.usage,
    cause: error,
  });
}

function messageOf(error: CommanderError, command: Command): string {
  const message = error.message.replace(/^error: /, "");
  // Where commands could follow, a word too many is one that nobody knows.
  const word =
    error.code === "commander.excessArguments" && command.commands.length > 0
      ? (command.args[0] ?? "")
      : /^unknown command '(.*?)'/s.exec(message)?.[1];
  return word === undefined ? message : `unknown command '${word}'\n${meant(word, command)}`;
}

function meant(word: string, command: Command): string {
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((below) => below.name());
  const near = nearest(word, names);
  return near.length === 0 ? `There are: ${names.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/, "")}.`;
}

/** The words of a command after the program. */
function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
