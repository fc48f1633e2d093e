import type { AuditFence } from "../store/audit-seals.js";
import type { OpenStore } from "../store/store.js";
import { chainStart, createSeal } from "./seal.js";

/** Events that one seal covers at most. */
const sealSize = 1_000;

/** Seals that one run adds at most, so that a stopping process does not wait long. */
const sealsPerRun = 50;

export interface SealResult {
  readonly events: number;
  /** Whether everything behind the fence is sealed now. */
  readonly complete: boolean;
  /** The chain's last seal, when this run added one. */
  readonly head?: { readonly id: number; readonly lastEventId: string; readonly digest: string };
}

/** What is sealed with: kept apart from the store, whose owner must not be able to make seals. */
export interface Sealing {
  readonly sealKey: Buffer;
  readonly clock: () => number;
}

/**
 * Seals the events behind a settled fence; `undefined` while another process is sealing.
 *
 * Nobody waits for it: events are stored without a look at the chain.
 */
export async function sealEvents(
  store: OpenStore,
  fence: AuditFence,
  sealing: Sealing,
): Promise<SealResult | undefined> {
  return await store.exclusively("audit seals", () => sealThrough(store, fence.lastId, sealing));
}

async function sealThrough(
  store: OpenStore,
  throughId: string,
  { sealKey, clock }: Sealing,
): Promise<SealResult> {
  let previous: Parameters<typeof createSeal>[0] = (await store.auditSeals.last()) ?? chainStart;
  let result: SealResult = { events: 0, complete: false };
  for (let round = 0; round < sealsPerRun; round += 1) {
    const range = { afterId: previous.lastEventId, throughId, limit: sealSize };
    // oxlint-disable-next-line no-await-in-loop -- each seal needs the one before
    const events = await store.auditEvents.read(range);
    if (events.length === 0) return { ...result, complete: true };
    const seal = createSeal(previous, events, { sealKey, at: new Date(clock()) });
    // oxlint-disable-next-line no-await-in-loop -- each seal needs the one before
    if (!(await store.auditSeals.insert(seal))) return result;
    const { id, lastEventId, digest } = seal;
    result = {
      events: result.events + events.length,
      complete: events.length < sealSize,
      head: { id, lastEventId, digest: digest.toString("hex") },
    };
    if (result.complete) return result;
    previous = seal;
  }
  return result;
}
