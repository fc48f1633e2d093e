import { conditions, layOutTable, mebibytes, medianOf } from "../frame.js";
import type { Figure } from "../table.js";

/** What one run of one server showed. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

interface Row extends Sample {
  readonly name: string;
}

const columns = ["", "req/s", "of bare", "CPU µs/req", "above bare", "in verifications", "RSS MiB"] as const;

/** Lays out the medians as a table, with ratios to the bare framework and between the two checks on Express. */
export function summarize(names: readonly string[], samples: readonly (readonly Sample[])[]): string {
  const rows = names.map((name, index) => medianRow(name, samples[index] ?? []));
  const cells = rows.map((row) => {
    const { bare, above, verifications: inVerifications } = compareWithBare(row, rows);
    const compared = [
      (row.requestsPerSecond / bare.requestsPerSecond).toFixed(2),
      `+${above.toFixed(0)}`,
      inVerifications.toFixed(2),
    ];
    const [ofBare = "", aboveBare = "", verifications = ""] = bare === row ? [] : compared;
    const [rate, cpu] = [row.requestsPerSecond.toFixed(0), row.cpuMicroseconds.toFixed(0)];
    return [row.name, rate, ofBare, cpu, aboveBare, verifications, mebibytes(row.rssBytes)];
  });
  return [conditions(samples), "", ...layOutTable([[...columns], ...cells]), "", compare(rows)].join("\n");
}

/** What each check costs above its bare framework, in verifications of a signature at the same place. */
export function figuresOf(
  names: readonly string[],
  samples: readonly (readonly Sample[])[],
): readonly Figure[] {
  const rows = names.map((name, index) => medianRow(name, samples[index] ?? []));
  return rows
    .filter(({ name }) => name.includes(" + ") && !name.endsWith(" + one verification"))
    .map((row) => {
      const { above, verifications } = compareWithBare(row, rows);
      const [framework = "", check = ""] = row.name.split(" + ");
      return {
        what: `Check of a request over HTTP, ${check}, CPU`,
        figure: `${above.toFixed(0)} µs`,
        beside: `one verification of a signature on ${framework}`,
        ratio: verifications.toFixed(2),
      };
    });
}

function compareWithBare(
  row: Row,
  rows: readonly Row[],
): { readonly bare: Row; readonly above: number; readonly verifications: number } {
  const bare = rows.find(({ name }) => name === row.name.split(" + ")[0]) ?? row;
  const floor = rows.find(({ name }) => name === `${bare.name} + one verification`) ?? bare;
  const above = row.cpuMicroseconds - bare.cpuMicroseconds;
  return { bare, above, verifications: above / (floor.cpuMicroseconds - bare.cpuMicroseconds) };
}

function compare(rows: readonly Row[]): string {
  const find = (name: string): Row | undefined => rows.find((row) => row.name === name);
  const ours = find("express + @authz/express");
  const theirs = find("express + express-oauth2-jwt-bearer");
  const bare = find("express");
  if (ours === undefined || theirs === undefined || bare === undefined) return "";
  const throughput = ours.requestsPerSecond / theirs.requestsPerSecond;
  const cost =
    (theirs.cpuMicroseconds - bare.cpuMicroseconds) / (ours.cpuMicroseconds - bare.cpuMicroseconds);
  return (
    `On Express, @authz/express serves ${throughput.toFixed(1)} × the requests of express-oauth2-jwt-bearer ` +
    `and its check costs ${cost.toFixed(1)} × less CPU (which has no replay protection).`
  );
}

function medianRow(name: string, samples: readonly Sample[]): Row {
  return {
    name,
    requestsPerSecond: medianOf(samples, (sample) => sample.requestsPerSecond),
    cpuMicroseconds: medianOf(samples, (sample) => sample.cpuMicroseconds),
    rssBytes: Math.max(...samples.map((sample) => sample.rssBytes)),
  };
}
