import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { createLoop, type Loop } from "../platform/jobs/loop.js";
import type { Store } from "../store/store.js";
import { hourMs } from "../platform/durations.js";

const storeSeconds = 10;

/** Counts how often the instructions of each skill are read. */
export interface SkillReadCounter extends Loop {
  /** Counts in memory. */
  readonly count: (skillId: string) => void;
  /** Adds what was counted to the database. */
  readonly flush: () => Promise<void>;
}

/**
 * Creates the counter. Counts are stored together every few seconds, so that reading a skill waits for no write; a killed process loses
 * the last ones.
 */
export function createSkillReadCounter({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, "auditSearch">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}): SkillReadCounter {
  let counts = new Map<string, number>();

  const flush = async () => {
    if (counts.size === 0) return;
    const counted = counts;
    counts = new Map();
    const hour = new Date(Math.floor(clock() / hourMs) * hourMs);
    try {
      await store.auditSearch.addSkillReads(
        [...counted].map(([skillId, count]) => ({ hour, skillId, count })),
      );
    } catch (error) {
      for (const [skillId, count] of counted) counts.set(skillId, (counts.get(skillId) ?? 0) + count);
      throw error;
    }
  };
  const onError = (err: unknown) =>
    log.warn(
      { code: "SKILL_READS_NOT_STORED", err },
      "The reads of skills could not be stored; trying again.",
    );
  const loop = createLoop({ everySeconds: storeSeconds, work: flush, onError });

  return {
    ...loop,
    count: (skillId) => void counts.set(skillId, (counts.get(skillId) ?? 0) + 1),
    flush,
    async stop() {
      await loop.stop();
      await flush().catch(onError);
    },
  };
}
