import { fixed, layOutTable, medianOf } from "../frame.js";
import type { Sample, Samples, Workload } from "./contender.js";

const titles: Readonly<Record<Workload, string>> = {
  refresh: "Refresh with rotation",
  code: "Redemption of a code",
  exchange: "Token exchange",
};

export function titleOf(workload: Workload): string {
  return titles[workload];
}

export interface Row {
  readonly workload: Workload;
  /** Of the participant, and what the row is called. */
  readonly name: string;
  readonly title: string;
  /** Cells behind the others. */
  readonly more?: readonly string[];
}

/** Medians of all rounds; the rate is compared with that of the participant `base`. */
export function layOutRates(
  samples: Samples,
  rows: readonly Row[],
  base: { readonly name: string; readonly column: string; readonly more?: readonly string[] },
): readonly string[] {
  const columns = ["", "req/s", base.column, "server CPU µs", "database CPU µs", "p50 ms", "p99 ms"];
  const cells = rows.map(({ workload, name, title, more = [] }) => {
    const of = (member: keyof Sample) => medianOf(samples(workload, name), (sample) => sample[member]);
    return [
      title,
      fixed(of("perSecond")),
      fixed(ratioOf(samples, workload, [name, base.name]), 2),
      fixed(of("serverMicroseconds")),
      fixed(of("databaseMicroseconds")),
      fixed(of("p50"), 1),
      fixed(of("p99"), 1),
      ...more,
    ];
  });
  return layOutTable([[...columns, ...(base.more ?? [])], ...cells]);
}

export function rateOf(samples: Samples, workload: Workload, name: string): number {
  return medianOf(samples(workload, name), ({ perSecond }) => perSecond);
}

/** How many requests one participant answers while the other one answers one. */
export function ratioOf(
  samples: Samples,
  workload: Workload,
  [name, other]: readonly [string, string],
): number {
  return rateOf(samples, workload, name) / rateOf(samples, workload, other);
}
