import type { Logger } from "pino";
import { createLoop, type Loop } from "./loop.js";

/** Something that failed, and that fails for everybody for as long as the outage lasts. */
export interface Failure {
  readonly code: "DATABASE_AWAY" | "OVERLOADED";
  readonly message: string;
  readonly err: unknown;
}

/** One line for the first failure, one a minute with the number of those that followed, and one at the end. */
export interface OutageLog extends Loop {
  /** @param log - where the first one is written, such as the log of its request; the others are there at level debug. */
  readonly report: (failure: Failure, log: Pick<Logger, "error" | "debug">) => void;
  /** Says what is due. */
  readonly tell: () => void;
}

interface Outage {
  readonly begun: number;
  last: number;
  told: number;
  total: number;
  untold: number;
}

const minute = 60_000;
const lookSeconds = 5;

/**
 * Creates the log of what fails request by request. A thousand lines that all say the same would hide whatever else goes
 * wrong, and fill a disk.
 */
export function createOutageLog(options: {
  readonly log: Pick<Logger, "error" | "info">;
  readonly clock: () => number;
}): OutageLog {
  const { log, clock } = options;
  const outages = new Map<string, { readonly failure: Failure; readonly outage: Outage }>();

  function tellMore({ code, message, err }: Failure, outage: Outage): void {
    const { untold: count } = outage;
    Object.assign(outage, { untold: 0, told: clock() });
    log.error({ code, count, err }, `${message} ${count} more since the last line like this.`);
  }

  function tellEnd({ code, message }: Failure, { total: count, begun, last }: Outage): void {
    const seconds = Math.round((last - begun) / 1000);
    log.info({ code, count, seconds }, `It is over: "${message}" ${count} in all, in ${seconds} seconds.`);
  }

  function tell(): void {
    const now = clock();
    for (const [key, { failure, outage }] of outages) {
      if (outage.untold > 0 && now - outage.told >= minute) tellMore(failure, outage);
      if (now - outage.last < minute) continue;
      outages.delete(key);
      tellEnd(failure, outage);
    }
  }

  const loop = createLoop({ everySeconds: lookSeconds, work: async () => tell(), onError: () => undefined });
  return {
    ...loop,
    tell,
    report(failure, requestLog) {
      const now = clock();
      const { code, message, err } = failure;
      const key = `${code} ${message}`;
      const known = outages.get(key)?.outage;
      if (known === undefined) {
        outages.set(key, { failure, outage: { begun: now, last: now, told: now, total: 1, untold: 0 } });
        requestLog.error({ code, err }, message);
        return;
      }
      Object.assign(known, { last: now, total: known.total + 1, untold: known.untold + 1 });
      outages.set(key, { failure, outage: known });
      requestLog.debug({ code, err }, message);
    },
    async stop() {
      await loop.stop();
      for (const { failure, outage } of outages.values()) if (outage.untold > 0) tellMore(failure, outage);
      outages.clear();
    },
  };
}
