import { hasType, JwsError, parseCompactJws, verifyEs256 } from "@authz/dpop/jws";
import type { Keys } from "../keys/keys.js";
import { apiAudience, inSeconds, tokenHeaders } from "./claims.js";

/** What an access or ID token of ours says, as far as this server asks. */
export interface OwnTokenClaims {
  readonly userId: string;
  readonly clientId: string;
  /** The log-in that the token comes from. */
  readonly grantId: string;
  /** Of an access token; empty for an ID token. */
  readonly scopes: readonly string[];
  /** The key that an access token is bound to; absent for a client that cannot use DPoP, and in an ID token. */
  readonly jkt: string | undefined;
  /** Of an access token. */
  readonly jti: string | undefined;
  readonly expiresAt: number;
}

/** What a machine's token for this server's own API says. */
export interface OwnMachineTokenClaims extends Pick<OwnTokenClaims, "clientId" | "scopes" | "expiresAt"> {
  readonly jkt: string;
  readonly jti: string;
}

/** Why a token is not a valid token of ours. */
export type OwnTokenFault =
  | "malformed"
  | "wrong_type"
  | "unknown_key"
  | "bad_signature"
  | "wrong_issuer"
  | "wrong_audience"
  | "expired"
  | "missing_claim";

/** A token is not one of ours, or no longer valid. */
export class OwnTokenError extends Error {
  override readonly name = "OwnTokenError";
  readonly reason: OwnTokenFault;
  constructor(reason: OwnTokenFault, options?: ErrorOptions) {
    super(`The token is refused: ${reason}.`, options);
    this.reason = reason;
  }
}

interface VerificationContext {
  readonly keys: Pick<Keys, "publicKey">;
  readonly issuer: string;
  readonly now: Date;
}

const maxTokenBytes = 8192;

/** Verifies an access token for this server's API. @throws {OwnTokenError} */
export function verifyOwnAccessToken(text: string, context: VerificationContext): OwnTokenClaims {
  const claims = verifySigned(text, tokenHeaders.accessToken.toLowerCase(), context);
  if (claims.aud !== apiAudience(context.issuer)) throw new OwnTokenError("wrong_audience");
  return {
    ...commonClaims(claims, claims.client_id),
    scopes: requireText(claims.scope).split(" "),
    jkt: claims.cnf === undefined ? undefined : requireText(keyOf(claims.cnf)),
    jti: requireText(claims.jti),
  };
}

/** Verifies an access token that a machine has for this server's API. @throws {OwnTokenError} */
export function verifyOwnMachineToken(text: string, context: VerificationContext): OwnMachineTokenClaims {
  const claims = verifySigned(text, tokenHeaders.accessToken.toLowerCase(), context);
  if (claims.aud !== apiAudience(context.issuer)) throw new OwnTokenError("wrong_audience");
  const clientId = requireText(claims.client_id);
  // A token of a person names its log-in, and another subject.
  if (claims.sub !== clientId || claims.sid !== undefined) throw new OwnTokenError("wrong_type");
  return {
    clientId,
    scopes: requireText(claims.scope).split(" "),
    jkt: requireText(keyOf(claims.cnf)),
    jti: requireText(claims.jti),
    expiresAt: claims.exp as number,
  };
}

/** Verifies an ID token; whom it was issued to is `clientId`. @throws {OwnTokenError} */
export function verifyOwnIdToken(text: string, context: VerificationContext): OwnTokenClaims {
  const claims = verifySigned(text, tokenHeaders.idToken.toLowerCase(), context);
  return { ...commonClaims(claims, claims.aud), scopes: [], jkt: undefined, jti: undefined };
}

function verifySigned(
  text: string,
  type: string,
  { keys, issuer, now }: VerificationContext,
): Record<string, unknown> {
  const jws = parse(text);
  if (!hasType(jws.header, type)) throw new OwnTokenError("wrong_type");
  const key = typeof jws.header.kid === "string" ? keys.publicKey(jws.header.kid) : undefined;
  if (key === undefined) throw new OwnTokenError("unknown_key");
  if (!verifyEs256(jws.signingInput, jws.signature, key)) throw new OwnTokenError("bad_signature");
  const claims: Record<string, unknown> = jws.payload;
  if (claims.iss !== issuer) throw new OwnTokenError("wrong_issuer");
  if (typeof claims.exp !== "number" || claims.exp <= inSeconds(now)) throw new OwnTokenError("expired");
  return claims;
}

function parse(text: string) {
  try {
    return parseCompactJws(text, { maxBytes: maxTokenBytes });
  } catch (cause) {
    if (cause instanceof JwsError) throw new OwnTokenError("malformed", { cause });
    throw cause;
  }
}

function commonClaims(claims: Record<string, unknown>, clientId: unknown) {
  return {
    userId: requireText(claims.sub),
    clientId: requireText(clientId),
    grantId: requireText(claims.sid),
    expiresAt: claims.exp as number,
  };
}

function keyOf(confirmation: unknown): unknown {
  return confirmation instanceof Object ? (confirmation as { jkt?: unknown }).jkt : undefined;
}

function requireText(value: unknown): string {
  if (typeof value !== "string") throw new OwnTokenError("missing_claim");
  return value;
}
