import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "@authz/dpop/jws";
import type { AuditRecord, AuditRow, EventProof, StampEvent } from "../store/audit-events.js";

const nonceBytes = 16;
/** Events are sealed seconds after they happened. An event this much older than the last seal was inserted later. */
const lateSeconds = 24 * 3600;

/**
 * Creates what proves that this server recorded an event: a random number, and an HMAC over it and the event.
 *
 * The id is not in it, because the database gives that out. So a row could be stored a second time with its proof; the
 * random number makes every proof unique, and a copy is found by it.
 */
export function createEventStamp(eventKey: Buffer): StampEvent {
  return (row) => {
    const nonce = randomBytes(nonceBytes);
    // As the database returns it: without what JSON cannot express, and with microseconds.
    const data = JSON.parse(JSON.stringify(row.data)) as AuditRow["data"];
    const at = row.at.toISOString().replace("Z", "000Z");
    return Buffer.concat([nonce, proofMac(nonce, { ...row, at, data }, eventKey)]);
  };
}

/** What the proof of an event is checked against. */
export interface ProofConditions {
  readonly eventKey: Buffer;
  /** When the seal before was made. */
  readonly sealedBefore: Date | undefined;
}

/** Whether the server recorded this event, once, and now. */
export function isProven(
  { id: _id, ...row }: AuditRecord,
  { mac, copied }: EventProof,
  { eventKey, sealedBefore }: ProofConditions,
): boolean {
  if (mac === null) return false;
  const expected = proofMac(mac.subarray(0, nonceBytes), row, eventKey);
  const given = mac.subarray(nonceBytes);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  const isLate =
    sealedBefore !== undefined && Date.parse(row.at) < sealedBefore.getTime() - lateSeconds * 1000;
  return !copied && !isLate;
}

function proofMac(nonce: Buffer, row: Omit<AuditRecord, "id">, eventKey: Buffer): Buffer {
  const { at, type, version, outcome, actorType, actorId, subject, clientId, requestId, data } = row;
  const line = canonicalJson({
    at,
    type,
    version,
    outcome,
    actorType,
    actorId,
    subject,
    clientId,
    requestId,
    data,
  });
  return createHmac("sha256", eventKey).update(nonce).update(line).digest();
}
