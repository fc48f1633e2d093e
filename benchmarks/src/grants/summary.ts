import { layOutTable, mebibytes, medianOf } from "../frame.js";
import type { Figure } from "../table.js";
import type { Workload } from "./load.js";

/** One round of one workload on one contender. */
export interface Sample {
  readonly perSecond: number;
  readonly serverMicroseconds: number;
  readonly databaseMicroseconds: number | undefined;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
}

export interface Row {
  readonly name: string;
  readonly samples: readonly Sample[];
  /** What one request sends to the database, in order. */
  readonly roundTrips: readonly string[] | undefined;
}

const columns = [
  "",
  "req/s",
  "of floor",
  "server CPU µs",
  "database CPU µs",
  "p50 ms",
  "p99 ms",
  "round trips",
];
const titles: Readonly<Record<Workload, string>> = {
  refresh: "Refresh with rotation",
  code: "Redemption of a code",
  exchange: "Token exchange",
};

export function titleOf(workload: Workload): string {
  return titles[workload];
}

/** One table: medians of all rounds, and what each request says to the database. */
export function summarize(workload: Workload, rows: readonly Row[]): string {
  const floor = rows.find(({ name }) => name === floorName);
  const cells = rows.map(({ name, samples, roundTrips }) => {
    const of = (member: keyof Sample) => medianOf(samples, (sample) => sample[member]);
    const part =
      floor === undefined
        ? Number.NaN
        : of("perSecond") / medianOf(floor.samples, ({ perSecond }) => perSecond);
    return [
      name,
      format(of("perSecond"), 0),
      name === floorName ? "" : format(part, 2),
      format(of("serverMicroseconds"), 0),
      format(of("databaseMicroseconds"), 0),
      format(of("medianMilliseconds"), 1),
      format(of("p99Milliseconds"), 1),
      roundTrips === undefined ? "" : String(roundTrips.length),
    ];
  });
  const statements = rows.flatMap(({ name, roundTrips = [] }) =>
    roundTrips.length === 0 ? [] : [`  ${name}: ${roundTrips.join(", ")}`],
  );
  return [titleOf(workload), "", ...layOutTable([columns, ...cells]), "", ...statements].join("\n");
}

export const floorName = "PostgreSQL alone";

function format(value: number, digits: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(digits);
}

/** Beside oidc-provider with PostgreSQL; where it cannot do that, beside the database alone. */
export function figureOf(workload: Workload, rows: readonly Row[]): Figure {
  const rate = ({ samples }: Row) => medianOf(samples, ({ perSecond }) => perSecond);
  const own = rows.find(({ name }) => name === "authz-server");
  const other =
    rows.find(({ name }) => name === "oidc-provider, PostgreSQL") ??
    rows.find(({ name }) => name === floorName);
  if (own === undefined || other === undefined) throw new RangeError("Nothing to compare.");
  return {
    what: `${titleOf(workload)}, requests per second`,
    figure: format(rate(own), 0),
    beside: other.name,
    ratio: format(rate(own) / rate(other), 2),
  };
}

/** The goal: at least four times the refreshes of oidc-provider with PostgreSQL, in the same run. */
export function compareRefreshes(rows: readonly Row[]): string {
  const rate = (name: string) =>
    medianOf(rows.find((row) => row.name === name)?.samples ?? [], ({ perSecond }) => perSecond);
  const ratio = rate("authz-server") / rate("oidc-provider, PostgreSQL");
  return Number.isNaN(ratio)
    ? ""
    : `authz-server refreshes ${ratio.toFixed(1)} × as often as oidc-provider with PostgreSQL.\n`;
}

export function compareMemory(
  contenders: readonly { readonly name: string; readonly idleBytes: number }[],
): string {
  const each = contenders.map(({ name, idleBytes }) => `${name} ${mebibytes(idleBytes)} MiB`);
  return `Resident memory after the start: ${each.join(", ")}.`;
}
