import type { PrivateJwk } from "@authz/dpop";
import { AuthzClientError } from "../errors.js";
import type { KeptToken } from "../tokens/token-cache.js";
import { isJsonObject } from "@authz/dpop/jws";

/** Everything one sign-in left behind. It holds secrets: it lives in a store and in memory, nowhere else. */
export interface Session {
  version: 1;
  issuer: string;
  clientId: string;
  subject: string;
  email?: string;
  name?: string;
  signedInAt: number;
  privateJwk: PrivateJwk;
  idToken?: string;
  refreshToken: string;
  accessToken: KeptToken;
  /** Tokens for services, by resource and scopes. */
  serviceTokens: Record<string, KeptToken>;
}

/** What is left of a session that the server no longer accepts: why, so that every later call can say it. */
export interface EndedSession {
  version: 1;
  issuer: string;
  ended: string;
}

/** Reads what a store holds. A text of another version or shape counts as damaged. */
export function parseSession(text: string): Session | EndedSession {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(cause);
  }
  if (isEndedSession(value) || isSession(value)) return value;
  throw damaged();
}

export function isEnded(session: Session | EndedSession): session is EndedSession {
  return "ended" in session;
}

function isEndedSession(value: unknown): value is EndedSession {
  return (
    isJsonObject(value) &&
    value.version === 1 &&
    typeof value.issuer === "string" &&
    typeof value.ended === "string"
  );
}

function isSession(value: unknown): value is Session {
  return (
    isJsonObject(value) &&
    value.version === 1 &&
    [value.issuer, value.clientId, value.subject, value.refreshToken].every((x) => typeof x === "string") &&
    typeof value.signedInAt === "number" &&
    isJsonObject(value.privateJwk) &&
    isKeptToken(value.accessToken) &&
    isJsonObject(value.serviceTokens) &&
    Object.values(value.serviceTokens).every(isKeptToken)
  );
}

function isKeptToken(value: unknown): value is KeptToken {
  return isJsonObject(value) && typeof value.value === "string" && typeof value.expiresAt === "number";
}

function damaged(cause?: unknown): AuthzClientError {
  return new AuthzClientError("session_damaged", {
    what: "The stored session cannot be read.",
    why: "It is damaged, or another version of authz wrote it.",
    cause,
  });
}

/**
 * The short code of a device: the same eight characters that the consent page shows.
 *
 * @param thumbprint RFC 7638 thumbprint of the device key, base64url.
 */
export function deviceCode(thumbprint: string): string {
  return `${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`;
}
