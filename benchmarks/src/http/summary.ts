import { layOutTable, median, mebibytes, medianOf } from "../frame.js";
import type { Figure } from "../table.js";

/** What one turn of one server showed. */
export interface Sample {
  readonly name: string;
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** What all rounds of one server showed, in comparison with the others of its framework. */
export interface Row {
  readonly name: string;
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
  /** CPU above the bare framework, and what that is in verifications of a signature. Not of the bare one itself. */
  readonly above: Estimate | undefined;
  readonly verifications: Estimate | undefined;
}

/** A median, and the interval in which the median of endless rounds of the same processes is, with a probability of 95 of 100. */
interface Estimate {
  readonly median: number;
  /** Not of fewer rounds than it takes for this probability. */
  readonly interval: { readonly from: number; readonly to: number } | undefined;
}

const fewestRounds = 6;

/**
 * Compares the servers of one framework round by round.
 *
 * @param rounds - of each round, the bare framework, the one with a verification, and those that are compared with it
 */
export function compareInRounds(rounds: readonly (readonly Sample[])[]): readonly Row[] {
  const cpu = (round: readonly Sample[], index: number) => round[index]?.cpuMicroseconds ?? Number.NaN;
  const [first = []] = rounds;
  return first.map(({ name }, index) => {
    const above = (round: readonly Sample[], place: number) => cpu(round, place) - cpu(round, 0);
    return {
      name,
      cpuMicroseconds: medianOf(rounds, (round) => cpu(round, index)),
      rssBytes: Math.max(...rounds.map((round) => round[index]?.rssBytes ?? 0)),
      above: index === 0 ? undefined : estimate(rounds.map((round) => above(round, index))),
      verifications:
        index < 2 ? undefined : estimate(rounds.map((round) => above(round, index) / above(round, 1))),
    };
  });
}

/** The turns of one server in a round, as one. */
export function takeTogether(turns: readonly Sample[]): Sample {
  const mean = (figure: (turn: Sample) => number) =>
    turns.reduce((sum, turn) => sum + figure(turn), 0) / turns.length;
  return {
    name: turns[0]?.name ?? "",
    cpuMicroseconds: mean((turn) => turn.cpuMicroseconds),
    rssBytes: mean((turn) => turn.rssBytes),
  };
}

/** Lays the rows out as a table. */
export function summarize(rows: readonly Row[]): string {
  const heading = ["", "CPU µs/req", "above bare", "in verifications", "95 of 100 within", "RSS MiB"];
  const cells = rows.map(({ name, cpuMicroseconds, rssBytes, above, verifications }) => [
    name,
    cpuMicroseconds.toFixed(0),
    above === undefined ? "" : `+${above.median.toFixed(1)}`,
    verifications === undefined ? "" : verifications.median.toFixed(2),
    formatInterval(verifications),
    mebibytes(rssBytes),
  ]);
  return layOutTable([heading, ...cells]).join("\n");
}

/** What each check costs above its bare framework, in verifications of a signature at the same place. */
export function figuresOf(rows: readonly Row[]): readonly Figure[] {
  return rows.flatMap(({ name, above, verifications }) => {
    if (above === undefined || verifications === undefined) return [];
    const [framework = "", check = ""] = name.split(" + ");
    const interval = formatInterval(verifications);
    return {
      what: `Check of a request over HTTP, ${check}, CPU`,
      figure: `${above.median.toFixed(0)} µs`,
      beside: `one verification of a signature on ${framework}`,
      ratio: `${verifications.median.toFixed(2)}${interval === "" ? "" : ` (${interval})`}`,
    };
  });
}

function formatInterval(estimated: Estimate | undefined): string {
  const interval = estimated?.interval;
  return interval === undefined ? "" : `${interval.from.toFixed(2)} to ${interval.to.toFixed(2)}`;
}

/** By the binomial distribution, whatever the values are distributed like. */
function estimate(values: readonly number[]): Estimate {
  if (values.length < fewestRounds) return { median: median(values), interval: undefined };
  const sorted = values.toSorted((one, other) => one - other);
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2) - 1);
  const [from = Number.NaN, to = Number.NaN] = [sorted[rank], sorted.at(-1 - rank)];
  return { median: median(values), interval: { from, to } };
}
