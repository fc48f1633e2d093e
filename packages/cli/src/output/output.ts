import type { Writable } from "node:stream";
import type { Surroundings } from "../surroundings.js";
import { cleanLine, cleanText, toSafeJson } from "./clean-text.js";

type Tint = (text: string) => string;

/** Who reads the output: a person unless one of these is set. */
export interface OutputMode {
  json: boolean;
  agent: boolean;
}

/** The two ways out of a command: data on stdout, everything else on stderr. All text is cleaned here. */
export interface Output {
  /** Whether the caller asked for JSON. */
  readonly json: boolean;
  /** Whether a model reads the output: short, plain and always cleaned. */
  readonly agent: boolean;
  /** One JSON document on stdout. */
  data(value: unknown): void;
  /** Lines of text on stdout. */
  text(text: string): void;
  /** Facts with their labels on stdout, those that have a value. */
  facts(rows: readonly (readonly [label: string, value: string | undefined])[]): void;
  /** Columns on stdout: aligned with a head on a terminal, separated by tabs elsewhere. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** One line for the person on stderr. */
  note(line: string): void;
  /** A line that the next one replaces; nothing without a terminal. */
  progress(line: string): void;
  readonly bold: Tint;
  readonly quiet: Tint;
  readonly warning: Tint;
}

/** Creates the output of one command. */
export function createOutput(surroundings: Surroundings, mode: OutputMode): Output {
  const { stdout, stderr, columns } = surroundings;
  const stdoutIsTerminal = surroundings.stdoutIsTerminal && !mode.agent;
  const stderrIsTerminal = surroundings.stderrIsTerminal && !mode.agent;
  const tint = (open: number, close: number): Tint =>
    stderrIsTerminal && wantsColour(surroundings)
      ? (text) => `\u001b[${String(open)}m${text}\u001b[${String(close)}m`
      : (text) => text;
  let progressShown = false;
  const clearProgress = (): void => {
    if (progressShown) stderr.write("\r\u001b[2K");
    progressShown = false;
  };
  return {
    ...mode,
    data: (value) => write(stdout, `${toSafeJson(value, stdoutIsTerminal ? 2 : undefined)}\n`),
    text: (text) => {
      clearProgress();
      const clean = cleanText(text);
      write(stdout, clean.endsWith("\n") ? clean : `${clean}\n`);
    },
    facts: (rows) => {
      clearProgress();
      const width = Math.max(...rows.map(([label]) => label.length)) + 2;
      for (const [label, value] of rows)
        if (value !== undefined) write(stdout, `${label.padEnd(width)}${cleanLine(value)}\n`);
    },
    table: (head, rows) => {
      clearProgress();
      const clean = rows.map((row) => row.map(cleanLine));
      write(stdout, stdoutIsTerminal ? aligned([head, ...clean], columns) : tabbed(clean));
    },
    note: (line) => {
      clearProgress();
      stderr.write(`${cleanExceptTints(line)}\n`);
    },
    progress: (line) => {
      if (!stderrIsTerminal) return;
      clearProgress();
      stderr.write(cleanLine(line));
      progressShown = true;
    },
    bold: tint(1, 22),
    quiet: tint(2, 22),
    warning: tint(33, 39),
  };
}

/** Colour is a second signal only: on a terminal, and never with `NO_COLOR`. */
function wantsColour({ env }: Surroundings): boolean {
  return (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

/** Our own colours are the only escape sequences that pass; everything between them is cleaned. */
function cleanExceptTints(line: string): string {
  return (
    line
      // oxlint-disable-next-line no-control-regex -- the escape character is what is looked for
      .split(/(\u001b\[(?:1|2|22|33|39)m)/)
      .map((part, index) => (index % 2 === 1 ? part : cleanLine(part)))
      .join("")
  );
}

function aligned(rows: readonly (readonly string[])[], columns: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line)).join("\n")}\n`;
}

function tabbed(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.join("\t")}\n`).join("");
}

function write(stream: Writable, text: string): void {
  if (text !== "") stream.write(text);
}
