import type { JsonObject } from "@authz/dpop/jws";
import type { SignalStream } from "../store/signal-streams.js";
import { readSignalEvent, type SignalEvent } from "./events.js";
import { readToken, type ReceivedToken } from "./provider-token.js";
import { SignalError } from "./signal-error.js";
import { type EventSubject, readSubject } from "./subject.js";

/** A security event token whose signature is not verified yet. */
export interface SecurityEvent extends ReceivedToken {
  readonly subject: EventSubject;
  readonly said: SignalEvent;
  /** When it happened: as the event says, or when the token was issued. Never later than that. */
  readonly occurredAt: Date;
  /** What the transmitter calls the transaction that the event belongs to. */
  readonly transaction: string | undefined;
}

/**
 * Parses a security event token strictly.
 *
 * @throws {SignalError}
 * @see {@link https://openid.net/specs/openid-sharedsignals-framework-1_0.html#section-4 | SSF 1.0 §4}
 */
export function readSecurityEvent(
  token: string,
  { stream, now }: { readonly stream: SignalStream; readonly now: Date },
): SecurityEvent {
  const { transmitter: issuer, audience } = stream;
  const received = readToken(token, { type: "secevent+jwt", issuer, audience, now });
  const { claims, eventType, event } = received;
  // SSF 1.0 §4.1: so that no event passes for a token of another kind.
  if (Object.hasOwn(claims, "sub") || Object.hasOwn(claims, "exp")) throw new SignalError("subject_claim");
  return {
    ...received,
    subject: readSubject(claims["sub_id"]),
    said: readSignalEvent(eventType, event),
    occurredAt: readOccurredAt(event, received.issuedAt),
    transaction: claims["txn"] as string | undefined,
  };
}

/** CAEP 1.0 §2: `event_timestamp` is in seconds. Milliseconds, which some transmitters send, are later than the token, and do not count. */
function readOccurredAt({ event_timestamp: timestamp }: JsonObject, issuedAt: Date): Date {
  if (timestamp === undefined) return issuedAt;
  if (typeof timestamp !== "number" || timestamp < 0) throw new SignalError("event");
  return new Date(Math.min(timestamp * 1000, issuedAt.getTime()));
}
