import type { Clock } from "@authz/dpop";
import type { IssuerKeys } from "../discovery/issuer-keys.js";
import {
  checkAudience,
  checkClient,
  checkIssuer,
  checkLifetime,
  checkResource,
  type Profile,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSubject,
  readTokenId,
} from "../jwt/claims.js";
import { checkSignature, type JwtKind, parseJwt } from "../jwt/jwt.js";

/** What a verified identity assertion says. */
export interface IdentityAssertion {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly profile: Profile;
  readonly keyThumbprint: string | undefined;
  readonly tokenId: string;
  readonly expiresAt: number;
}

/** For whom an assertion has to be, and who may have signed it. */
export interface AssertionExpectation {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly resource: string;
  readonly clientId: string;
  readonly issuerKeys: IssuerKeys;
  readonly clock: Clock;
}

const kind: JwtKind = { code: "invalid_grant", type: "oauth-id-jag+jwt", maxBytes: 16 * 1024 };
const maximumSeconds = 300;

/**
 * Verifies an identity assertion (ID-JAG): signature, type, issuer, audience, client, resource, lifetime.
 *
 * The issuer is compared before the signature, because it decides whose keys count.
 *
 * @throws {AuthzError} `invalid_grant`
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-3 | RFC 7523 §3}
 */
export async function verifyAssertion(
  text: string,
  expected: AssertionExpectation,
): Promise<IdentityAssertion> {
  const jwt = parseJwt(text, kind);
  checkIssuer(jwt, expected.issuer);
  checkSignature(jwt, await expected.issuerKeys.find(jwt.kid));
  checkAudience(jwt, expected.publicOrigin);
  checkClient(jwt, expected.clientId);
  checkResource(jwt, expected.resource);
  const { expiresAt } = checkLifetime(jwt, Math.floor(expected.clock() / 1000), maximumSeconds);
  return {
    subject: readSubject(jwt),
    clientId: expected.clientId,
    scopes: readScopes(jwt),
    profile: readProfile(jwt),
    keyThumbprint: readKeyThumbprint(jwt),
    tokenId: readTokenId(jwt),
    expiresAt,
  };
}
