import { hasType, isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { isIdentifier, isNumericDate, JwtError } from "@authz/dpop/jwt";
import { parseProviderJwt } from "../sign-in/provider-jwt.js";
import { type KeyedProvider, providerAlgorithms, type ProviderKeys } from "../sign-in/provider-keys.js";
import { SignalError, type SignalRefusal } from "./signal-error.js";

/** Maximum size of a token. */
export const maxTokenBytes = 64 * 1024;

/** Maximum difference between the sender's clock and this server's. */
const clockToleranceSeconds = 30;

/** Headers that bring a key, or point to one. The only keys are those of the issuer's key set. */
const keyHeaders = ["jwk", "jku", "x5c", "x5u"];

/** What a token must be, to be read. */
export interface TokenExpectations {
  /** The `typ`, lower case and without `application/`. */
  readonly type: "logout+jwt" | "secevent+jwt";
  /** The only accepted `iss`. */
  readonly issuer: string;
  /** The receiver's own `aud`. A list may have others (RFC 8417 §2.2). */
  readonly audience: string;
  readonly now: Date;
}

/** A token with what logout tokens and security event tokens have in common, checked. Its signature is not verified yet. */
export interface ReceivedToken {
  readonly token: string;
  readonly claims: JsonObject;
  readonly tokenId: string;
  readonly issuedAt: Date;
  /** The one event, by its type. */
  readonly eventType: string;
  readonly event: JsonObject;
}

/**
 * Parses a token strictly and checks everything that needs no key.
 *
 * @throws {SignalError} The first rule that is broken.
 */
export function readToken(token: string, expected: TokenExpectations): ReceivedToken {
  const { header, claims } = refusing(() => parseProviderJwt(token, maxTokenBytes));
  if (!hasType(header, expected.type)) throw new SignalError("type");
  const { alg } = header;
  if (typeof alg !== "string" || !providerAlgorithms.includes(alg)) throw new SignalError("algorithm");
  if (keyHeaders.some((name) => Object.hasOwn(header, name))) throw new SignalError("key_header");
  if (claims["iss"] !== expected.issuer) throw new SignalError("issuer");
  const { aud } = claims;
  if (aud !== expected.audience && !(Array.isArray(aud) && aud.includes(expected.audience)))
    throw new SignalError("audience");
  const { jti, iat, txn } = claims;
  if (!isIdentifier(jti)) throw new SignalError("id");
  if (!isNumericDate(iat)) throw new SignalError("dates");
  if (txn !== undefined && !isIdentifier(txn)) throw new SignalError("transaction");
  if (iat - expected.now.getTime() / 1000 > clockToleranceSeconds) throw new SignalError("not_yet_valid");
  return { token, claims, tokenId: jti, issuedAt: new Date(iat * 1000), ...readEvent(claims) };
}

/**
 * Verifies the signature of a token that was read.
 *
 * @throws {SignalError} `signature`
 * @throws {OAuthError} `temporarily_unavailable`: the keys cannot be fetched.
 */
export async function verifyToken(
  { token }: ReceivedToken,
  provider: KeyedProvider,
  keys: ProviderKeys,
): Promise<void> {
  if (!(await keys.isSigned(token, provider))) throw new SignalError("signature");
}

/**
 * The end of what an event at a time is about: what began here later came after it, and stays. A sender whose clock is behind must not spare
 * what it means, so the tolerance is added.
 */
export function reachOf(occurredAt: Date): Date {
  return new Date(occurredAt.getTime() + clockToleranceSeconds * 1000);
}

/** Runs a check that throws `JwtError`, and refuses with the reason of the same name. */
export function refusing<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof JwtError) throw new SignalError(cause.reason as SignalRefusal, { cause });
    throw cause;
  }
}

/** Exactly one (SSF 1.0 §4.2.1; a logout token has its one event by definition). */
function readEvent({ events }: JsonObject): Pick<ReceivedToken, "eventType" | "event"> {
  if (!isJsonObject(events)) throw new SignalError("events");
  const [first, ...others] = Object.entries(events);
  if (first === undefined || others.length > 0) throw new SignalError("events");
  const [eventType, event] = first;
  if (!isJsonObject(event)) throw new SignalError("events");
  return { eventType, event };
}
