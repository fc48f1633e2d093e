import type { ProtectedRequest } from "../../platform/http/protected-request.js";
import type { ProofChecker, VerifiedProof } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Keys } from "../keys/keys.js";
import { missingProof, readProof, replayedProof, replayRecord } from "../clients/proof.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { PersonRules } from "../../store/assignments.js";
import type { ActiveGrant, Grant, ShownAccess } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import { standingFault } from "../standing.js";
import { type OwnTokenClaims, OwnTokenError, verifyOwnAccessToken } from "./verify-own-token.js";

/** The authenticated caller and its grant. */
export interface AuthenticatedAccess {
  readonly user: User;
  /** The user's assignments that the database alone can resolve. */
  readonly rules: PersonRules;
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly clientId: string;
  /** The scopes that the client may ever be given; `null`: any. */
  readonly ceiling: readonly string[] | null;
  readonly tokenId: string;
  /** Whether the request has proven a key. */
  readonly keyProven: boolean;
  /** The audience of the token; `undefined`: this server's API. */
  readonly service: ActiveGrant["service"];
}

export interface AuthenticationDependencies {
  readonly store: Pick<Store, "grants" | "users" | "dpopReplays">;
  readonly keys: Pick<Keys, "publicKey">;
  readonly issuer: string;
  /** Identifier of the service that is the required audience and must be enabled. Default: this server's API. */
  readonly audience?: string;
  readonly now: Date;
  readonly proofChecker: ProofChecker;
}

/** A request with a valid token and proof, whose grant was not checked yet. */
export interface CheckedAccess {
  readonly claims: OwnTokenClaims;
  readonly proof: VerifiedProof | undefined;
  readonly shown: ShownAccess;
}

/**
 * Verifies the access token and the proof of a request to this server itself, and that their grant is alive and its client enabled,
 * so that revoking and disabling take effect at once.
 *
 * @throws {OAuthError} `unauthorized`, `invalid_request`, `invalid_token` or `invalid_dpop_proof`.
 * @throws {DatabaseUnavailableError} The request cannot be checked now; answered with 503.
 */
export async function authenticateAccessToken(
  request: ProtectedRequest,
  dependencies: AuthenticationDependencies,
): Promise<AuthenticatedAccess> {
  const checked = checkAccess(request, dependencies);
  return decideAccess(checked, await dependencies.store.grants.act(checked.shown), dependencies);
}

/** Verifies token and proof, without the store. @throws {OAuthError} */
export function checkAccess(
  request: ProtectedRequest,
  dependencies: Omit<AuthenticationDependencies, "store">,
): CheckedAccess {
  const { now, audience } = dependencies;
  const { scheme, token } = readCredentials(request);
  const claims = refusingToken(() => verifyOwnAccessToken(token, dependencies));
  const proof = scheme === "dpop" ? checkProof(request, token, dependencies) : undefined;
  if (proof?.thumbprint !== claims.jkt) {
    throw invalidToken(scheme === "dpop" ? "key_mismatch" : "bearer_scheme");
  }
  const shown = { id: claims.grantId, now, proof: proof && replayRecord(proof), service: audience };
  return { claims, proof, shown };
}

/** Decides with the stored grant. @throws {OAuthError} */
export function decideAccess(
  { claims, proof, shown }: CheckedAccess,
  found: ActiveGrant | undefined,
  {
    proofChecker,
    issuer,
  }: Pick<AuthenticationDependencies, "issuer"> & {
    readonly proofChecker: Pick<ProofChecker, "remember">;
  },
): AuthenticatedAccess {
  const { now, service: audience } = shown;
  if (found === undefined || found.grant.revokedAt !== null || found.grant.expiresAt <= now)
    throw invalidToken("grant_ended");
  const { ceiling, user, stopped, rules, proofTaken, service } = found;
  // A provider vouches for each sign-in anew, and each token describes its own.
  const grant = found.grant.providerId === null ? found.grant : { ...found.grant, ...claims.authentication };
  if (!user.enabled) throw invalidToken("user_disabled");
  const held = standingFault({ user, stopped, issuer });
  if (held !== undefined) throw held;
  if (audience !== undefined && service?.enabled !== true) throw invalidToken("service_disabled");

  if (proof !== undefined) {
    if (!proofTaken) throw replayedProof();
    proofChecker.remember(proof);
  }
  const { scopes, clientId, jti: tokenId = "" } = claims;
  return { user, rules, grant, scopes, clientId, ceiling, tokenId, keyProven: proof !== undefined, service };
}

/** The one access token of a request. @throws {OAuthError} */
export function readCredentials({ url, authorization }: ProtectedRequest): {
  readonly scheme: "dpop" | "bearer";
  readonly token: string;
} {
  const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  if (authorization.length > 1 || new URLSearchParams(query).has("access_token")) {
    throw new OAuthError(
      "invalid_request",
      "several_credentials",
      "Send the access token once, in the Authorization header.",
    );
  }
  // Spaces only (RFC 9110 §11.4): `trim()` would also remove no-break spaces.
  const [name = "", ...rest] = (authorization[0] ?? "").split(" ").filter((part) => part !== "");
  const scheme = name.toLowerCase();
  if (scheme !== "dpop" && scheme !== "bearer")
    throw new OAuthError("unauthorized", "no_credentials", "An access token is needed here.");
  const token = rest.length === 1 ? rest[0] : undefined;
  if (token === undefined) throw invalidToken("malformed_authorization");
  return { scheme, token };
}

/** Reports a token that is refused as `invalid_token`. @throws {OAuthError} */
export function refusingToken<T>(verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (error instanceof OwnTokenError) throw invalidToken(error.reason, error);
    throw error;
  }
}

/** Verifies the one proof of a request with an access token. @throws {OAuthError} */
export function checkProof(
  { method, url, dpop }: ProtectedRequest,
  token: string,
  { proofChecker, issuer }: Pick<AuthenticationDependencies, "proofChecker" | "issuer">,
): VerifiedProof {
  const path = url.split("?", 1)[0] ?? "/";
  const request = { dpop, method, url: `${issuer}${path}`, accessTokenHash: sha256Base64url(token) };
  const proof = readProof(request, proofChecker);
  if (proof === undefined) throw missingProof();
  return proof;
}

export function invalidToken(reason: string, cause?: unknown): OAuthError {
  const message = "The access token is not valid for this request. Refresh it, or sign in again.";
  return new OAuthError("invalid_token", reason, message, { cause });
}
