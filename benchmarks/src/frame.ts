/** What all benchmarks have in common: their options, their folder, whose turn it is, medians, tables. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { Figure } from "./table.js";

export interface Options {
  readonly quick: boolean;
  readonly rounds: number;
  /** Of one turn. */
  readonly seconds: number;
  /** When the rounds end at the latest, in milliseconds since this process began. */
  readonly endAt: number;
  /** The benchmark's own options. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Writes the figures for the table of all benchmarks. */
  readonly publish: (figures: readonly Figure[]) => void;
}

/**
 * Reads `--quick`, `--rounds`, `--seconds`, `--budget` (seconds for everything), `--since` (seconds that had gone by before, for the
 * progress), `--figures` (a file) and the benchmark's own options. Defaults: in full, and with `--quick`.
 */
export function readOptions(
  defaults: {
    readonly rounds: readonly [full: number, quick: number];
    readonly seconds?: readonly [full: number, quick: number];
  },
  own: readonly string[] = [],
): Options {
  const names = ["rounds", "seconds", "budget", "since", "figures", ...own];
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
    },
  });
  const given = values as Readonly<Record<string, string | boolean | undefined>>;
  const quick = given["quick"] === true;
  keepShowing(Number(given["since"] ?? 0));
  const size = (name: "rounds" | "seconds") =>
    Number(given[name] ?? defaults[name]?.[quick ? 1 : 0] ?? Number.NaN);
  return {
    quick,
    rounds: size("rounds"),
    seconds: size("seconds"),
    endAt: Number(given["budget"] ?? Number.POSITIVE_INFINITY) * 1000,
    own: given as Readonly<Record<string, string | undefined>>,
    publish: (figures) => {
      if (given["figures"] !== undefined) writeFileSync(String(given["figures"]), JSON.stringify(figures));
    },
  };
}

export interface Stoppable {
  stop(): unknown;
}

/** Where a benchmark works. */
export interface Workplace {
  /** Its own folder, removed at the end. */
  readonly folder: string;
  /** Stops this at the end, after what was started later. */
  readonly keep: <One extends Stoppable>(one: One) => One;
}

/** Runs a benchmark in a folder of its own, and stops at the end what it has started. */
export async function inWorkplace(work: (place: Workplace) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const running: Stoppable[] = [];
  try {
    await work({ folder, keep: (one) => (running.push(one), one) });
  } finally {
    for (const one of running.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One of those that are compared. */
export interface Turn<Sample> {
  readonly name: string;
  /** Round 0 warms up: its sample is not counted. */
  take(round: number): Sample | Promise<Sample>;
}

/**
 * All take a turn in every round, so that a slow minute of the machine hits all alike.
 *
 * @param size - how many rounds, and when there is no time for one more; one is always counted
 * @returns The samples of each, in the order given.
 */
export async function inTurns<Sample>(
  turns: readonly Turn<Sample>[],
  { rounds, endAt = Number.POSITIVE_INFINITY }: Pick<Options, "rounds"> & Partial<Pick<Options, "endAt">>,
): Promise<readonly (readonly Sample[])[]> {
  const samples = turns.map((): Sample[] => []);
  let longest = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    if (round > 1 && started + longest > endAt) break;
    for (const [index, turn] of turns.entries()) {
      showProgress(`round ${round} of ${rounds}: ${turn.name}`);
      const sample = await turn.take(round);
      if (round > 0) samples[index]?.push(sample);
    }
    if (round > 0) longest = Math.max(longest, performance.now() - started);
  }
  showProgress("");
  return samples;
}

const progressEveryMs = 10_000;
let shownAt = 0;
let secondsBefore = 0;
let doing = "preparing";

/**
 * Shows on stderr what is being done, and for how long this has been running: one line that is written over; without a terminal, a line
 * every ten seconds.
 */
export function showProgress(text: string): void {
  doing = text === "" ? "preparing what comes next" : text;
  const now = performance.now();
  const line = `${(secondsBefore + now / 1000).toFixed(0).padStart(4)} s  ${text}`;
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text === "" ? "" : line}`);
  } else if (text !== "" && now - shownAt >= progressEveryMs) {
    shownAt = now;
    process.stderr.write(`${line}\n`);
  }
}

/** Shows a long step again and again, so that it does not look like a standstill. */
function keepShowing(since: number): void {
  secondsBefore = since;
  setInterval(() => showProgress(doing), progressEveryMs).unref();
}

/** The value in the middle; `NaN` of nothing. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value that this part of all values does not exceed, as 0.99 for the 99th percentile; `NaN` of nothing. */
export function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * part)] ?? Number.NaN;
}

/** The median of one figure. */
export function medianOf<Sample>(
  samples: readonly Sample[] = [],
  figure: (sample: Sample) => number | undefined,
): number {
  return median(samples.map((sample) => figure(sample) ?? Number.NaN));
}

/** Formats a figure; an empty cell where there is none. */
export function fixed(value: number, digits = 0): string {
  return Number.isNaN(value) ? "" : value.toFixed(digits);
}

/** Lays rows out in columns, the first one to the left and the figures to the right. */
export function layOutTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** Writes lines to stdout. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** What the figures depend on. */
export function conditions(samples: readonly (readonly unknown[])[], node: string = process.version): string {
  const rounds = Math.min(...samples.map(({ length }) => length));
  const load = loadavg().map((value) => value.toFixed(1));
  return `Node ${node}, ${rounds} rounds, load average ${load.join(" ")}.`;
}

export function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
