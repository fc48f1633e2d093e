import { hasType, type JsonObject } from "@authz/dpop/jws";
import {
  canonicalResource,
  checkAudience,
  checkClient,
  checkLifetime,
  JwtError,
  readKeyThumbprint,
  readScopes,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import { OAuthError } from "../../protocol/oauth-error.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import { parseProviderJwt } from "../../sign-in/provider-jwt.js";
import { inSeconds, tokenHeaders } from "../tokens/claims.js";

/** A well-formed identity assertion. Nothing in it is verified yet. */
export interface ReadAssertion {
  readonly token: string;
  /** The issuer whose key must have signed it. */
  readonly issuer: string;
  readonly claims: JsonObject;
}

/** The claims of a verified identity assertion, as far as this server uses them. */
export interface AssertionClaims {
  readonly subject: string;
  readonly tokenId: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  /** In canonical form. */
  readonly resource: string;
  /** `undefined`: the issuer leaves the scopes to this server. */
  readonly scopes: readonly string[] | undefined;
  /** Thumbprint of the key it is bound to. */
  readonly jkt: string | undefined;
}

export const maxAssertionBytes = 16_384;

/**
 * Parses an assertion (ID-JAG) strictly, with the right type.
 *
 * @throws {JwtError} `malformed`, `type` or `issuer`
 */
export function readAssertion(token: string): ReadAssertion {
  const { header, claims } = parseProviderJwt(token, maxAssertionBytes);
  if (!hasType(header, tokenHeaders.identityAssertion)) throw new JwtError("type");
  const { iss: issuer } = claims;
  // No registered issuer is longer, and NUL would be a database error.
  if (typeof issuer !== "string" || !/^[\x21-\x7e]{1,2048}$/.test(issuer)) throw new JwtError("issuer");
  return { token, issuer, claims };
}

/** The required audience and client of an assertion, and the time. */
interface RedemptionPlace {
  /** Of this server. */
  readonly issuer: string;
  readonly clientId: string;
  readonly now: Date;
}

/**
 * Checks the claims of an assertion. Pure.
 *
 * @throws {JwtError} `audience`, `client`, `expired` and so on: the first rule that is broken.
 * @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-identity-assertion-authz-grant-04.html#section-4.4.1 | ID-JAG §4.4.1}
 */
export function judgeAssertion(claims: JsonObject, place: RedemptionPlace): AssertionClaims {
  checkAudience(claims, place.issuer);
  checkClient(claims, place.clientId);
  const { expiresAt } = checkLifetime(claims, {
    now: inSeconds(place.now),
    maximum: lifetimes.redeemedAssertion,
  });
  return {
    subject: readSubject(claims),
    tokenId: readTokenId(claims),
    expiresAt,
    resource: requireResource(claims),
    scopes: claims["scope"] === undefined ? undefined : readScopes(claims),
    jkt: readKeyThumbprint(claims),
  };
}

/**
 * The service that an assertion is for, in canonical form: a string or a list of one, because a token is for one service. `undefined`
 * when it names none in the form of RFC 8707.
 */
export function readResource({ resource }: JsonObject): string | undefined {
  const [single, ...others] = Array.isArray(resource) ? (resource as readonly unknown[]) : [resource];
  if (typeof single !== "string" || single.length > 2048 || others.length > 0) return undefined;
  return canonicalResource(single);
}

function requireResource(claims: JsonObject): string {
  const resource = readResource(claims);
  if (resource === undefined) throw new JwtError("resource");
  return resource;
}

const issuer = "No issuer that is accepted here has signed the assertion.";
const lifetime =
  "The assertion has expired, is not valid yet, or is valid for more than an hour. Get a new one, and compare the clocks.";
const form = "The assertion needs sub and jti; resource, scope and cnf must have the form of the standard.";
const key = "The assertion is bound to a key. Send a DPoP proof made with that key.";
const resource = "The assertion's resource must be one service that is registered and enabled here.";
const grant = "The sign-in that the assertion came from has ended. Sign in again.";
const person =
  "The issuer vouches for somebody who is not known here by this account and email address. They have to sign in to this server in a browser once.";

/** What the presenter of an assertion can fix. Nothing here reveals who is known. */
const explanations: Readonly<Record<string, string>> = {
  assertion_malformed: "The assertion is not a well-formed JWT.",
  assertion_type: "The assertion must be an ID-JAG: a JWT of the type oauth-id-jag+jwt.",
  assertion_issuer: issuer,
  assertion_signature: issuer,
  assertion_key_id: issuer,
  assertion_unknown_key: issuer,
  assertion_audience: "The assertion's aud must be the issuer of this server.",
  assertion_client: "The assertion's client_id must be the client that presents it.",
  assertion_dates: lifetime,
  assertion_expired: lifetime,
  assertion_not_yet_valid: lifetime,
  assertion_lifetime: lifetime,
  assertion_subject: form,
  assertion_id: form,
  assertion_scope: form,
  assertion_confirmation: form,
  assertion_resource: resource,
  assertion_unknown_resource: resource,
  resource_disabled: resource,
  assertion_replayed: "The assertion was redeemed before. Get a new one.",
  assertion_proof_missing: key,
  wrong_key: key,
  assertion_unbound:
    "The service accepts only assertions that are bound to a key, or clients that prove who they are.",
  unknown_grant: grant,
  foreign_client: grant,
  grant_revoked: grant,
  grant_expired: grant,
  user_disabled: "The account is disabled. Ask an administrator.",
};

/** The refusal of an identity assertion. `reason` is for logs and audit. */
export function invalidAssertion(reason: string, cause?: unknown): OAuthError {
  return new OAuthError("invalid_grant", reason, explanations[reason] ?? person, { cause });
}
