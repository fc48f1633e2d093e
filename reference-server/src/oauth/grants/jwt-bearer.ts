import { randomUUID } from "node:crypto";
import { sha256Base64url } from "@authz/dpop/jws";
import { JwtError } from "@authz/dpop/jwt";
import { toAuditRow } from "../../audit/record.js";
import { loadPermissions, resolvePermissions } from "../../permissions/load-permissions.js";
import { requireParameter } from "../../protocol/parameters.js";
import { grantTypes, lifetimes } from "../../protocol/vocabulary.js";
import { readAuthentication } from "../../sign-in/identity.js";
import type { Grant } from "../../store/grants.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import { findOrigin, findPerson } from "../assertions/find-parties.js";
import {
  invalidAssertion,
  type ReadAssertion,
  readAssertion,
  readResource,
} from "../assertions/read-assertion.js";
import type { ProviderKeys } from "../assertions/provider-keys.js";
import { inSeconds, serviceTokenClaims, shortened, tokenHeaders } from "../tokens/claims.js";
import type { GrantType, RequestContext } from "./grant.js";
import {
  type AssertionInput,
  type AssertionPermit,
  type AssertionSituation,
  decideAssertion,
} from "./jwt-bearer-decision.js";
import { endOfBasis, personBasis } from "./person.js";

/**
 * Gives a client an access token for one service, on the word of an identity provider, or of this server, about a person (RFC 7523,
 * ID-JAG). There is no refresh token: whoever vouches is asked again.
 */
export function createJwtBearerGrant(
  providerKeys: ProviderKeys,
): GrantType<AssertionInput, AssertionSituation, AssertionPermit> {
  return {
    parameters: ["assertion", "resource", "scope"],

    parse(parameters) {
      const token = requireParameter(parameters, "assertion");
      try {
        const assertion = readAssertion(token);
        return { assertion, resource: parameters.get("resource"), scope: parameters.get("scope") };
      } catch (error) {
        if (error instanceof JwtError) throw invalidAssertion(`assertion_${error.reason}`, error);
        throw error;
      }
    },

    async load(store, { assertion }, context) {
      const [client, origin] = await Promise.all([
        store.clients.find(context.clientId),
        findOrigin(assertion, { ...context, store, providerKeys }),
      ]);
      const nobody = { kind: "unknown", reason: "unknown_person" } as const;
      if (origin.kind === "nobody")
        return { client, origin, person: nobody, grant: undefined, resource: undefined };
      const identifier = readResource(assertion.claims);
      const [{ person, grant: ownGrant }, resource] = await Promise.all([
        origin.kind === "own"
          ? loadOwn(assertion, store, context)
          : loadAsserted(assertion, origin.provider, store, context),
        identifier === undefined ? undefined : store.resources.findByIdentifier(identifier),
      ]);
      const isForAgents = origin.kind === "provider" && resource?.builtIn === true && person.kind === "found";
      const { clientId } = context;
      const grant = isForAgents
        ? await store.grants.findAsserted({
            userId: person.permissions.user.id,
            clientId,
            providerId: origin.provider.id,
          })
        : ownGrant;
      return { client, origin, person, grant, resource };
    },

    decide: decideAssertion,

    issue(permit, context) {
      const { assertion, person, provider, resource, scopes, linkedSubject, claims } = permit;
      const { client, issuer, keys, now, proof, requestId } = context;
      const { user } = person;
      const jti = randomUUID();
      const jkt = proof?.thumbprint ?? null;
      const authentication = authenticationOf(assertion, now);
      const until = endOfBasis(person, scopes);
      const expiresIn = shortened(now, lifetimes.accessToken, until);
      const asserted =
        provider !== null && resource.builtIn
          ? assertedGrant(permit, { ...authentication, provider, clientId: client.id, now, expiresIn })
          : undefined;
      const grantId = asserted?.id ?? permit.grant?.id ?? null;
      const token = {
        issuer,
        clientId: client.id,
        resource: resource.resource,
        scopes,
        jkt,
        jti,
        now,
        until,
        ...(grantId !== null && { grantId }),
      };
      const subject = { user, authentication };
      const event = {
        outcome: "success",
        actor: { type: "user", id: user.id },
        at: now,
        subject: user.id,
        clientId: client.id,
        requestId,
      } as const;
      const link =
        provider !== null && linkedSubject !== null
          ? {
              subject: linkedSubject,
              audit: toAuditRow({
                ...event,
                type: "user.linked",
                data: { provider: provider.key, account: linkedSubject },
              }),
            }
          : null;
      return {
        response: {
          access_token: keys.sign({ typ: tokenHeaders.accessToken }, serviceTokenClaims(subject, token)),
          token_type: jkt === null ? "Bearer" : "DPoP",
          expires_in: expiresIn,
          scope: scopes.join(" "),
        },
        once: {
          record: { key: onceKey(assertion.issuer, claims.tokenId), expiresAt: claims.expiresAt },
          replayed: invalidAssertion("assertion_replayed"),
          concern: { userId: user.id, grantId: permit.grant?.id ?? null },
        },
        audit: {
          ...event,
          type: "token.issued",
          data: {
            grantType: grantTypes.jwtBearer,
            grantId,
            tokenId: jti,
            resource: resource.resource,
            scopes,
            jkt,
            ...(provider !== null && { provider: provider.key }),
          },
        },
        // What an assertion renews may be over.
        basis: personBasis(person, { grantId: asserted === undefined ? grantId : null, scopes }),
        store: (redemptions, record) =>
          redemptions.redeemAssertion({ ...record, provider, link, grant: asserted }),
      };
    },
  };
}

interface Assertion extends Pick<Grant, "authTime" | "amr"> {
  readonly provider: IdentityProvider;
  readonly clientId: string;
  readonly now: Date;
  readonly expiresIn: number;
}

/**
 * What an app acts with at the address for agents, where every request needs a grant that can be ended. There is one for each person, app and
 * provider, and it lives no longer than the last token: the provider is asked again.
 */
function assertedGrant(
  { person, grant, resource, scopes }: AssertionPermit,
  { provider, clientId, now, expiresIn, authTime, amr }: Assertion,
): Grant {
  return {
    id: grant?.id ?? randomUUID(),
    userId: person.user.id,
    clientId,
    // Each token says by itself which key it is bound to.
    jkt: null,
    deviceName: null,
    resourceId: resource.id,
    providerId: provider.id,
    scopes,
    authTime,
    amr,
    createdAt: now,
    expiresAt: new Date((inSeconds(now) + expiresIn) * 1000),
    revokedAt: null,
  };
}

/** A provider whose clock is ahead must not make a sign-in look fresher than it is. */
function authenticationOf({ claims }: ReadAssertion, now: Date) {
  const { authTime, amr } = readAuthentication(claims);
  return { authTime: authTime === undefined ? null : new Date(Math.min(+authTime, +now)), amr };
}

/** The key under which all processes remember that an assertion was redeemed. */
function onceKey(issuer: string, tokenId: string): string {
  return `id-jag:${sha256Base64url(JSON.stringify([issuer, tokenId]))}`;
}

type LoadedPerson = Pick<AssertionSituation, "person" | "grant">;

async function loadAsserted(
  { claims }: ReadAssertion,
  provider: IdentityProvider,
  store: Store,
  { directories }: RequestContext,
): Promise<LoadedPerson> {
  const found = await findPerson(claims, provider, store);
  if (found.kind === "unknown") return { person: found, grant: undefined };
  const permissions = await loadPermissions(found.user, { store, directories });
  return {
    person: { kind: "found", permissions, linkedSubject: found.linkedSubject },
    grant: undefined,
  };
}

/** What this server signed itself names the grant that it came from. */
async function loadOwn(
  { claims }: ReadAssertion,
  store: Store,
  { clientId, directories }: RequestContext,
): Promise<LoadedPerson> {
  const unknown = { kind: "unknown", reason: "unknown_grant" } as const;
  if (typeof claims["sid"] !== "string") return { person: unknown, grant: undefined };
  const { grant, person } = await store.tokenRequests.findByGrant({ id: claims["sid"], clientId });
  if (person === undefined || person.user.id !== claims["sub"]) return { person: unknown, grant };
  const permissions = await resolvePermissions(person, { store, directories });
  return { person: { kind: "found", permissions, linkedSubject: null }, grant };
}
