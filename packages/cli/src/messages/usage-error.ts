import type { Command, CommanderError } from "commander";
import { exitCodes } from "../exit-code.js";
import { CliError } from "./cli-error.js";

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
    exitCode: exitCodes.usage,
    cause: error,
  });
}

function messageOf(error: CommanderError, command: Command): string {
  const message = error.message.replace(/^error: /, "");
  // Where commands could follow, a word too many is an unknown one.
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
  return near.length === 0 ? `Available: ${names.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/, "")}.`;
}

/** The words of a command after the program. */
function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** The candidates that a word may have meant: those that it begins, else those that take the fewest corrections, a third of it at most. */
function nearest(word: string, candidates: readonly string[]): readonly string[] {
  const begun = candidates.filter((candidate) => word.length > 1 && candidate.startsWith(word));
  if (begun.length > 0) return begun;
  const distances = candidates.map((candidate) => ({ candidate, distance: corrections(word, candidate) }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  if (least > Math.max(1, Math.floor(word.length / 3))) return [];
  return distances.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
}

/** How many letters have to be put in, left out, changed or swapped with the next one. */
function corrections(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const at = (rowsUp: number, columnsLeft: number): number =>
        (rowsUp === 0 ? current : rows[row - rowsUp])?.[column - columnsLeft] ?? Number.POSITIVE_INFINITY;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (same ? 0 : 1), swapped ? at(2, 2) + 1 : Infinity),
      );
    }
    rows.push(current);
  }
  return rows[from.length]?.[to.length] ?? Number.POSITIVE_INFINITY;
}
