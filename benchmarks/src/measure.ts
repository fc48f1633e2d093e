import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { inTurns, layOutTable, median } from "./frame.js";

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
}

export interface MeasureOptions {
  /** How often each contender takes its turn. */
  readonly rounds: number;
  readonly endAt: number;
  /** How many operations one turn has. */
  readonly operations: number;
}

/**
 * Measures contenders in turns, so that a slow minute of the machine hits all of them, and returns the medians.
 *
 * One turn before the first counted one warms up caches and compiler. Garbage of a turn is part of its cost. The inputs
 * are not, so they have left the young generation before the turn begins; a full collection would throw away compiled
 * code as well.
 */
export async function measureInterleaved(
  contenders: readonly Contender<unknown>[],
  options: MeasureOptions,
): Promise<{ readonly measurements: Measurement[]; readonly samples: readonly (readonly number[])[] }> {
  const turns = contenders.map((contender) => ({
    name: contender.name,
    take: () => takeTurn(contender, options.operations),
  }));
  const samples = await inTurns(turns, options);
  return {
    measurements: contenders.map(({ name }, index) => summarize(name, samples[index] ?? [])),
    samples,
  };
}

/** Binds the type of the inputs, so that contenders with different ones fit into one list. */
export function defineContender<Input>(definition: Contender<Input>): Contender<unknown> {
  return definition;
}

/** Lays measurements out as a table, with the ratio to the first of the group they are compared with. */
export function formatTable(measurements: readonly Measurement[], base: Measurement): string {
  const rows = measurements.map((measurement) => [
    measurement.name,
    measurement.median.toFixed(1),
    measurement.best.toFixed(1),
    `${(measurement.median / base.median).toFixed(2)} ×`,
  ]);
  return layOutTable([["", "CPU µs (median)", "best", `of "${base.name}"`], ...rows]).join("\n");
}

async function takeTurn(contender: Contender<unknown>, operations: number): Promise<number> {
  const inputs = await contender.prepare(operations);
  // What survives twice is moved to the old generation.
  collectYoungGeneration();
  collectYoungGeneration();
  const before = process.cpuUsage();
  for (const input of inputs) {
    const result = contender.run(input);
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / inputs.length;
}

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;

/** Without the old generation: that would throw away compiled code as well. */
export function collectYoungGeneration(): void {
  gc({ type: "minor" });
}

function summarize(name: string, samples: readonly number[]): Measurement {
  return { name, median: median(samples), best: Math.min(...samples) };
}
