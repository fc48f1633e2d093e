import { conditions, layOutTable, mebibytes, medianOf } from "../frame.js";
import type { Figure } from "../table.js";

/** What one run of one proxy showed. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  readonly privateBytes: number;
}

const columns = ["", "req/s", "of nginx", "p99 ms", "CPU µs/req", "of nginx", "peak RSS MiB", "private MiB"];

/** Lays out the medians as a table, with the ratios to the first contender. */
export function summarize(names: readonly string[], measured: readonly (readonly Sample[])[]): string {
  const rows = names.map((name, index) => {
    const samples = measured[index] ?? [];
    return [
      name,
      rateOf(samples).toFixed(0),
      (rateOf(samples) / rateOf(measured[0])).toFixed(2),
      medianOf(samples, ({ p99Milliseconds }) => p99Milliseconds).toFixed(1),
      cpuOf(samples).toFixed(1),
      (cpuOf(samples) / cpuOf(measured[0])).toFixed(2),
      mebibytes(Math.max(...samples.map(({ peakBytes }) => peakBytes))),
      mebibytes(Math.max(...samples.map(({ privateBytes }) => privateBytes))),
    ];
  });
  return [`${conditions(measured)} One core each.`, "", ...layOutTable([columns, ...rows])].join("\n");
}

/** Requests per second beside the first contender. */
export function figuresOf(
  [first = "", ...names]: readonly string[],
  [base, ...measured]: readonly (readonly Sample[])[],
): readonly Figure[] {
  return names.map((name, index) => ({
    what: `Requests per second, ${name}`,
    figure: rateOf(measured[index]).toFixed(0),
    beside: first,
    ratio: (rateOf(measured[index]) / rateOf(base)).toFixed(2),
  }));
}

function cpuOf(samples: readonly Sample[] = []): number {
  return medianOf(samples, ({ cpuMicroseconds }) => cpuMicroseconds);
}

function rateOf(samples: readonly Sample[] = []): number {
  return medianOf(samples, (sample) => sample.requestsPerSecond);
}
