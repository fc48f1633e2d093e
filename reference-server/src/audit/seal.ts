import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "@authz/dpop/jws";
import type { AuditRecord } from "../store/audit-events.js";
import type { AuditSeal } from "../store/audit-seals.js";
import type { Store } from "../store/store.js";
import { auditLine } from "./canonical.js";

/** Where the chain begins: before the first event, after 32 zero bytes. */
export const chainStart: Link = { id: 0, lastEventId: "0", digest: Buffer.alloc(32) };

/** What a seal continues: the one before it, or the end of what was archived. */
export type Link = Pick<AuditSeal, "id" | "lastEventId" | "digest"> & { readonly sealedAt?: Date };

/** The key of the events' proofs. Write access to the database is not enough to make one. */
export function deriveEventKey(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "authz audit event", 32));
}

/** Seals the events that follow a link. `events` is not empty and in the order of the ids. */
export function createSeal(
  previous: Link,
  events: readonly AuditRecord[],
  {
    sealKey,
    at,
    unproven,
  }: { readonly sealKey: Buffer; readonly at: Date; readonly unproven: readonly string[] },
): AuditSeal {
  const last = events.at(-1);
  if (last === undefined) throw new TypeError("There is nothing to seal.");
  const content = {
    id: previous.id + 1,
    firstEventId: nextId(previous.lastEventId),
    lastEventId: last.id,
    eventCount: events.length,
    eventsDigest: digestEvents(events),
    previousDigest: previous.digest,
    sealedAt: at,
    unproven,
  };
  const digest = sealDigest(content);
  return { ...content, digest, mac: sealMac(digest, sealKey) };
}

/** SHA-256 over the events' lines, each ended by a line feed: the digest of that part of an export. */
export function digestEvents(events: readonly AuditRecord[]): Buffer {
  const hash = createHash("sha256");
  for (const event of events) hash.update(`${auditLine(event)}\n`);
  return hash.digest();
}

/** SHA-256 over a seal's line without its `digest` and `mac`. */
export function sealDigest(seal: Omit<AuditSeal, "digest" | "mac">): Buffer {
  return createHash("sha256")
    .update(canonicalJson(describeContent(seal)))
    .digest();
}

export function isMacOf(seal: AuditSeal, sealKey: Buffer): boolean {
  return isSame(seal.mac, sealMac(seal.digest, sealKey));
}

/** What proves that the server removed everything up to this seal, after it was archived. */
export function archiveMac({ id, lastEventId, digest }: Link, sealKey: Buffer): Buffer {
  const archivedThrough = { id, lastEventId, digest: digest.toString("hex") };
  return createHmac("sha256", sealKey).update(canonicalJson({ archivedThrough })).digest();
}

export function isArchiveMac(archived: Link & { readonly mac: Buffer }, sealKey: Buffer): boolean {
  return isSame(archived.mac, archiveMac(archived, sealKey));
}

/** A seal as one line of an export. Digests are in hexadecimal. */
export function sealLine(seal: AuditSeal): string {
  const { digest, mac } = seal;
  return canonicalJson({
    ...describeContent(seal),
    digest: digest.toString("hex"),
    mac: mac.toString("hex"),
  });
}

/** Seals after the one with this number, oldest first, read page by page. */
export async function* readSeals(
  store: Pick<Store, "auditSeals">,
  { afterId: start, pageSize = 1_000 }: { readonly afterId: number; readonly pageSize?: number },
): AsyncGenerator<AuditSeal> {
  let afterId = start;
  for (;;) {
    const page = await store.auditSeals.list({ afterId, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    afterId = last.id;
  }
}

export function nextId(id: string): string {
  return String(BigInt(id) + 1n);
}

function describeContent(seal: Omit<AuditSeal, "digest" | "mac">) {
  const { id, firstEventId, lastEventId, eventCount, eventsDigest, previousDigest, sealedAt, unproven } =
    seal;
  return {
    id,
    firstEventId,
    lastEventId,
    eventCount,
    eventsDigest: eventsDigest.toString("hex"),
    previousDigest: previousDigest.toString("hex"),
    sealedAt: sealedAt.toISOString(),
    unproven,
  };
}

function sealMac(digest: Buffer, sealKey: Buffer): Buffer {
  return createHmac("sha256", sealKey).update(digest).digest();
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
