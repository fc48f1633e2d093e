import type { Clock } from "@authz/dpop";
import { type JsonObject, sha256Base64url } from "@authz/dpop/jws";
import {
  type Actor,
  checkAudience,
  checkLifetime,
  checkSignature,
  JwtError,
  type JwtKind,
  parseJwt,
  readActor,
  readClientId,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSessionId,
  readStatusIndex,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import type { Auth } from "../decision.js";
import { refusingJwt } from "../errors.js";
import type { IssuerKeys } from "../issuer/issuer-keys.js";
import type { StatusList } from "../issuer/status-list.js";
import type { SigningKeys } from "../keys/signing-keys.js";
import { MismatchError, matching } from "../mismatch.js";
import { createTokenCache, type KnownToken, type VerifiedToken } from "./cache.js";
import { accessTokenMaximumBytes, accessTokenSeconds, accessTokenType } from "./issue.js";
import { readTransaction } from "./transaction.js";

/** Verifies access tokens. */
export interface TokenVerifier {
  /**
   * The cached token of an `Authorization` line: `DPoP`, a space, and a bound token. Undefined for any other line, and for a token
   * that is not cached.
   */
  readonly recall: (line: string) => KnownToken | undefined;
  /** Verifies a token; returns a cached one without a promise. */
  verify(token: string): KnownToken | Promise<KnownToken>;
  /** The token from which this verifier made an `Auth`. Undefined for any other object. */
  tokenOf(auth: Auth): VerifiedToken | undefined;
}

/** The issuers, resource and keys of accepted tokens. */
export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly resource: string;
  readonly signingKeys: SigningKeys;
  readonly issuerKeys: IssuerKeys;
  readonly statusList: Pick<StatusList, "uri">;
  readonly clock: Clock;
}

const kind: JwtKind = { type: accessTokenType, maxBytes: accessTokenMaximumBytes };
const machineTokenMaximumSeconds = 3600;

/** Maximum time in the cache, so that tokens of a withdrawn key are refused. */
const recheckSeconds = 300;

/**
 * Creates the verifier of this service's own access tokens and of those that the issuer issues for it, to people and to
 * machines.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-4 | RFC 9068 §4}
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const cache = createTokenCache();
  const tokens = new WeakMap<Auth, VerifiedToken>();

  async function verifyNew(token: string): Promise<KnownToken> {
    const verified = await refusingJwt("invalid_token", () => verifyToken(token, options));
    tokens.set(verified.auth, verified);
    const now = Math.floor(options.clock() / 1000);
    const hash = sha256Base64url(token);
    const known: KnownToken = { verified, hash, proofKey: undefined, metPolicy: undefined };
    cache.set(token, known, {
      // Token, claims as JSON and parsed, the entry, and the header of a proof.
      bytes: 4 * token.length + 1024,
      until: Math.min(verified.auth.expiresAt, now + recheckSeconds),
    });
    return known;
  }

  return {
    recall: (line) => cache.getByLine(line, Math.floor(options.clock() / 1000)),
    verify: (token) => cache.get(token, Math.floor(options.clock() / 1000)) ?? verifyNew(token),
    tokenOf: (auth) => tokens.get(auth),
  };
}

async function verifyToken(token: string, options: TokenVerifierOptions): Promise<VerifiedToken> {
  const jwt = parseJwt(token, kind);
  switch (jwt.claims["iss"]) {
    case options.publicOrigin:
      checkSignature(jwt, await options.signingKeys.find(jwt.kid));
      return readToken(jwt.claims, options, "service");
    case options.issuer:
      checkSignature(jwt, await options.issuerKeys.find(jwt.kid));
      return readToken(jwt.claims, options, "issuer");
    default:
      throw new JwtError("issuer", { cause: new MismatchError("issuer", options.issuer, jwt.claims["iss"]) });
  }
}

function readToken(
  claims: JsonObject,
  { issuer, resource, statusList, clock }: TokenVerifierOptions,
  from: "service" | "issuer",
): VerifiedToken {
  matching("resource", resource, claims["aud"], () => checkAudience(claims, resource));
  const subject = readSubject(claims);
  const clientId = readClientId(claims);
  const actor = readActor(claims, issuer);
  const type = from === "issuer" ? checkHolder(claims, { subject, clientId, actor }) : "user";
  const now = Math.floor(clock() / 1000);
  const maximum = type === "user" ? accessTokenSeconds : machineTokenMaximumSeconds;
  const { expiresAt } = checkLifetime(claims, { now, maximum });
  const scopes = Object.freeze(readScopes(claims));
  const auth = Object.freeze({
    identity: Object.freeze({ type, subject, ...readProfile(claims) }),
    scopes,
    clientId,
    ...(actor !== undefined && { actor: Object.freeze(actor) }),
    tokenId: readTokenId(claims),
    expiresAt,
  });
  return {
    auth,
    scopes: new Set(scopes),
    keyThumbprint: readKeyThumbprint(claims),
    statusIndex: statusList.uri === undefined ? undefined : readStatusIndex(claims, statusList.uri),
    sessionId: readSessionId(claims),
    transaction: from === "issuer" ? readTransaction(claims) : refuseTransaction(claims),
  };
}

/** This service issues no tokens for one call. @throws {JwtError} `transaction` */
function refuseTransaction(claims: JsonObject): undefined {
  if (readTransaction(claims) !== undefined) throw new JwtError("transaction");
}

interface Holder {
  readonly subject: string;
  readonly clientId: string;
  readonly actor: Actor | undefined;
}

/**
 * Distinguishes the issuer's tokens for people and machines by two criteria that must agree, so that an app whose id equals a
 * person's subject passes as neither: a machine is its own subject and has no actor; for a person, the client is always the
 * actor.
 */
function checkHolder(claims: JsonObject, { subject, clientId, actor }: Holder): "user" | "machine" {
  if (subject !== clientId) {
    if (actor?.subject !== clientId) throw new JwtError("actor");
    return "user";
  }
  if (actor !== undefined) throw new JwtError("actor");
  if (["email", "name"].some((claim) => claims[claim] !== undefined)) throw new JwtError("profile");
  // Claims of a sign-in, which a machine does not have.
  if (["auth_time", "amr", "sid"].some((claim) => claims[claim] !== undefined)) throw new JwtError("subject");
  return "machine";
}
