import { randomUUID } from "node:crypto";
import { canonicalResource } from "@authz/dpop/jwt";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { type Parameters, parseScope, requireParameter } from "../../protocol/parameters.js";
import { lifetimes, tokenTypes } from "../../protocol/vocabulary.js";
import { decide, type MissingScope } from "../../permissions/decide.js";
import { scopesOfRules } from "../../rules/call-rule.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import {
  type AssertionRecipient,
  identityAssertionClaims,
  shortened,
  tokenHeaders,
} from "../tokens/claims.js";
import { loginScope } from "../../store/system-scopes.js";
import {
  type GrantContext,
  type GrantType,
  invalidGrant,
  type TokenResponse,
  type Verdict,
} from "./grant.js";
import { endOfBasis, personBasis } from "./person.js";
import {
  decideServiceScopes,
  isWithinCeiling,
  scopesInRules,
  serviceAccess,
  type ServiceParties,
} from "./service-access.js";
import {
  decideSubject,
  isSubjectTokenType,
  loadSubject,
  type SubjectPermit,
  type SubjectSituation,
  type SubjectTokenType,
} from "./subject-token.js";

export interface ExchangeInput {
  readonly subject: { readonly token: string; readonly type: SubjectTokenType };
  /** The issuer of the service, or this server's, which issues access tokens for all services. */
  readonly audience: string;
  readonly resource: string;
  /** Default: everything the user holds at the service. */
  readonly scope: string | undefined;
}

export interface ExchangeSituation {
  readonly client: Client | undefined;
  readonly subject: SubjectSituation;
  readonly resource: Resource | undefined;
}

export interface ExchangePermit extends SubjectPermit {
  readonly resource: Resource;
  readonly recipient: AssertionRecipient;
  readonly scopes: readonly string[];
}

/** Exchanges a token of a grant for an identity assertion (RFC 8693, ID-JAG). Rotates nothing. */
export const tokenExchangeGrant: GrantType<ExchangeInput, ExchangeSituation, ExchangePermit> = {
  parameters: [
    "subject_token",
    "subject_token_type",
    "requested_token_type",
    "audience",
    "resource",
    "scope",
    "actor_token",
    "actor_token_type",
  ],

  parse: parseExchange,

  load(store, { subject, resource, scope }, context) {
    const target = {
      resource: canonicalResource(resource) ?? resource,
      // `decide` refuses a malformed one.
      scopes: scope === undefined ? undefined : parseScope(scope),
    };
    return loadSubject(store, subject, target, context);
  },

  decide: decideExchange,

  issue(permit, context) {
    const { grant, person, resource, recipient, scopes } = permit;
    const { user } = person;
    const { issuer, keys, now, proof } = context;
    const jti = randomUUID();
    const jkt = proof?.thumbprint ?? null;
    const deciding = [loginScope, ...scopes];
    const until = endOfBasis(person, deciding);
    const target = { issuer, recipient, resource, scopes, jkt, jti, now, until };
    const claims = identityAssertionClaims({ grant, user }, target);
    const response: TokenResponse = {
      access_token: keys.sign({ typ: tokenHeaders.identityAssertion }, claims),
      issued_token_type: tokenTypes.identityAssertion,
      token_type: "N_A",
      expires_in: shortened(now, lifetimes.identityAssertion, until),
      scope: scopes.join(" "),
    };
    return {
      respond: () => response,
      audit: {
        type: "assertion.issued",
        outcome: "success",
        actor: { type: "user", id: user.id },
        at: now,
        subject: user.id,
        clientId: context.client.id,
        requestId: context.requestId,
        data: { grantId: grant.id, tokenId: jti, resource: resource.resource, scopes, jkt },
      },
      basis: personBasis(person, { grantId: grant.id, resourceId: resource.id, scopes: deciding }),
      store: (redemptions, record) => redemptions.recordIssuance(record),
    };
  },
};

/** @throws {OAuthError} `invalid_request`: something is missing or of a kind that is not exchanged here. */
function parseExchange(parameters: Parameters): ExchangeInput {
  if (requireParameter(parameters, "requested_token_type") !== tokenTypes.identityAssertion) {
    throw invalidRequest(
      "requested_token_type",
      `The requested_token_type must be ${tokenTypes.identityAssertion}.`,
    );
  }
  const type = requireParameter(parameters, "subject_token_type");
  if (!isSubjectTokenType(type)) {
    throw invalidRequest(
      "subject_token_type",
      "The subject_token_type must name a refresh, ID or access token.",
    );
  }
  if (parameters.get("actor_token") !== undefined || parameters.get("actor_token_type") !== undefined) {
    throw invalidRequest("actor_token", "Delegation with an actor_token is not supported.");
  }
  return {
    subject: { token: requireParameter(parameters, "subject_token"), type },
    audience: requireParameter(parameters, "audience"),
    resource: requireParameter(parameters, "resource"),
    scope: parameters.get("scope"),
  };
}

/** Decides over one exchange: the subject token first, then the target, then the scopes. Pure. */
export function decideExchange(
  situation: Omit<ExchangeSituation, "client">,
  input: ExchangeInput,
  context: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<ExchangePermit> {
  const subject = decideSubject(situation.subject, context);
  if (subject.kind !== "permit") return subject;
  const { grant, person } = subject.permit;
  const concern = { userId: grant.userId, grantId: grant.id };
  if (!grant.scopes.includes(loginScope) || !isWithinCeiling(loginScope, context.client)) {
    return { kind: "refuse", error: invalidGrant("login_scope_missing"), concern };
  }

  const { resource } = situation;
  const isTarget = resource?.enabled === true && !resource.builtIn;
  const recipient = isTarget ? recipientOf(resource, input, context) : undefined;
  if (resource === undefined || recipient === undefined) {
    return { kind: "refuse", error: invalidTarget(targetFault(resource)), concern };
  }
  // A public client proves nothing but its token: one that is bound to no key is as good for a thief, who brings a key too.
  const provesKey = grant.jkt !== null || (context.proof !== undefined && context.client.type !== "public");
  if (!provesKey && !resource.allowsBearer)
    return { kind: "refuse", error: bearerNotAllowed(resource), concern };
  // A client that redeems it here may ask for every scope of the metadata; what it may not have is left out.
  const parties = { person, client: context.client, resource };
  const scopes =
    input.audience === context.issuer
      ? decideServiceScopes(parties, { wanted: input.scope })
      : decideScopes(parties, input.scope);
  if (scopes instanceof OAuthError) return { kind: "refuse", error: scopes, concern };
  return { kind: "permit", permit: { ...subject.permit, resource, recipient, scopes } };
}

/** Who redeems the assertion: the service, which knows its client by another id, or this server. */
function recipientOf(
  resource: Resource,
  { audience }: ExchangeInput,
  { issuer, client }: Pick<GrantContext, "issuer" | "client">,
): AssertionRecipient | undefined {
  if (audience === issuer) return { issuer, clientId: client.id };
  return audience === resource.authorizationServer
    ? { issuer: audience, clientId: resource.clientId }
    : undefined;
}

function targetFault(resource: Resource | undefined): string {
  if (resource === undefined) return "unknown_resource";
  return resource.enabled ? "audience_mismatch" : "resource_disabled";
}

function decideScopes(parties: ServiceParties, wanted: string | undefined): readonly string[] | OAuthError {
  const { person: permissions, client, resource } = parties;
  if (wanted === undefined) {
    const { scopes, undecided, ruled } = serviceAccess([], parties);
    if (scopes.length > 0) return scopes;
    if (ruled.length > 0) return scopesInRules(resource, ruled);
    return undecided.length > 0
      ? directoryAway()
      : invalidScope("nothing_granted", `You have no permission at ${resource.name}.`);
  }
  const scopes = parseScope(wanted);
  if (scopes === undefined) return invalidScope("malformed_scope", "The scope is malformed.");
  const beyond = scopes.filter((scope) => !isWithinCeiling(scope, client));
  if (beyond.length > 0) {
    const message = `This client never gets: ${beyond.join(" ")}. Ask an administrator.`;
    return invalidScope("scope_beyond_ceiling", message);
  }
  const { allowed, missing } = decide({ permissions, resource, scopes });
  const inRules = scopesOfRules(resource.rules, resource.supportedScopes);
  const ruled = scopes.filter((scope) => inRules.includes(scope));
  if (ruled.length > 0) return scopesInRules(resource, ruled);
  if (allowed) return scopes;
  // Some scopes are missing whatever the directory answers.
  const lacking = missing.filter((scope) => !isOpen(scope));
  if (lacking[0] === undefined) return directoryAway();
  const names = lacking.map(({ scope }) => scope).join(" ");
  return invalidScope(
    `scope_${lacking[0].reason}`,
    lacking[0].reason === "not_supported"
      ? `${resource.name} does not know: ${names}.`
      : `Not among your permissions at ${resource.name}: ${names}. Ask an administrator for it.`,
  );
}

/** Whether a directory that is unavailable could still grant it. */
function isOpen({ reason }: MissingScope): boolean {
  return reason === "directory_unavailable";
}

function invalidRequest(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_request", reason, message);
}

function invalidScope(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_scope", reason, message);
}

function bearerNotAllowed({ name }: Resource): OAuthError {
  const message = `${name} accepts only assertions that are bound to a key. Sign in with a client that uses DPoP, or ask an administrator to let ${name} accept others.`;
  return new OAuthError("invalid_target", "bearer_not_allowed", message);
}

function invalidTarget(reason: string): OAuthError {
  return new OAuthError(
    "invalid_target",
    reason,
    "The audience and resource are not registered here as a pair. Compare them with /api/me/resources.",
  );
}
