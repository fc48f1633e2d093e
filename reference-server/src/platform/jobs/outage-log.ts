import type { Logger } from "pino";
import { createLoop, type Loop } from "./loop.js";
import { minuteMs } from "../durations.js";

/** A failure that every request meets while an outage lasts. */
export interface Failure {
  readonly code: "DATABASE_AWAY" | "OVERLOADED";
  readonly message: string;
  readonly err: unknown;
}

/** One line for the first failure, one a minute with the number of those that followed, and one at the end. */
export interface OutageLog extends Loop {
  /** @param log - gets the first failure, such as the log of its request, and the others at level debug. */
  readonly report: (failure: Failure, log: Pick<Logger, "error" | "debug">) => void;
  /** Writes the lines that are due. */
  readonly write: () => void;
}

interface Outage {
  readonly begun: number;
  last: number;
  reportedAt: number;
  total: number;
  unreported: number;
}

const everySeconds = 5;

/**
 * Creates the log of failures that hit request after request. A thousand equal lines would hide other problems, and fill a disk.
 */
export function createOutageLog(options: {
  readonly log: Pick<Logger, "error" | "info">;
  readonly clock: () => number;
}): OutageLog {
  const { log, clock } = options;
  const outages = new Map<string, { readonly failure: Failure; readonly outage: Outage }>();

  function writeMore({ code, message, err }: Failure, outage: Outage): void {
    const { unreported: count } = outage;
    Object.assign(outage, { unreported: 0, reportedAt: clock() });
    log.error({ code, count, err }, `${message} ${count} more since the last line like this.`);
  }

  function writeEnd({ code, message }: Failure, { total: count, begun, last }: Outage): void {
    const seconds = Math.round((last - begun) / 1000);
    log.info({ code, count, seconds }, `It is over: "${message}" ${count} in all, in ${seconds} seconds.`);
  }

  function write(): void {
    const now = clock();
    for (const [key, { failure, outage }] of outages) {
      if (outage.unreported > 0 && now - outage.reportedAt >= minuteMs) writeMore(failure, outage);
      if (now - outage.last < minuteMs) continue;
      outages.delete(key);
      writeEnd(failure, outage);
    }
  }

  const loop = createLoop({ everySeconds, work: async () => write(), onError: () => undefined });
  return {
    ...loop,
    write,
    report(failure, requestLog) {
      const now = clock();
      const { code, message, err } = failure;
      const key = `${code} ${message}`;
      const known = outages.get(key)?.outage;
      if (known === undefined) {
        outages.set(key, {
          failure,
          outage: { begun: now, last: now, reportedAt: now, total: 1, unreported: 0 },
        });
        requestLog.error({ code, err }, message);
        return;
      }
      Object.assign(known, { last: now, total: known.total + 1, unreported: known.unreported + 1 });
      outages.set(key, { failure, outage: known });
      requestLog.debug({ code, err }, message);
    },
    async stop() {
      await loop.stop();
      for (const { failure, outage } of outages.values())
        if (outage.unreported > 0) writeMore(failure, outage);
      outages.clear();
    },
  };
}
