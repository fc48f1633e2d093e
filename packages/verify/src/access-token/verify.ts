import type { Clock } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Auth } from "../auth.js";
import type { IssuerKeys } from "../discovery/issuer-keys.js";
import {
  checkAudience,
  checkLifetime,
  readClientId,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSubject,
  readTokenId,
} from "../jwt/claims.js";
import { checkSignature, type Jwt, type JwtKind, parseJwt, refuse } from "../jwt/jwt.js";
import type { SigningKeys } from "../keys/signing-keys.js";
import { createTokenCache } from "./cache.js";
import { accessTokenMaximumBytes, accessTokenSeconds, accessTokenType } from "./profile.js";

/** An access token that this service accepts, in the form that requests need. */
export interface VerifiedToken {
  readonly auth: Auth;
  readonly scopes: ReadonlySet<string>;
  /** The key that has to make the proofs; undefined for a Bearer token. */
  readonly keyThumbprint: string | undefined;
}

/** A verified token and the hash of its text, which is also what a proof's `ath` has to be. */
export interface HashedToken {
  readonly verified: VerifiedToken;
  readonly hash: string;
}

/** Verifies access tokens. */
export interface TokenVerifier {
  /** Answers at once for a token seen before, without a promise on the way. */
  verify(token: string): HashedToken | Promise<HashedToken>;
}

/** Whose tokens are accepted, and for what. */
export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly resource: string;
  readonly signingKeys: SigningKeys;
  readonly issuerKeys: IssuerKeys;
  readonly clock: Clock;
}

const kind: JwtKind = { code: "invalid_token", type: accessTokenType, maxBytes: accessTokenMaximumBytes };
const machineTokenMaximumSeconds = 3600;

/** A token is verified again after this, so that a key that was withdrawn does not live on in the cache. */
const recheckSeconds = 300;

/**
 * Creates the verifier of this service's own access tokens and of those that the issuer gives to machines.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 | RFC 9068 §4}
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const cache = createTokenCache();

  async function verifyNew(token: string, hash: string): Promise<HashedToken> {
    const verified = await verifyToken(token, options);
    const now = Math.floor(options.clock() / 1000);
    cache.set(hash, verified, {
      // Claims as text, their parsed form and the entry itself: about three times the token.
      bytes: 3 * token.length,
      until: Math.min(verified.auth.expiresAt, now + recheckSeconds),
    });
    return { verified, hash };
  }

  return {
    verify(token) {
      const hash = sha256Base64url(token);
      const verified = cache.get(hash, Math.floor(options.clock() / 1000));
      return verified === undefined ? verifyNew(token, hash) : { verified, hash };
    },
  };
}

async function verifyToken(token: string, options: TokenVerifierOptions): Promise<VerifiedToken> {
  const jwt = parseJwt(token, kind);
  switch (jwt.claims["iss"]) {
    case options.publicOrigin:
      checkSignature(jwt, await options.signingKeys.find(jwt.kid));
      return readToken(jwt, options, "user");
    case options.issuer:
      checkSignature(jwt, await options.issuerKeys.find(jwt.kid));
      return readToken(jwt, options, "machine");
    default:
      return refuse(jwt, "jwt_issuer");
  }
}

function readToken(jwt: Jwt, options: TokenVerifierOptions, type: "user" | "machine"): VerifiedToken {
  const now = Math.floor(options.clock() / 1000);
  checkAudience(jwt, options.resource);
  const { expiresAt } = checkLifetime(
    jwt,
    now,
    type === "user" ? accessTokenSeconds : machineTokenMaximumSeconds,
  );
  const subject = readSubject(jwt);
  const clientId = readClientId(jwt);
  if (type === "machine") checkMachine(jwt, subject, clientId);
  const scopes = Object.freeze(readScopes(jwt));
  const auth = Object.freeze({
    identity: Object.freeze({ type, subject, ...readProfile(jwt) }),
    scopes,
    clientId,
    tokenId: readTokenId(jwt),
    expiresAt,
  });
  return { auth, scopes: new Set(scopes), keyThumbprint: readKeyThumbprint(jwt) };
}

/** The issuer's own access tokens for people are for the issuer. What it signs for us is for machines. */
function checkMachine(jwt: Jwt, subject: string, clientId: string): void {
  if (subject !== clientId) refuse(jwt, "jwt_subject");
  if (jwt.claims["email"] !== undefined || jwt.claims["name"] !== undefined) refuse(jwt, "jwt_profile");
}
