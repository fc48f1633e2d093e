import { randomUUID } from "node:crypto";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { Grant } from "../../store/grants.js";
import type { Resource } from "../../store/resources.js";
import type { NewGrant } from "../../store/redemptions.js";
import type { GrantContext, Issuance } from "./grant.js";
import { issueTokens, tokenIssued } from "./issue-tokens.js";
import { endOfBasis, personBasis } from "./person.js";
import { decidingScopes } from "./service-access.js";

/** What a person has allowed, once and for one client, and what comes of it now. */
export interface Allowance {
  readonly person: Permissions;
  /** What the person said yes to. */
  readonly consented: readonly string[];
  /** What the first token is for. */
  readonly scopes: readonly string[];
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly deviceName: string | null;
}

/** Begins a grant, that all its tokens hang on, with the first of them. */
export function beginGrant(
  allowance: Allowance,
  context: GrantContext,
  answer: { readonly grantType: string; readonly nonce: string | null },
): Omit<Issuance, "store"> & { readonly begun: NewGrant } {
  const { person, resource, scopes } = allowance;
  const grant = createGrant(allowance, context);
  const subject = { grant, user: person.user, resource };
  const deciding = decidingScopes(scopes, resource);
  const until = endOfBasis(person, deciding);
  const issued = issueTokens(subject, { scopes, nonce: answer.nonce, until }, context);
  const { response, refreshToken, jti } = issued;
  const { grantType } = answer;
  return {
    response,
    audit: tokenIssued(subject, { grantType, jti, scopes }, context),
    basis: personBasis(person, { grantId: null, scopes: deciding }),
    begun: { grant, refreshToken },
  };
}

/** A client that need not use DPoP may do so all the same: then its grant is bound to that key. */
function createGrant(
  { person, consented, resource, authTime, amr, deviceName }: Allowance,
  { client, now, proof }: GrantContext,
): Grant {
  return {
    id: randomUUID(),
    userId: person.user.id,
    clientId: client.id,
    jkt: proof?.thumbprint ?? null,
    deviceName,
    resourceId: resource?.id ?? null,
    providerId: null,
    scopes: consented,
    authTime,
    amr,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.grant * 1000),
    revokedAt: null,
  };
}
