import { OAuthError } from "../oauth/oauth-error.js";
import { requireParameter } from "../oauth/parameters.js";
import { parseScope } from "../oauth/scope.js";
import { hashSecret } from "../oauth/secrets.js";
import { grantTypes } from "../oauth/vocabulary.js";
import type { Permissions } from "../policy/effective-scopes.js";
import type { Client } from "../store/clients.js";
import type { Grant } from "../store/grants.js";
import type { RefreshToken } from "../store/refresh-tokens.js";
import type { GrantContext, GrantType, Verdict } from "./grant.js";
import { invalidGrant } from "./invalid-grant.js";
import { issueTokens, tokenIssued } from "./issue-tokens.js";
import { grantFault, keyFault, personalClients, personBasis, personFault, resolvePerson } from "./log-in.js";

export interface RefreshInput {
  readonly refreshToken: string;
  readonly scope: string | undefined;
}

/** The token that was presented with its log-in, and the person it belongs to. */
export interface RefreshSituation {
  readonly client: Client | undefined;
  readonly token: RefreshToken | undefined;
  readonly grant: Grant | undefined;
  readonly person: Permissions | undefined;
}

export interface RefreshPermit {
  readonly token: RefreshToken;
  readonly grant: Grant;
  readonly person: Permissions;
  readonly scopes: readonly string[];
}

/** Rotates a refresh token (RFC 6749 §6, RFC 9700 §4.14). */
export const refreshTokenGrant: GrantType<RefreshInput, RefreshSituation, RefreshPermit> = {
  parameters: ["refresh_token", "scope"],
  clients: personalClients,

  parse: (parameters) => ({
    refreshToken: requireParameter(parameters, "refresh_token"),
    scope: parameters.get("scope"),
  }),

  async load(store, input, context) {
    const { clientId } = context;
    const found = await store.logIns.findByRefreshToken({ hash: hashSecret(input.refreshToken), clientId });
    return { ...found, person: await resolvePerson(found.person, context) };
  },

  decide(situation, input, context) {
    const verdict = decideRefreshToken(situation, context);
    if (verdict.kind !== "permit") return verdict;
    const { grant } = verdict.permit;
    const scopes = narrowScopes(grant.scopes, input.scope);
    if (scopes !== undefined) return { kind: "permit", permit: { ...verdict.permit, scopes } };
    const error = new OAuthError(
      "invalid_scope",
      "scope_not_granted",
      "The scope goes beyond what was granted.",
    );
    return { kind: "refuse", error, concern: { userId: grant.userId, grantId: grant.id } };
  },

  issue({ token, grant, person, scopes }, context) {
    const subject = { grant, user: person.user };
    const { response, refreshToken: next, jti } = issueTokens(subject, { scopes, nonce: null }, context);
    if (next === undefined) throw new TypeError("A log-in with a refresh token has offline_access.");
    return {
      response,
      audit: tokenIssued(subject, { grantType: grantTypes.refreshToken, jti, scopes }, context),
      basis: personBasis(person, grant.id),
      store: (redemptions, record) =>
        redemptions.rotateRefreshToken({ ...record, usedHash: token.hash, next }),
    };
  },
};

/**
 * Decides over one presentation of a refresh token, as a grant or as a subject token. Pure.
 *
 * The key is compared before reuse is judged, so that a thief without the key cannot end the log-in.
 */
export function decideRefreshToken(
  { token, grant, person }: Omit<RefreshSituation, "client">,
  { client, proof, now }: Pick<GrantContext, "client" | "proof" | "now">,
): Verdict<Omit<RefreshPermit, "scopes">> {
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
  if (token.usedAt !== null) {
    return {
      kind: "revoke",
      error: invalidGrant("refresh_token_reused"),
      concern,
      reason: "refresh_token_reused",
    };
  }
  if (token.expiresAt <= now) return refuse("refresh_token_expired");
  const fault = personFault(person);
  if (person === undefined || fault !== undefined) return refuse(fault ?? "unknown_user");
  return { kind: "permit", permit: { token, grant, person } };
}

function narrowScopes(granted: readonly string[], wanted: string | undefined): readonly string[] | undefined {
  if (wanted === undefined) return granted;
  const scopes = parseScope(wanted);
  return scopes?.every((scope) => granted.includes(scope)) ? scopes : undefined;
}
