import { type Clock, nowInSeconds } from "../clock.js";
import { DpopError } from "../errors.js";
import type { JsonObject } from "../jws/strict-json.js";
import { isNumericDate } from "../jwt/claims.js";
import type { NonceSource } from "../nonces.js";
import { isSameTarget } from "./htu.js";

/** The request as the server knows it. */
export interface ExpectedRequest {
  readonly method: string;
  /** Absolute; query and fragment are ignored. */
  readonly url: string;
  /** `ath`: the base64url SHA-256 of the access token that came with the proof. */
  readonly accessTokenHash?: string;
}

/** The settings of a checker. */
export interface ClaimPolicy {
  readonly clock: Clock;
  readonly maxAgeSeconds: number;
  readonly clockToleranceSeconds: number;
  readonly nonces: NonceSource | undefined;
}

export interface CheckedClaims {
  readonly jti: string;
  readonly iat: number;
}

/**
 * Checks the claims of a proof, before any cryptography. `exp` and `nbf` are ignored.
 *
 * @throws {DpopError}
 */
export function checkClaims(
  claims: JsonObject,
  request: ExpectedRequest,
  policy: ClaimPolicy,
): CheckedClaims {
  checkTarget(claims, request);
  const iat = checkIssuedAt(claims["iat"], policy);
  const jti = checkJti(claims["jti"]);
  if (request.accessTokenHash !== undefined) checkAccessTokenHash(claims["ath"], request.accessTokenHash);
  if (policy.nonces !== undefined) checkNonce(claims["nonce"], policy.nonces);
  return { jti, iat };
}

function checkTarget(claims: JsonObject, request: ExpectedRequest): void {
  if (claims["htm"] !== request.method) throw new DpopError("wrong_method");
  const htu = claims["htu"];
  if (typeof htu !== "string" || !isSameTarget(htu, request.url)) throw new DpopError("wrong_url");
}

function checkIssuedAt(iat: unknown, policy: ClaimPolicy): number {
  if (!isNumericDate(iat)) throw new DpopError("invalid_iat");
  const now = nowInSeconds(policy.clock);
  const ageSeconds = now - iat;
  if (ageSeconds > policy.maxAgeSeconds) throw new DpopError("too_old", { ageSeconds });
  if (-ageSeconds > policy.clockToleranceSeconds) throw new DpopError("from_the_future", { ageSeconds });
  return iat;
}

function checkJti(jti: unknown): string {
  if (typeof jti !== "string" || jti.length === 0 || jti.length > 256 || hasControlCharacter(jti)) {
    throw new DpopError("invalid_jti");
  }
  return jti;
}

/** A loop, because it runs for every request and a regular expression costs more for so few characters. */
function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}

function checkAccessTokenHash(ath: unknown, expected: string): void {
  if (ath === undefined) throw new DpopError("missing_ath");
  if (ath !== expected) throw new DpopError("wrong_ath");
}

function checkNonce(nonce: unknown, nonces: NonceSource): void {
  if (nonce === undefined) throw new DpopError("missing_nonce");
  if (typeof nonce !== "string" || !nonces.accepts(nonce)) throw new DpopError("wrong_nonce");
}
