import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import type { Runtime } from "../runtime.js";
import { indentJson } from "@authz/agent-tools";
import { cleanLine, cleanText, escapeInvisible } from "@authz/skills/invisible";
import { tidyWhenInterrupted } from "../interruption.js";

type Tint = (text: string) => string;

/** Who reads the output: a person unless one of these is set. */
export interface OutputMode {
  json: boolean;
  agent: boolean;
  /** Tells on stderr what is sent and answered, without credentials. */
  verbose: boolean;
}

/** What is known under a label: one value, several, or nothing. */
export type Fact = readonly [label: string, value: string | readonly string[] | undefined];

/** Compact JSON texts by the name of the member that they are the value of. */
export type JsonTexts = Readonly<Record<string, string>>;

/** The two ways out of a command: data on stdout, everything else on stderr. All text is cleaned here. */
export interface Output {
  /** Whether the caller asked for JSON. */
  readonly json: boolean;
  /** Whether a model reads the output: short, plain and always cleaned. */
  readonly agent: boolean;
  /** One JSON document on stdout. `texts`: more members of it, whose values are JSON already and stay as they are written. */
  data(value: object, texts?: JsonTexts): void;
  /** Lines of text on stdout. */
  text(text: string): void;
  /** Facts with their labels on stdout, those that have a value; of several values each has a line. */
  facts(rows: readonly Fact[]): void;
  /** Columns on stdout: aligned with a head on a terminal, separated by tabs elsewhere. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** One line for the person on stderr. */
  note(line: string): void;
  /** A line that the next one replaces; nothing without a terminal. */
  progress(line: string): void;
  /** The same while something is waited for: what is answered with brings back the line before. */
  whileWaiting(line: string): () => void;
  readonly bold: Tint;
  readonly quiet: Tint;
  readonly warning: Tint;
}

/** Creates the output of one command. */
export function createOutput(runtime: Runtime, mode: OutputMode): Output {
  const { stdout, columns } = runtime;
  const stdoutIsTerminal = runtime.stdoutIsTerminal && !mode.agent;
  const stderrIsTerminal = runtime.stderrIsTerminal && !mode.agent;
  const colours = stderrIsTerminal && wantsColour(runtime) ? createColours() : undefined;
  const tint = (open: number, close: number): Tint => colours?.tint(open, close) ?? ((text) => text);
  const beforeText = (): void => {
    if (stderrIsTerminal) clearProgress(runtime.stderr);
  };
  return {
    json: mode.json,
    agent: mode.agent,
    data: (value, texts = {}) => {
      const json = withTexts(JSON.stringify(value), texts);
      write(stdout, `${escapeInvisible(stdoutIsTerminal ? indentJson(json) : json)}\n`);
    },
    text: (text) => {
      beforeText();
      const clean = cleanText(text);
      write(stdout, clean.endsWith("\n") ? clean : `${clean}\n`);
    },
    facts: (all) => {
      beforeText();
      const rows = all.filter(([, value]) => value?.length !== 0);
      const width = mode.agent ? 0 : Math.max(...rows.map(([label]) => label.length)) + 2;
      for (const [label, value = []] of rows)
        for (const [index, line] of (typeof value === "string" ? [value] : value).entries())
          write(stdout, `${labelled(index === 0 ? label : "", width)}${cleanLine(line)}\n`);
    },
    table: (head, rows) => {
      beforeText();
      const clean = rows.map((row) => row.map(cleanLine));
      write(stdout, stdoutIsTerminal ? aligned([head, ...clean], columns) : tabbed(clean));
    },
    note: (line) => {
      beforeText();
      runtime.stderr.write(`${colours?.paint(line) ?? cleanLine(line)}\n`);
    },
    progress: (line) => {
      if (stderrIsTerminal) showProgress(runtime.stderr, oneRow(line, columns));
    },
    whileWaiting: (line) => {
      if (!stderrIsTerminal) return () => undefined;
      const { stderr } = runtime;
      const before = progressOn(stderr);
      showProgress(stderr, oneRow(line, columns));
      return () => {
        if (before === undefined) clearProgress(stderr);
        else showProgress(stderr, before);
      };
    },
    bold: tint(1, 22),
    quiet: tint(2, 22),
    warning: tint(33, 39),
  };
}

function withTexts(json: string, texts: JsonTexts): string {
  const members = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return members.length === 0 ? json : `${json.slice(0, -1)},${members.join(",")}}`;
}

/** Colour is a second signal only: on a terminal, and never with `NO_COLOR`. */
function wantsColour({ env }: Runtime): boolean {
  return (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

/**
 * Colours for one line: first everything is cleaned, then our own marks become escape sequences. A mark has a name that no author of
 * to us can know, so what looks like colour in a string from elsewhere is written out like the rest.
 */
function createColours(): { tint: (open: number, close: number) => Tint; paint: (line: string) => string } {
  const name = randomUUID();
  const mark = (code: number): string => `<${name}:${String(code)}>`;
  const marks = new RegExp(`<${name}:(\\d+)>`, "g");
  return {
    tint: (open, close) => (text) => `${mark(open)}${text}${mark(close)}`,
    paint: (line) => cleanLine(line).replace(marks, "\u001b[$1m"),
  };
}

/** What is taken away again must not have wrapped. */
function oneRow(line: string, columns: number): string {
  return cleanLine(line).slice(0, columns - 1);
}

/** A label above or before its values; without a column it has a colon. */
function labelled(label: string, width: number): string {
  if (width > 0) return label.padEnd(width);
  return label === "" ? "  " : `${label}: `;
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

interface Line {
  text: string;
  keep: () => void;
}

// One terminal has one line, however many parts of a command write to it.
const lines = new WeakMap<Writable, Line>();

/** Shows a line that the next text replaces. When a signal ends the process first, it does not stay. */
function showProgress(stream: Writable, text: string): void {
  clearProgress(stream);
  // Before it is visible: Ctrl-C may follow at once.
  lines.set(stream, { text, keep: tidyWhenInterrupted(() => clearProgress(stream)) });
  stream.write(text);
}

/** Takes the line away. */
function clearProgress(stream: Writable): void {
  const line = lines.get(stream);
  if (line === undefined) return;
  lines.delete(stream);
  line.keep();
  stream.write("\r\u001b[2K");
}

/** The line that is shown now. */
function progressOn(stream: Writable): string | undefined {
  return lines.get(stream)?.text;
}
