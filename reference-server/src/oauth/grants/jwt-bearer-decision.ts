import { canonicalResource, JwtError } from "@authz/dpop/jwt";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { Grant } from "../../store/grants.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Resource } from "../../store/resources.js";
import type { AssertionSituation } from "../assertions/load-assertion.js";
import {
  type AssertionClaims,
  invalidAssertion,
  judgeAssertion,
  type ReadAssertion,
} from "../assertions/read-assertion.js";
import { missingProof } from "../clients/proof.js";
import { standingFault } from "../standing.js";
import type { Concern, GrantContext, Verdict } from "./grant.js";
import { grantFault } from "./person.js";
import { decideServiceScopes } from "./service-access.js";

export interface AssertionInput {
  readonly assertion: ReadAssertion;
  /** Default: the one that the assertion names. */
  readonly resource: string | undefined;
  /** Default: everything that assertion, client and user allow. */
  readonly scope: string | undefined;
}

export interface AssertionPermit {
  readonly assertion: ReadAssertion;
  readonly claims: AssertionClaims;
  /** `null`: this server itself. */
  readonly provider: IdentityProvider | null;
  readonly person: Permissions;
  readonly linkedSubject: string | null;
  readonly grant: Grant | undefined;
  readonly resource: Resource;
  readonly scopes: readonly string[];
}

type DecisionContext = Pick<GrantContext, "client" | "proof" | "now" | "issuer">;

/**
 * Decides over one assertion: its issuer, its claims, its user, and the scopes that remain. Pure.
 *
 * The audit trail records refusals of signed assertions only. One that no accepted issuer signed goes to the log alone.
 */
export function decideAssertion(
  situation: Omit<AssertionSituation, "client">,
  input: AssertionInput,
  context: DecisionContext,
): Verdict<AssertionPermit> {
  const { origin, person, grant } = situation;
  if (origin.kind === "untrusted") return { kind: "refuse", error: invalidAssertion(origin.reason) };
  const user = person.kind === "found" ? person.permissions.user : undefined;
  const concern: Concern = { userId: user?.id, grantId: grant?.id ?? null };
  const permit = permitOf(situation, { input, context });
  if (permit instanceof OAuthError) return { kind: "refuse", error: permit, concern };
  return { kind: "permit", permit };
}

function permitOf(
  { origin, person, grant, resource, stopped }: Omit<AssertionSituation, "client">,
  { input, context }: { readonly input: AssertionInput; readonly context: DecisionContext },
): AssertionPermit | OAuthError {
  const { assertion } = input;
  const claims = claimsOf(assertion, context);
  if (claims instanceof OAuthError) return claims;
  // Acting everywhere takes consent on the page for agents, which an assertion of this server would bypass.
  const isForAgentsByUs = resource?.builtIn === true && origin.kind === "own";
  if (resource === undefined || isForAgentsByUs) return invalidAssertion("assertion_unknown_resource");
  if (!resource.enabled) return invalidAssertion("resource_disabled");
  if (input.resource !== undefined && canonicalResource(input.resource) !== claims.resource)
    return otherResource();
  if (origin.kind === "own") {
    const fault = ownFault(grant, context);
    if (fault !== undefined) return invalidAssertion(fault);
  }
  if (person.kind === "unknown") return invalidAssertion(person.reason);
  const { permissions, linkedSubject } = person;
  if (!permissions.user.enabled) return invalidAssertion("user_disabled");
  const held = standingFault({ user: permissions.user, stopped, issuer: context.issuer });
  if (held !== undefined) return held;
  const keyless = keyFault({ claims, resource }, context);
  if (keyless !== undefined) return keyless;
  const parties = { person: permissions, resource, client: context.client };
  const scopes = decideServiceScopes(parties, { wanted: input.scope, asserted: claims.scopes });
  if (scopes instanceof OAuthError) return scopes;
  return {
    assertion,
    claims,
    provider: origin.kind === "provider" ? origin.provider : null,
    person: permissions,
    linkedSubject,
    grant,
    resource,
    scopes,
  };
}

function claimsOf(
  { claims }: ReadAssertion,
  { issuer, client, now }: DecisionContext,
): AssertionClaims | OAuthError {
  try {
    return judgeAssertion(claims, { issuer, clientId: client.id, now });
  } catch (error) {
    if (error instanceof JwtError) return invalidAssertion(`assertion_${error.reason}`, error);
    throw error;
  }
}

/** Why the grant behind an assertion of this server is not good; revoking it ends what came from it. */
function ownFault(grant: Grant | undefined, { client, now }: DecisionContext): string | undefined {
  if (grant === undefined) return "unknown_grant";
  if (grant.clientId !== client.id) return "foreign_client";
  return grantFault(grant, now);
}

/**
 * Why the request lacks the key it must prove. A public client proves nothing but the assertion: one that is bound to no key is as good
 * for a thief, who brings a key too.
 */
function keyFault(
  { claims: { jkt }, resource }: { readonly claims: AssertionClaims; readonly resource: Resource },
  { client, proof }: DecisionContext,
): OAuthError | undefined {
  if (jkt !== undefined && proof === undefined) return invalidAssertion("assertion_proof_missing");
  if (jkt !== undefined && proof?.thumbprint !== jkt) return invalidAssertion("wrong_key");
  if (resource.allowsBearer) return undefined;
  if (proof === undefined) return missingProof();
  return jkt === undefined && client.type === "public" ? invalidAssertion("assertion_unbound") : undefined;
}

function otherResource(): OAuthError {
  const message = "The resource of the request is not the one that the assertion names.";
  return new OAuthError("invalid_target", "resource_mismatch", message);
}
