/** What all benchmarks have in common: their options, whose turn it is, medians, tables. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";

export interface Options {
  readonly short: boolean;
  readonly rounds: number;
  /** Of one turn. */
  readonly seconds: number;
  /** The benchmark's own options. */
  readonly own: Readonly<Record<string, string | undefined>>;
}

/** Reads `--short`, `--rounds`, `--seconds` and the benchmark's own options. Defaults: in full, and with `--short`. */
export function readOptions(
  defaults: {
    readonly rounds: readonly [full: number, short: number];
    readonly seconds?: readonly [full: number, short: number];
  },
  own: readonly string[] = [],
): Options {
  const { values } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      ...Object.fromEntries(["rounds", "seconds", ...own].map((name) => [name, { type: "string" as const }])),
    },
  });
  const given = values as Readonly<Record<string, string | boolean | undefined>>;
  const short = given["short"] === true;
  const size = (name: "rounds" | "seconds") =>
    Number(given[name] ?? defaults[name]?.[short ? 1 : 0] ?? Number.NaN);
  return {
    short,
    rounds: size("rounds"),
    seconds: size("seconds"),
    own: given as Readonly<Record<string, string | undefined>>,
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
 * @returns The samples of each, in the order given.
 */
export async function inTurns<Sample>(
  turns: readonly Turn<Sample>[],
  rounds: number,
): Promise<readonly (readonly Sample[])[]> {
  const samples = turns.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, turn] of turns.entries()) {
      tell(`round ${round} of ${rounds}: ${turn.name}`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const sample = await turn.take(round);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  tell("");
  return samples;
}

/** One line of a terminal that is written over; nothing elsewhere. */
export function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
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
export function conditions({ rounds }: Pick<Options, "rounds">, node: string = process.version): string {
  const load = loadavg().map((value) => value.toFixed(1));
  return `Node ${node}, ${rounds} rounds, load average ${load.join(" ")}.`;
}

export function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
