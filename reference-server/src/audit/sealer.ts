import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { AuditFence } from "../store/audit-seals.js";
import type { OpenStore } from "../store/store.js";
import { type Sealing, type SealResult, sealEvents } from "./seal-events.js";

const sealSeconds = 1;
const headSeconds = 60;
const delaySeconds = 300;
/** Events that one log line names. */
const namedEvents = 20;

/** Seals the audit trail while the server runs. */
export interface Sealer extends Loop {
  /** One round: seals the events stored before the previous round. */
  readonly run: () => Promise<void>;
  /** Events that this process has sealed. */
  readonly sealed: () => number;
}

export interface SealerContext extends Sealing {
  readonly store: OpenStore;
  readonly log: Pick<Logger, "info" | "warn">;
}

/**
 * Creates the sealer. Each round draws a fence through the trail and seals up to the fence of an earlier round
 * once every transaction that was writing at that moment has ended; so it never waits, and nothing can appear
 * behind it afterwards.
 */
export function createSealer(context: SealerContext): Sealer {
  const { store, log, clock } = context;
  let fence: (AuditFence & { readonly drawnAt: number; warned?: true }) | undefined;
  let completeThrough: string | undefined;
  let sealed = 0;
  let headAt = Number.NEGATIVE_INFINITY;

  const run = async () => {
    fence ??= { ...(await store.auditSeals.drawFence()), drawnAt: clock() };
    const { lastId } = fence;
    if (lastId !== completeThrough) {
      if (!(await store.auditSeals.isSettled(fence))) return warnOfDelay(fence);
      const result = await sealEvents(store, fence, context);
      if (result?.complete === true) completeThrough = lastId;
      sealed += result?.events ?? 0;
      reportUnproven(result?.unproven ?? []);
      reportHead(result?.head);
    }
    fence = undefined;
  };

  const warnOfDelay = (open: NonNullable<typeof fence>) => {
    if (open.warned || clock() - open.drawnAt < delaySeconds * 1000) return;
    open.warned = true;
    log.warn(
      { code: "AUDIT_SEAL_DELAYED", transactions: open.writers },
      "The audit trail cannot be sealed: a transaction that writes to it does not end.",
    );
  };

  const reportUnproven = (events: readonly string[]) => {
    if (events.length === 0) return;
    const named = events.slice(0, namedEvents);
    log.warn(
      { code: "AUDIT_EVENTS_FORGED", count: events.length, events: named },
      "The audit trail has events that this server did not record. Their seal says so.",
    );
  };

  /** The log is kept outside the database, so a head in it reveals later that the end of the chain was cut off. */
  const reportHead = (head: SealResult["head"]) => {
    if (head === undefined || clock() - headAt < headSeconds * 1000) return;
    headAt = clock();
    log.info({ code: "AUDIT_SEALED", ...head }, `The audit trail is sealed up to event ${head.lastEventId}.`);
  };

  const loop = createLoop({
    everySeconds: sealSeconds,
    work: run,
    onError: logFailures(log, { code: "AUDIT_SEAL_FAILED", message: "Sealing the audit trail failed." }),
  });
  return { ...loop, run, sealed: () => sealed };
}
