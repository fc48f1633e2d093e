import { createHmac, hkdfSync } from "node:crypto";
import { OAuthError } from "../../protocol/oauth-error.js";
import { parseScope, requireParameter } from "../../protocol/parameters.js";
import { hashSecret } from "../../protocol/secrets.js";
import { grantTypes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { otherTarget, readResource } from "../requested-resource.js";
import type { Grant, RefreshToken, Successor } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import type { ExchangeTarget } from "../../store/token-requests.js";
import {
  type GrantContext,
  type GrantType,
  invalidGrant,
  type NextRefreshToken,
  type RequestContext,
  type Verdict,
} from "./grant.js";
import { issueTokens, tokenIssued } from "./issue-tokens.js";
import { endOfBasis, grantFault, keyFault, personBasis, resolvePerson } from "./person.js";
import { type Admission, admit, decidingScopes, isServiceScope } from "./service-access.js";

export interface RefreshInput {
  readonly refreshToken: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** The presented token with its grant and user. */
export interface RefreshSituation {
  readonly client: Client | undefined;
  readonly token: RefreshToken | undefined;
  /** The token that followed; `undefined` when this one was not used, or its successor is unknown. */
  readonly successor: Successor | undefined;
  readonly grant: Grant | undefined;
  readonly person: Permissions | undefined;
  readonly resource: Resource | undefined;
  readonly stopped: boolean;
}

/** The outcome of a permitted presentation of a refresh token, as a grant or as a subject token. */
export interface PresentationPermit extends Admission {
  readonly token: RefreshToken;
  readonly grant: Grant;
  readonly resource: Resource | undefined;
  /** The token was rotated before and its successor is unused: a retry after a lost answer. */
  readonly repeated: boolean;
}

export interface RefreshPermit extends PresentationPermit {
  readonly nextRefreshToken: string;
}

/**
 * How long a rotated token of a grant without a key may be presented again. With a key there is no limit: only its owner can present
 * it.
 */
const bearerSeconds = 60;

/**
 * Rotates a refresh token (RFC 6749 §6, RFC 9700 §4.14). A client that lost the answer retries and gets the same next token.
 */
export const refreshTokenGrant: GrantType<RefreshInput, RefreshSituation, RefreshPermit> = {
  parameters: ["refresh_token", "scope"],

  parse: (parameters) => ({
    refreshToken: requireParameter(parameters, "refresh_token"),
    scope: parameters.get("scope"),
    resource: readResource(parameters),
  }),

  load: (store, input, context) => loadRefreshToken(store, input.refreshToken, context),

  decide(situation, input, context) {
    const verdict = decideRefreshToken(situation, context);
    if (verdict.kind !== "permit") return verdict;
    const { grant, resource } = verdict.permit;
    const concern = { userId: grant.userId, grantId: grant.id };
    if (input.resource !== undefined && input.resource !== resource?.resource)
      return { kind: "refuse", error: otherTarget(), concern };
    const scopes = narrowScopes(verdict.permit, input.scope);
    if (scopes instanceof OAuthError) return { kind: "refuse", error: scopes, concern };
    const nextRefreshToken = context.nextRefreshToken(input.refreshToken, grant.id);
    return { kind: "permit", permit: { ...verdict.permit, scopes, nextRefreshToken } };
  },

  issue({ token, grant, person, resource, repeated, scopes, nextRefreshToken }, context) {
    const subject = { grant, user: person.user, resource };
    const deciding = decidingScopes(scopes, resource);
    const contents = { scopes, nonce: null, until: endOfBasis(person, deciding), nextRefreshToken };
    const { respond, refreshToken: next, jti } = issueTokens(subject, contents, context);
    if (next === undefined) throw new TypeError("A grant with a refresh token has offline_access.");
    const usedHash = token.hash;
    return {
      respond,
      audit: tokenIssued(subject, { grantType: grantTypes.refreshToken, jti, scopes, repeated }, context),
      basis: personBasis(person, { grantId: grant.id, scopes: deciding }),
      store: (redemptions, record) =>
        repeated
          ? redemptions.repeatRotation({ ...record, usedHash, nextHash: next.hash, bearerSeconds })
          : redemptions.rotateRefreshToken({ ...record, usedHash, next }),
    };
  },
};

/** Loads a refresh token, the client that presents it, and the service to exchange it for. */
export async function loadRefreshToken(
  store: Store,
  secret: string,
  context: Pick<RequestContext, "clientId" | "directories" | "nextRefreshToken">,
  target?: ExchangeTarget,
): Promise<RefreshSituation & { readonly target: Resource | undefined }> {
  const usedHash = hashSecret(secret);
  const { clientId } = context;
  const found = await store.tokenRequests.findByRefreshToken({
    hash: usedHash,
    clientId,
    ...(target && { target }),
  });
  const { token, grant } = found;
  const wasUsed = grant !== undefined && token !== undefined && token.usedAt !== null;
  const nextHash = wasUsed ? hashSecret(context.nextRefreshToken(secret, grant.id)) : undefined;
  const successor = nextHash && (await store.tokenRequests.findSuccessor({ usedHash, nextHash }));
  return { ...found, successor, person: await resolvePerson(found.person, { ...context, store }) };
}

/**
 * Decides over one presentation of a refresh token, as a grant or as a subject token. Pure.
 *
 * The key is compared before reuse is judged, so that a thief without the key cannot end the grant.
 */
export function decideRefreshToken(
  { token, successor, grant, person, resource, stopped }: Omit<RefreshSituation, "client">,
  { client, proof, now, issuer }: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<PresentationPermit> {
  if (token === undefined || grant === undefined) {
    return { kind: "refuse", error: invalidGrant("unknown_refresh_token") };
  }
  const concern = { userId: grant.userId, grantId: grant.id };
  const refuse = (reason: string): Verdict<never> => ({
    kind: "refuse",
    error: invalidGrant(reason),
    concern,
  });

  if (grant.clientId !== client.id) return refuse("foreign_client");
  const wrongKey = keyFault(grant.jkt, proof);
  if (wrongKey !== undefined) return { kind: "refuse", error: wrongKey, concern };
  const ended = grantFault(grant, now);
  if (ended !== undefined) return refuse(ended);
  const repeated = token.usedAt !== null;
  if (repeated && !isRetry(grant, successor)) {
    return {
      kind: "revoke",
      error: invalidGrant("refresh_token_reused"),
      concern,
      reason: "refresh_token_reused",
    };
  }
  if ((successor ?? token).expiresAt <= now) return refuse("refresh_token_expired");
  const admitted = admit(grant.scopes, { person, client, resource, jkt: grant.jkt, stopped, issuer });
  if (admitted instanceof OAuthError) return { kind: "refuse", error: admitted, concern };
  return { kind: "permit", permit: { token, grant, resource, repeated, ...admitted } };
}

/**
 * Whether a rotated token is presented again because its owner missed the answer. Once the next token was used the owner has it, and
 * the presenter of the old one is another party.
 */
function isRetry(grant: Grant, successor: Successor | undefined): boolean {
  if (successor === undefined || successor.usedAt !== null) return false;
  return grant.jkt !== null || successor.ageSeconds <= bearerSeconds;
}

/**
 * The requested scopes among those that were granted and are still held (RFC 6749 §6). As in the first request, naming no scope of the
 * service means all of them.
 */
function narrowScopes(
  { grant, scopes: held, resource }: PresentationPermit,
  wanted: string | undefined,
): readonly string[] | OAuthError {
  if (wanted === undefined) return held;
  const scopes = parseScope(wanted);
  if (scopes?.every((scope) => grant.scopes.includes(scope)) !== true) {
    return new OAuthError("invalid_scope", "scope_not_granted", "The scope goes beyond what was granted.");
  }
  const named = scopes.filter(isServiceScope);
  if (named.length === 0) return held.filter((scope) => isServiceScope(scope) || scopes.includes(scope));
  const narrowed = scopes.filter((scope) => held.includes(scope));
  if (resource === undefined || narrowed.some(isServiceScope)) return narrowed;
  return new OAuthError(
    "invalid_scope",
    "scope_not_held",
    `The person no longer has at ${resource.name}: ${named.join(" ")}.`,
  );
}

/**
 * Derives the next refresh token from `AUTH_SESSION_SECRET`: every process computes the same one and none is stored in the clear. A client
 * that lost an answer asks again and gets the same token.
 */
export function createNextRefreshToken(sessionSecret: Buffer): NextRefreshToken {
  const key = Buffer.from(hkdfSync("sha256", sessionSecret, "", "authz next refresh token", 32));
  return (token, grantId) => createHmac("sha256", key).update(`${token}\n${grantId}`).digest("base64url");
}
