import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { inTurns, layOutTable, median } from "../frame.js";

/** One thing to measure. `prepare` makes the inputs and is not counted; `run` handles one of them. */
export interface Contender<Input> {
  readonly name: string;
  prepare(count: number): readonly Input[] | Promise<readonly Input[]>;
  run(input: Input): unknown;
}

/** What one contender costs: CPU time of the process (all threads) per operation, in microseconds. */
export interface Measurement {
  readonly name: string;
  readonly median: number;
  readonly best: number;
  /** Of the first contender in the same round; the median of all rounds. */
  readonly ofFirst: number;
}

export interface MeasureOptions {
  readonly rounds: number;
  readonly endAt: number;
  /** How many operations each contender has in a round. */
  readonly operations: number;
}

/**
 * Measures contenders side by side, and returns the medians of the rounds.
 *
 * In a round, each of a group takes a hundred operations, then the next one, there and back again: one that came seconds later would have
 * another machine. What is compared is of the same round. The groups are one behind the other: what costs ten times as much would leave the
 * others none of the processor's caches.
 *
 * One round before the first counted one warms up caches and compiler. Garbage of a round is part of its cost. The inputs
 * are not, so they have left the young generation before the round begins; a full collection would throw away compiled
 * code as well.
 */
export async function measureSideBySide(
  groups: readonly (readonly Contender<unknown>[])[],
  { operations, ...size }: MeasureOptions,
): Promise<{ readonly measurements: Measurement[]; readonly samples: readonly (readonly number[][])[] }> {
  const samples = await inTurns(
    [{ name: "all of them, side by side", take: () => takeRound(groups, operations) }],
    size,
  );
  const [rounds = []] = samples;
  const measurements = groups.flat().map(({ name }, index) => {
    const own = rounds.map((costs) => costs[index] ?? Number.NaN);
    const ofFirst = median(rounds.map((costs) => (costs[index] ?? Number.NaN) / (costs[0] ?? Number.NaN)));
    return { name, median: median(own), best: Math.min(...own), ofFirst };
  });
  return { measurements, samples };
}

/** Binds the type of the inputs, so that contenders with different ones fit into one list. */
export function defineContender<Input>(definition: Contender<Input>): Contender<unknown> {
  return definition;
}

/** Lays measurements out as a table, with the ratio to the first one. */
export function layOutMeasurements(measurements: readonly Measurement[]): readonly string[] {
  const rows = measurements.map(({ name, median: middle, best, ofFirst }) => [
    name,
    middle.toFixed(1),
    best.toFixed(1),
    `${ofFirst.toFixed(2)} ×`,
  ]);
  const head = ["", "CPU µs (median)", "best", `of "${measurements[0]?.name ?? ""}"`];
  return layOutTable([head, ...rows]);
}

const sliceOperations = 100;

/** CPU time of an operation of each. */
async function takeRound(
  groups: readonly (readonly Contender<unknown>[])[],
  operations: number,
): Promise<number[]> {
  const costs: number[] = [];
  for (const group of groups) {
    const turns = await Promise.all(
      group.map(async (contender) => ({ contender, inputs: await contender.prepare(operations), spent: 0 })),
    );
    // What survives twice is moved to the old generation.
    collectYoungGeneration();
    collectYoungGeneration();
    for (let start = 0; start < operations; start += sliceOperations) {
      const order = (start / sliceOperations) % 2 === 0 ? turns : turns.toReversed();
      for (const turn of order) await takeSlice(turn, start);
    }
    costs.push(...turns.map(({ spent }) => spent / operations));
  }
  return costs;
}

interface Turn {
  readonly contender: Contender<unknown>;
  readonly inputs: readonly unknown[];
  /** CPU time of the process so far, in microseconds. */
  spent: number;
}

async function takeSlice(turn: Turn, start: number): Promise<void> {
  const { contender, inputs } = turn;
  const before = process.cpuUsage();
  for (const input of inputs.slice(start, start + sliceOperations)) {
    const result = contender.run(input);
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  turn.spent += user + system;
}

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;

/** Without the old generation: that would throw away compiled code as well. */
export function collectYoungGeneration(): void {
  gc({ type: "minor" });
}
