import { median } from "../median.js";
import { layOutTable } from "../table.js";

/** What one run of one proxy showed. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  readonly privateBytes: number;
}

export interface Contender {
  readonly name: string;
  readonly samples: readonly Sample[];
}

const columns = ["", "req/s", "of nginx", "p99 ms", "CPU µs/req", "peak RSS MiB", "private MiB"];

/** Lays out the medians as a table, with the ratio to the first contender. */
export function summarize(contenders: readonly Contender[]): string {
  const base = middle(contenders[0]?.samples ?? [], "requestsPerSecond");
  const rows = contenders.map(({ name, samples }) => {
    const requestsPerSecond = middle(samples, "requestsPerSecond");
    return [
      name,
      requestsPerSecond.toFixed(0),
      (requestsPerSecond / base).toFixed(2),
      middle(samples, "p99Milliseconds").toFixed(1),
      middle(samples, "cpuMicroseconds").toFixed(0),
      mebibytes(Math.max(...samples.map(({ peakBytes }) => peakBytes))),
      mebibytes(Math.max(...samples.map(({ privateBytes }) => privateBytes))),
    ];
  });
  return [`Node ${process.version}, one core each`, "", ...layOutTable([columns, ...rows])].join("\n");
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

function middle(samples: readonly Sample[], figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]));
}
