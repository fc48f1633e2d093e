import type { KeyObject } from "node:crypto";
import { type JsonObject, sha256Base64url } from "@authz/dpop/jws";
import {
  checkIssuer,
  checkLifetime,
  checkSignature,
  isIdentifier,
  type Jwt,
  JwtError,
  type JwtErrorReason,
  parseJwt,
  readClientId,
  readKeyThumbprint,
  readScopes,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import { lifetimes } from "../../protocol/vocabulary.js";
import { readAuthentication } from "../../sign-in/identity.js";
import type { Grant } from "../../store/grants.js";
import type { Keys } from "../keys/keys.js";
import { apiAudience, inSeconds, tokenHeaders } from "./claims.js";
import { LRUCache } from "lru-cache";

/** The claims of an access or ID token of this server, as far as it uses them. */
export interface OwnTokenClaims {
  readonly userId: string;
  readonly clientId: string;
  /** The grant that the token comes from. */
  readonly grantId: string;
  /** Of an access token; empty for an ID token. */
  readonly scopes: readonly string[];
  /** The key that an access token is bound to; absent for a client that cannot use DPoP, and in an ID token. */
  readonly jkt: string | undefined;
  /** Of an access token. */
  readonly jti: string | undefined;
  /** When and how the user authenticated. */
  readonly authentication: Pick<Grant, "authTime" | "amr">;
  readonly expiresAt: number;
}

/** The claims of a machine's token for this server's own API. */
export interface OwnMachineTokenClaims extends Pick<OwnTokenClaims, "clientId" | "scopes" | "expiresAt"> {
  readonly jkt: string;
  readonly jti: string;
}

/** Why a token is not a valid token of this server. */
type OwnTokenFault =
  | "malformed"
  | "wrong_type"
  | "unknown_key"
  | "bad_signature"
  | "wrong_issuer"
  | "wrong_audience"
  | "expired"
  | "not_yet_valid"
  | "missing_claim";

/** A token is not one of this server's, or no longer valid. */
export class OwnTokenError extends Error {
  override readonly name = "OwnTokenError";
  readonly reason: OwnTokenFault;
  constructor(reason: OwnTokenFault, options?: ErrorOptions) {
    super(`The token is refused: ${reason}.`, options);
    this.reason = reason;
  }
}

/** The names of broken JWT rules in the audit trail. */
const faults: Readonly<Record<JwtErrorReason, OwnTokenFault>> = {
  malformed: "malformed",
  type: "wrong_type",
  key_id: "unknown_key",
  unknown_key: "unknown_key",
  signature: "bad_signature",
  issuer: "wrong_issuer",
  audience: "wrong_audience",
  dates: "expired",
  expired: "expired",
  not_yet_valid: "not_yet_valid",
  lifetime: "expired",
  subject: "missing_claim",
  client: "missing_claim",
  resource: "missing_claim",
  id: "missing_claim",
  scope: "missing_claim",
  profile: "missing_claim",
  actor: "missing_claim",
  confirmation: "missing_claim",
  status: "missing_claim",
  session: "missing_claim",
  transaction: "missing_claim",
};

interface VerificationContext {
  readonly keys: Pick<Keys, "publicKey">;
  readonly issuer: string;
  /** The required audience of an access token. Default: this server's API. */
  readonly audience?: string;
  readonly now: Date;
}

interface SignedClaims {
  readonly claims: JsonObject;
  readonly expiresAt: number;
}

const maxTokenBytes = 8192;

const accessToken = { type: tokenHeaders.accessToken, lifetime: lifetimes.accessToken };

/** Verifies an access token of a person for this server: its API, or its address for agents. @throws {OwnTokenError} */
export function verifyOwnAccessToken(token: string, context: VerificationContext): OwnTokenClaims {
  return refusing(() => {
    const signed = verifyAccessToken(token, context);
    const { claims } = signed;
    return {
      ...commonClaims(signed, readClientId(claims)),
      scopes: readScopes(claims),
      jkt: readKeyThumbprint(claims),
      jti: readTokenId(claims),
    };
  });
}

/**
 * Verifies an access token of this server for any audience, and returns its client and grant. A machine's token comes from no grant, and
 * neither does one for an assertion of a provider, except at the address for agents.
 *
 * @throws {OwnTokenError}
 */
export function verifyIssuedAccessToken(
  token: string,
  context: VerificationContext,
): { readonly clientId: string; readonly grantId: string | undefined } {
  return refusing(() => {
    const { claims } = verifySigned(token, accessToken, context);
    const grantId = claims.sid === undefined ? undefined : requireIdentifier(claims.sid);
    return { clientId: readClientId(claims), grantId };
  });
}

/** Verifies an access token that a machine has for this server's API. @throws {OwnTokenError} */
export function verifyOwnMachineToken(token: string, context: VerificationContext): OwnMachineTokenClaims {
  return refusing(() => {
    const { claims, expiresAt } = verifyAccessToken(token, context);
    const clientId = readClientId(claims);
    // A token of a person names its grant, and another subject.
    if (claims.sub !== clientId || claims.sid !== undefined) throw new OwnTokenError("wrong_type");
    const jkt = readKeyThumbprint(claims);
    if (jkt === undefined) throw new OwnTokenError("missing_claim");
    return { clientId, scopes: readScopes(claims), jkt, jti: readTokenId(claims), expiresAt };
  });
}

/** Verifies an ID token; `clientId` is its audience. @throws {OwnTokenError} */
export function verifyOwnIdToken(token: string, context: VerificationContext): OwnTokenClaims {
  return refusing(() => {
    const signed = verifySigned(token, { type: tokenHeaders.idToken, lifetime: lifetimes.idToken }, context);
    const clientId = requireIdentifier(signed.claims.aud);
    return { ...commonClaims(signed, clientId), scopes: [], jkt: undefined, jti: undefined };
  });
}

function verifyAccessToken(token: string, context: VerificationContext): SignedClaims {
  const signed = verifySigned(token, accessToken, context);
  // A token for one approved call is good for nothing else.
  if (signed.claims["txn"] !== undefined) throw new OwnTokenError("wrong_type");
  // This server writes a string, so a token with a list is not its own.
  if (signed.claims.aud !== (context.audience ?? apiAudience(context.issuer)))
    throw new OwnTokenError("wrong_audience");
  return signed;
}

function verifySigned(
  token: string,
  { type, lifetime }: { readonly type: string; readonly lifetime: number },
  { keys, issuer, now }: VerificationContext,
): SignedClaims {
  const jwt = parseJwt(token, { type: type.toLowerCase(), maxBytes: maxTokenBytes });
  checkSignatureOnce(jwt, token, keys.publicKey(jwt.kid));
  const { claims } = jwt;
  checkIssuer(claims, issuer);
  const { expiresAt } = checkLifetime(claims, { now: inSeconds(now), maximum: lifetime });
  return { claims, expiresAt };
}

function commonClaims({ claims, expiresAt }: SignedClaims, clientId: string) {
  const { authTime = null, amr } = readAuthentication(claims);
  return {
    userId: readSubject(claims),
    clientId,
    grantId: requireIdentifier(claims.sid),
    authentication: { authTime, amr },
    expiresAt,
  };
}

function requireIdentifier(value: unknown): string {
  if (!isIdentifier(value)) throw new OwnTokenError("missing_claim");
  return value;
}

function refusing<T>(verify: () => T): T {
  try {
    return verify();
  } catch (cause) {
    if (cause instanceof JwtError) throw new OwnTokenError(faults[cause.reason], { cause });
    throw cause;
  }
}

/** Tokens remembered per key: more than are in use at a time. */
const mostTokens = 10_000;

/** Hashes of whole tokens that each key has signed. */
const seen = new WeakMap<KeyObject, LRUCache<string, true>>();

/**
 * Checks the signature of a token, once for each token and key: an access token comes with many requests. Only the fact that the
 * signature is valid is remembered; every claim is judged each time.
 *
 * @throws {JwtError} `unknown_key` or `signature`
 */
function checkSignatureOnce(jwt: Jwt, token: string, key: KeyObject | undefined): void {
  const hash = sha256Base64url(token);
  if (key !== undefined && seen.get(key)?.get(hash) === true) return;
  checkSignature(jwt, key);
  if (key === undefined) return;
  const tokens = seen.get(key) ?? new LRUCache<string, true>({ max: mostTokens });
  seen.set(key, tokens.set(hash, true));
}
