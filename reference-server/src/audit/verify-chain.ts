import type { AuditRecord } from "../store/audit-events.js";
import type { AuditSeal } from "../store/audit-seals.js";
import type { Store } from "../store/store.js";
import {
  chainStart,
  digestEvents,
  isArchiveMac,
  isMacOf,
  type Link,
  nextId,
  readSeals,
  sealDigest,
} from "./seal.js";

/**
 * What is wrong with one seal.
 *
 * `seal_missing`: one before it is gone. `seal_changed`: its own row was edited. `seal_forged`: it was made
 * without the server's secret. `link_broken`: it does not continue the seal before it. `events_missing`,
 * `events_added`, `events_changed`: what it covers is not what was sealed. `event_forged`: the server did not record
 * this event, and the seal says so. `archive_forged`: what is missing at the beginning was not removed by the server.
 */
export type AuditFaultKind =
  | "seal_missing"
  | "seal_changed"
  | "seal_forged"
  | "link_broken"
  | "events_missing"
  | "events_added"
  | "events_changed"
  | "event_forged"
  | "archive_forged";

export interface AuditFault {
  readonly kind: AuditFaultKind;
  readonly sealId: number;
  readonly firstEventId: string;
  readonly lastEventId: string;
}

export interface ChainReport {
  readonly seals: number;
  readonly sealedEvents: number;
  /** Stored, but not sealed yet. */
  readonly unsealedEvents: number;
  /** Empty when nothing was edited, removed or inserted behind the last seal. */
  readonly faults: readonly AuditFault[];
  /** The end of the chain. Keep its digest elsewhere: it proves later that nothing was cut off. */
  readonly head: { readonly id: number; readonly digest: string } | undefined;
  /** The last seal that was archived and removed; the chain begins behind it. */
  readonly archive: { readonly id: number; readonly digest: string } | undefined;
  /** Whether a seal has the digest that was asked for; `undefined` when none was. */
  readonly containsDigest: boolean | undefined;
  /** Continue after this seal; `undefined` when the end of the chain is reached. */
  readonly nextAfter: number | undefined;
}

export interface VerifyOptions {
  readonly sealKey: Buffer;
  /** The digest of an earlier head, in hexadecimal. */
  readonly digest?: string;
  /** Events held in memory at a time. */
  readonly pageSize?: number;
  /** Begin after this seal, which an earlier part ended with. */
  readonly after?: AuditSeal;
  /** Stop at the end of the seal that reaches so many events. */
  readonly maxEvents?: number;
}

/**
 * Reads the audit trail once, in the order of its ids, and compares it with its seals: all of it, or a part when
 * `maxEvents` says so. Parts that follow each other find what the whole finds.
 */
export async function verifyAuditChain(
  store: Pick<Store, "auditArchive" | "auditEvents" | "auditSeals">,
  { sealKey, digest, pageSize = 2_000, after, maxEvents = Number.POSITIVE_INFINITY }: VerifyOptions,
): Promise<ChainReport> {
  // From below zero: only a forger gives out such ids.
  const reader = createReader(store, { pageSize, afterId: after?.lastEventId ?? "-9223372036854775808" });
  const archived = await store.auditArchive.find();
  const faults: AuditFault[] = [];
  if (after === undefined && archived !== undefined && !isArchiveMac(archived, sealKey)) {
    const { id: sealId, lastEventId } = archived;
    faults.push({ kind: "archive_forged", sealId, firstEventId: "1", lastEventId });
  }
  let previous: Link = after ?? archived ?? chainStart;
  let seals = 0;
  let sealedEvents = 0;
  let readEvents = 0;
  let contains = archived !== undefined && archived.digest.toString("hex") === digest;
  let complete = true;
  for await (const seal of readSeals(store, { pageSize, afterId: previous.id })) {
    const events = await reader.through(seal.lastEventId);
    seals += 1;
    sealedEvents += seal.eventCount;
    readEvents += events.length;
    contains ||= seal.digest.toString("hex") === digest;
    const found = { count: events.length, digest: digestEvents(events) };
    faults.push(...judgeSeal(seal, { previous, sealKey, found }));
    previous = seal;
    if (readEvents >= maxEvents) {
      complete = false;
      break;
    }
  }
  return {
    seals,
    sealedEvents,
    unsealedEvents: complete ? await reader.countRest() : 0,
    faults,
    archive: archived && { id: archived.id, digest: archived.digest.toString("hex") },
    head: previous.id === 0 ? undefined : { id: previous.id, digest: previous.digest.toString("hex") },
    containsDigest: digest === undefined ? undefined : contains,
    nextAfter: complete ? undefined : previous.id,
  };
}

/** The events found in the range of a seal. */
export interface FoundEvents {
  readonly count: number;
  /** As `digestEvents` makes it. */
  readonly digest: Buffer;
}

/** Compares one seal with the one before it and with its events, wherever they are kept. */
export function judgeSeal(
  seal: AuditSeal,
  {
    previous,
    sealKey,
    found,
  }: { readonly previous: Link; readonly sealKey: Buffer; readonly found: FoundEvents },
): readonly AuditFault[] {
  const { id: sealId, firstEventId, lastEventId, unproven } = seal;
  const kinds = [...judgeLink(seal, previous, sealKey), ...judgeEvents(seal, found)];
  const forged = unproven.map((id) => ({ firstEventId: id, lastEventId: id }));
  return [
    ...kinds.map((kind) => ({ kind, sealId, firstEventId, lastEventId })),
    ...forged.map((event) => ({ kind: "event_forged" as const, sealId, ...event })),
  ];
}

function judgeLink(seal: AuditSeal, previous: Link, sealKey: Buffer): AuditFaultKind[] {
  if (!seal.digest.equals(sealDigest(seal))) return ["seal_changed"];
  if (!isMacOf(seal, sealKey)) return ["seal_forged"];
  if (seal.id !== previous.id + 1) return ["seal_missing"];
  const continues =
    seal.previousDigest.equals(previous.digest) && seal.firstEventId === nextId(previous.lastEventId);
  return continues ? [] : ["link_broken"];
}

function judgeEvents(seal: AuditSeal, { count, digest }: FoundEvents): AuditFaultKind[] {
  if (count < seal.eventCount) return ["events_missing"];
  if (count > seal.eventCount) return ["events_added"];
  return seal.eventsDigest.equals(digest) ? [] : ["events_changed"];
}

/** Hands out the events up to a given id, reading page after page. */
function createReader(
  store: Pick<Store, "auditEvents">,
  { pageSize, afterId: start }: { readonly pageSize: number; readonly afterId: string },
) {
  let afterId = start;
  let ended = false;
  let page: readonly AuditRecord[] = [];

  async function fill(): Promise<boolean> {
    if (page.length > 0) return true;
    if (ended) return false;
    page = await store.auditEvents.read({ afterId, limit: pageSize });
    ended = page.length < pageSize;
    afterId = page.at(-1)?.id ?? afterId;
    return page.length > 0;
  }

  return {
    async through(lastId: string): Promise<readonly AuditRecord[]> {
      const last = BigInt(lastId);
      const events: AuditRecord[] = [];
      while (await fill()) {
        const beyond = page.findIndex(({ id }) => BigInt(id) > last);
        events.push(...page.slice(0, beyond === -1 ? page.length : beyond));
        page = beyond === -1 ? [] : page.slice(beyond);
        if (beyond !== -1) break;
      }
      return events;
    },
    async countRest(): Promise<number> {
      let count = 0;
      while (await fill()) {
        count += page.length;
        page = [];
      }
      return count;
    },
  };
}
