import { randomUUID } from "node:crypto";
import { sha256Base64url } from "@authz/dpop/jws";
import { JwtError } from "@authz/dpop/jwt";
import { toAuditRow } from "../../audit/record.js";
import { requireParameter } from "../../protocol/parameters.js";
import { grantTypes, lifetimes } from "../../protocol/vocabulary.js";
import { readAuthentication } from "../../sign-in/identity.js";
import type { BegunGrant, Grant } from "../../store/grants.js";
import type { ProviderKeys } from "../../sign-in/provider-keys.js";
import { type AssertionSituation, loadAssertion } from "../assertions/load-assertion.js";
import { invalidAssertion, readAssertion } from "../assertions/read-assertion.js";
import { inSeconds, serviceTokenClaims, shortened, tokenHeaders } from "../tokens/claims.js";
import type { GrantContext, GrantType, Issuance } from "./grant.js";
import { type AssertionInput, type AssertionPermit, decideAssertion } from "./jwt-bearer-decision.js";
import { endOfBasis, personBasis } from "./person.js";

/**
 * Issues an access token for one service for an identity assertion of a provider, or of this server, about a user (RFC 7523, ID-JAG).
 * There is no refresh token: the next access token takes the next assertion.
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

    load: (store, { assertion }, context) => loadAssertion(assertion, { ...context, store, providerKeys }),

    decide: decideAssertion,

    issue: issueForAssertion,
  };
}

function issueForAssertion(permit: AssertionPermit, context: GrantContext): Issuance {
  const { assertion, person, provider, resource, scopes, claims } = permit;
  const { client, issuer, keys, now, proof } = context;
  const { user } = person;
  const jti = randomUUID();
  const jkt = proof?.thumbprint ?? null;
  const authentication = authenticationOf(permit, now);
  const until = endOfBasis(person, scopes);
  const expiresIn = shortened(now, lifetimes.accessToken, until);
  const asserted = assertedGrant(permit, context, { ...authentication, expiresIn });
  const grantId = asserted?.id ?? permit.grant?.id ?? null;
  const target = { issuer, clientId: client.id, resource: resource.resource, scopes, jkt, jti, now, until };
  const token = { ...target, ...(grantId !== null && { grantId }) };
  const endsAt = new Date((inSeconds(now) + expiresIn) * 1000);
  return {
    respond: (statusIndex = permit.grant?.statusIndex) => ({
      access_token: keys.sign(
        { typ: tokenHeaders.accessToken },
        serviceTokenClaims({ user, authentication }, { ...token, statusIndex }),
      ),
      token_type: jkt === null ? "Bearer" : "DPoP",
      expires_in: expiresIn,
      scope: scopes.join(" "),
    }),
    once: {
      record: { key: onceKey(assertion.issuer, claims.tokenId), expiresAt: claims.expiresAt },
      replayed: invalidAssertion("assertion_replayed"),
      concern: { userId: user.id, grantId: permit.grant?.id ?? null },
    },
    audit: {
      ...envelope(permit, context),
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
    // A grant that the assertion renews may have expired.
    basis: personBasis(person, {
      grantId: asserted === undefined ? grantId : null,
      resourceId: resource.id,
      scopes,
    }),
    store: (redemptions, record) =>
      redemptions.redeemAssertion({
        ...record,
        provider,
        link: linkOf(permit, context),
        grant: asserted,
        status: grantId === null ? { holder: jti, endsAt } : undefined,
      }),
  };
}

/** What the events about a redemption have in common. */
function envelope({ person: { user } }: AssertionPermit, { client, now, requestId }: GrantContext) {
  const actor = { type: "user", id: user.id } as const;
  return { outcome: "success", actor, at: now, subject: user.id, clientId: client.id, requestId } as const;
}

/** The provider's account that redeeming links to the user, with its event. */
function linkOf(permit: AssertionPermit, context: GrantContext) {
  const { provider, linkedSubject } = permit;
  if (provider === null || linkedSubject === null) return null;
  const data = { provider: provider.key, account: linkedSubject };
  return {
    subject: linkedSubject,
    audit: toAuditRow({ ...envelope(permit, context), type: "user.linked", data }),
  };
}

/**
 * The grant of an app at the address for agents, where every request needs one that can be ended. There is one for each user, app and
 * provider. It ends with its last token, so the provider has to vouch again. `undefined` at services and for assertions of this server.
 */
function assertedGrant(
  { person, provider, grant, resource, scopes }: AssertionPermit,
  { client, now }: GrantContext,
  { expiresIn, authTime, amr }: Pick<Grant, "authTime" | "amr"> & { readonly expiresIn: number },
): BegunGrant | undefined {
  if (provider === null || !resource.builtIn) return undefined;
  return {
    id: grant?.id ?? randomUUID(),
    ...(grant && { statusIndex: grant.statusIndex }),
    userId: person.user.id,
    clientId: client.id,
    // Each token names the key that it is bound to.
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
function authenticationOf({ assertion: { claims } }: AssertionPermit, now: Date) {
  const { authTime, amr } = readAuthentication(claims);
  return { authTime: authTime === undefined ? null : new Date(Math.min(+authTime, +now)), amr };
}

/** The key under which the database remembers that an assertion was redeemed. */
function onceKey(issuer: string, tokenId: string): string {
  return `id-jag:${sha256Base64url(JSON.stringify([issuer, tokenId]))}`;
}
