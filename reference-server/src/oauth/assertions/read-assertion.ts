import {
  decodeBase64url,
  hasType,
  JwsError,
  type JsonObject,
  parseStrictJsonObject,
  splitCompact,
} from "@authz/dpop/jws";
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
import { lifetimes } from "../../protocol/vocabulary.js";
import { inSeconds, tokenHeaders } from "../tokens/claims.js";

/** An identity assertion whose form is right. Nothing in it is verified yet. */
export interface ReadAssertion {
  readonly token: string;
  /** Whose key it has to be signed with. */
  readonly issuer: string;
  readonly claims: JsonObject;
}

/** What a verified identity assertion says, as far as this server asks. */
export interface AssertionClaims {
  readonly subject: string;
  readonly tokenId: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  /** In canonical form. */
  readonly resource: string;
  /** `undefined`: its issuer leaves that to this server. */
  readonly scopes: readonly string[] | undefined;
  /** The key that it is bound to. */
  readonly jkt: string | undefined;
}

export const maxAssertionBytes = 16_384;

/**
 * Parses an assertion (ID-JAG) strictly: canonical base64url, each member once, no extension, the type of its kind. Whatever looks at
 * it afterwards sees the same.
 *
 * @throws {JwtError} `malformed`, `type` or `issuer`
 */
export function readAssertion(token: string): ReadAssertion {
  const { header, claims } = parse(token);
  if (!hasType(header, tokenHeaders.identityAssertion)) throw new JwtError("type");
  const { iss: issuer } = claims;
  // No issuer that is registered is longer, and NUL would be an error of the database.
  if (typeof issuer !== "string" || !/^[\x21-\x7e]{1,2048}$/.test(issuer)) throw new JwtError("issuer");
  return { token, issuer, claims };
}

function parse(token: string): { readonly header: JsonObject; readonly claims: JsonObject } {
  try {
    const { headerSegment, payloadSegment, signatureSegment } = splitCompact(token, maxAssertionBytes);
    decodeBase64url(signatureSegment);
    const header = parseStrictJsonObject(decodeBase64url(headerSegment));
    if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) throw new JwsError("critical_header");
    return { header, claims: parseStrictJsonObject(decodeBase64url(payloadSegment)) };
  } catch (cause) {
    if (cause instanceof JwsError) throw new JwtError("malformed", { cause });
    throw cause;
  }
}

/** For whom an assertion has to be made, and when. */
export interface RedemptionPlace {
  /** Of this server. */
  readonly issuer: string;
  readonly clientId: string;
  readonly now: Date;
}

/**
 * Judges the claims of an assertion, whoever signed it. Pure.
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
 * The service that an assertion is for, in canonical form. One, as a text or a list of one: what is good for several would not say
 * which. `undefined` when it names none in the form of RFC 8707.
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
