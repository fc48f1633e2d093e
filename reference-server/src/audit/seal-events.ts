import type { AuditRecord } from "../store/audit-events.js";
import type { AuditFence } from "../store/audit-seals.js";
import type { OpenStore, Store } from "../store/store.js";
import { isProven } from "./event-proof.js";
import { chainStart, createSeal, type Link } from "./seal.js";
import type { OpenSealKey } from "./seal-key.js";

/** Events that one seal covers at most. */
const sealSize = 1_000;

/** Seals that one run adds at most, so that a stopping process does not wait long. */
const sealsPerRun = 50;

export interface SealResult {
  readonly events: number;
  /** Events among them that the server did not record. */
  readonly unproven: readonly string[];
  /** Whether everything behind the fence is sealed now. */
  readonly complete: boolean;
  /** The chain's last seal, when this run added one. */
  readonly head?: { readonly id: number; readonly lastEventId: string; readonly digest: string };
}

/** The keys and the clock. Apart from the store, whose owner must not be able to make seals. */
export interface Sealing {
  readonly openSealKey: OpenSealKey;
  readonly eventKey: Buffer;
  readonly clock: () => number;
}

/**
 * Seals the events behind a settled fence; `undefined` while another process is sealing.
 *
 * Storing events does not wait for it, and does not read the chain.
 */
export async function sealEvents(
  store: OpenStore,
  fence: AuditFence,
  sealing: Sealing,
): Promise<SealResult | undefined> {
  return await store.exclusively("audit seals", () => sealThrough(store, fence.lastId, sealing));
}

async function sealThrough(store: OpenStore, throughId: string, sealing: Sealing): Promise<SealResult> {
  const { openSealKey, eventKey, clock } = sealing;
  const sealKey = await openSealKey();
  let previous: Link = (await store.auditSeals.last()) ?? (await store.auditArchive.find()) ?? chainStart;
  let result: SealResult = { events: 0, unproven: [], complete: false };
  for (let round = 0; round < sealsPerRun; round += 1) {
    const range = { afterId: previous.lastEventId, throughId, limit: sealSize };
    const events = await store.auditEvents.read(range);
    if (events.length === 0) return { ...result, complete: true };
    const unproven = await findUnproven(events, previous, { store, eventKey });
    const seal = createSeal(previous, events, { sealKey, at: new Date(clock()), unproven });
    if (!(await store.auditSeals.insert(seal))) return result;
    const { id, lastEventId, digest } = seal;
    result = {
      events: result.events + events.length,
      unproven: [...result.unproven, ...unproven],
      complete: events.length < sealSize,
      head: { id, lastEventId, digest: digest.toString("hex") },
    };
    if (result.complete) return result;
    previous = seal;
  }
  return result;
}

/** The events that the server did not record. A seal names them, so that it vouches for the others only. */
async function findUnproven(
  events: readonly AuditRecord[],
  previous: Link,
  { store, eventKey }: { readonly store: Pick<Store, "auditEvents">; readonly eventKey: Buffer },
): Promise<readonly string[]> {
  const throughId = events.at(-1)?.id ?? previous.lastEventId;
  const proofs = await store.auditEvents.readProofs({ afterId: previous.lastEventId, throughId });
  const proofOf = new Map(proofs.map((proof) => [proof.id, proof]));
  const conditions = { eventKey, sealedBefore: previous.sealedAt };
  const missing = { mac: null, copied: false };
  return events
    .filter((event) => !isProven(event, proofOf.get(event.id) ?? { ...missing, id: event.id }, conditions))
    .map(({ id }) => id);
}
