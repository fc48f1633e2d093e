import { canonicalResource, JwtError } from "@authz/dpop/jwt";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { Client } from "../../store/clients.js";
import type { Grant } from "../../store/grants.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Resource } from "../../store/resources.js";
import type { AssertionOrigin } from "../assertions/find-parties.js";
import {
  type AssertionClaims,
  invalidAssertion,
  judgeAssertion,
  type ReadAssertion,
} from "../assertions/read-assertion.js";
import { missingProof } from "../clients/proof.js";
import type { Concern, GrantContext, Verdict } from "./grant.js";
import { grantFault } from "./person.js";
import { decideServiceScopes } from "./service-access.js";

export interface AssertionInput {
  readonly assertion: ReadAssertion;
  /** Absent: what the assertion names. */
  readonly resource: string | undefined;
  /** Absent: everything that assertion, client and person may. */
  readonly scope: string | undefined;
}

export interface AssertionSituation {
  readonly client: Client | undefined;
  readonly origin: AssertionOrigin;
  readonly person: AssertedPerson;
  /** Of an assertion of this server: the sign-in that it came from. Of a provider's for agents: what former ones have begun. */
  readonly grant: Grant | undefined;
  /** What the assertion names. */
  readonly resource: Resource | undefined;
}

/** Whom the assertion means, with what decides over their permissions. */
type AssertedPerson =
  | {
      readonly kind: "found";
      readonly permissions: Permissions;
      /** The account that becomes theirs; `null`: it is already. */
      readonly linkedSubject: string | null;
    }
  | { readonly kind: "unknown"; readonly reason: string };

export interface AssertionPermit {
  readonly assertion: ReadAssertion;
  readonly claims: AssertionClaims;
  /** `null`: this server itself. */
  readonly provider: IdentityProvider | null;
  readonly person: Permissions;
  readonly linkedSubject: string | null;
  /** The one that the situation has. */
  readonly grant: Grant | undefined;
  readonly resource: Resource;
  readonly scopes: readonly string[];
}

type DecisionContext = Pick<GrantContext, "client" | "proof" | "now" | "issuer">;

/**
 * Decides over one assertion: whose it is, what it claims, whom it means, and what is left of the scopes. Pure.
 *
 * What nobody accepted has signed is told to the log alone; what was signed is recorded, whatever is wrong with it.
 */
export function decideAssertion(
  situation: Omit<AssertionSituation, "client">,
  input: AssertionInput,
  context: DecisionContext,
): Verdict<AssertionPermit> {
  const { origin, person, grant } = situation;
  if (origin.kind === "nobody") return { kind: "refuse", error: invalidAssertion(origin.reason) };
  const user = person.kind === "found" ? person.permissions.user : undefined;
  const concern: Concern = { userId: user?.id, grantId: grant?.id ?? null };
  const permit = permitOf(situation, { input, context });
  if (permit instanceof OAuthError) return { kind: "refuse", error: permit, concern };
  return { kind: "permit", permit };
}

function permitOf(
  { origin, person, grant, resource }: Omit<AssertionSituation, "client">,
  { input, context }: { readonly input: AssertionInput; readonly context: DecisionContext },
): AssertionPermit | OAuthError {
  const { assertion } = input;
  const claims = claimsOf(assertion, context);
  if (claims instanceof OAuthError) return claims;
  // People let an app act everywhere on the consent page for agents. An assertion of this server would go past it.
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

/** What was revoked meanwhile ends what came from it as well. */
function ownFault(grant: Grant | undefined, { client, now }: DecisionContext): string | undefined {
  if (grant === undefined) return "unknown_grant";
  if (grant.clientId !== client.id) return "foreign_client";
  return grantFault(grant, now);
}

/**
 * Whether the request shows the key that it must. A public client shows nothing but the assertion: when no key is bound to that, a
 * thief brings a key as well.
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
