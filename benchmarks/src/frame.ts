/** What all benchmarks have in common: their options, whose turn it is, medians, tables. */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
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
  /** Hands the figures that count to whoever wants a table of all benchmarks. */
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
  keepTelling(Number(given["since"] ?? 0));
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

/** One of those that are compared. */
export interface Turn<Sample> {
  readonly name: string;
  /** Round 0 warms up: its sample is not counted. */
  take(round: number): Sample | Promise<Sample>;
}

/**
 * Everybody takes a turn in every round, so that a slow minute of the machine hits all alike.
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
      tell(`round ${round} of ${rounds}: ${turn.name}`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const sample = await turn.take(round);
      if (round > 0) samples[index]?.push(sample);
    }
    if (round > 0) longest = Math.max(longest, performance.now() - started);
  }
  tell("");
  return samples;
}

const tellEveryMs = 10_000;
let toldAt = 0;
let secondsBefore = 0;
let doing = "preparing";

/**
 * Says on stderr what goes on, and for how long this has been running: one line that is written over; where there is no terminal, a line
 * every ten seconds.
 */
export function tell(text: string): void {
  doing = text === "" ? "preparing what comes next" : text;
  const now = performance.now();
  const line = `${(secondsBefore + now / 1000).toFixed(0).padStart(4)} s  ${text}`;
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text === "" ? "" : line}`);
  } else if (text !== "" && now - toldAt >= tellEveryMs) {
    toldAt = now;
    process.stderr.write(`${line}\n`);
  }
}

/** What takes long is told again, so that nobody takes it for a standstill. */
function keepTelling(since: number): void {
  secondsBefore = since;
  setInterval(() => tell(doing), tellEveryMs).unref();
}

/** The value in the middle; `NaN` of nothing. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The median of one figure. */
export function medianOf<Sample>(
  samples: readonly Sample[],
  figure: (sample: Sample) => number | undefined,
): number {
  return median(samples.map((sample) => figure(sample) ?? Number.NaN));
}

/** Lays rows out in columns, the first one to the left and the figures to the right. */
export function layOutTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
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
