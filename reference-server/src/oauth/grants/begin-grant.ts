import { randomUUID } from "node:crypto";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { loginScope } from "../../store/system-scopes.js";
import type { Grant } from "../../store/grants.js";
import type { NewGrant } from "../../store/redemptions.js";
import type { GrantContext, Issuance } from "./grant.js";
import { issueTokens, tokenIssued } from "./issue-tokens.js";
import { personBasis } from "./person.js";

/** What a person has allowed, once and for one client. */
export interface Allowance {
  readonly person: Permissions;
  readonly scopes: readonly string[];
  readonly authTime: Date | null;
  readonly amr: readonly string[];
}

/** Begins a grant: the grant that all its tokens hang on, and the first of them. */
export function beginGrant(
  allowance: Allowance,
  context: GrantContext,
  answer: { readonly grantType: string; readonly nonce: string | null },
): Omit<Issuance, "store"> & { readonly begun: NewGrant } {
  const { person } = allowance;
  const grant = createGrant(allowance, context);
  const subject = { grant, user: person.user };
  const issued = issueTokens(subject, { scopes: grant.scopes, nonce: answer.nonce }, context);
  const { response, refreshToken, jti } = issued;
  const { grantType } = answer;
  return {
    response,
    audit: tokenIssued(subject, { grantType, jti, scopes: grant.scopes }, context),
    basis: personBasis(person, { grantId: null, scopes: [loginScope] }),
    begun: { grant, refreshToken },
  };
}

/** A client that need not use DPoP may do so all the same: then its grant is bound to that key. */
function createGrant({ person, ...allowance }: Allowance, { client, now, proof }: GrantContext): Grant {
  return {
    id: randomUUID(),
    userId: person.user.id,
    clientId: client.id,
    jkt: proof?.thumbprint ?? null,
    resourceId: null,
    scopes: allowance.scopes,
    authTime: allowance.authTime,
    amr: allowance.amr,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.grant * 1000),
    revokedAt: null,
  };
}
