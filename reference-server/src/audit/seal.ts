import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { AuditRecord } from "../store/audit-events.js";
import type { AuditSeal } from "../store/audit-seals.js";
import { auditLine, canonicalJson } from "./canonical.js";

/** Where the chain begins: before the first event, after 32 zero bytes. */
export const chainStart = { id: 0, lastEventId: "0", digest: Buffer.alloc(32) };

type Link = Pick<AuditSeal, "id" | "lastEventId" | "digest">;

/** The key of the seals' MACs. Whoever can write to the database but does not know the secret cannot reseal. */
export function deriveSealKey(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "authz audit seal", 32));
}

/** Seals the events that follow a link. `events` is not empty and in the order of the ids. */
export function createSeal(
  previous: Link,
  events: readonly AuditRecord[],
  { sealKey, at }: { readonly sealKey: Buffer; readonly at: Date },
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
  const expected = sealMac(seal.digest, sealKey);
  return seal.mac.length === expected.length && timingSafeEqual(seal.mac, expected);
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

export function nextId(id: string): string {
  return String(BigInt(id) + 1n);
}

function describeContent(seal: Omit<AuditSeal, "digest" | "mac">) {
  const { id, firstEventId, lastEventId, eventCount, eventsDigest, previousDigest, sealedAt } = seal;
  return {
    id,
    firstEventId,
    lastEventId,
    eventCount,
    eventsDigest: eventsDigest.toString("hex"),
    previousDigest: previousDigest.toString("hex"),
    sealedAt: sealedAt.toISOString(),
  };
}

function sealMac(digest: Buffer, sealKey: Buffer): Buffer {
  return createHmac("sha256", sealKey).update(digest).digest();
}
