import type { Clock } from "@authz/dpop";
import {
  type Actor,
  checkAudience,
  checkClient,
  checkIssuer,
  checkLifetime,
  checkResource,
  checkSignature,
  type JwtKind,
  type Profile,
  parseJwt,
  readActor,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSessionId,
  readStatusIndex,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import type { IssuerKeys } from "../issuer/issuer-keys.js";
import type { StatusList } from "../issuer/status-list.js";
import { matching } from "../mismatch.js";

/** The content of a verified identity assertion. */
export interface IdentityAssertion {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly profile: Profile;
  readonly actor: Actor | undefined;
  /** The app's session at the issuer. */
  readonly sessionId: string | undefined;
  readonly keyThumbprint: string | undefined;
  /** The entry in the issuer's token status list. */
  readonly statusIndex: number | undefined;
  readonly tokenId: string;
  readonly expiresAt: number;
}

/** The expected claims of an assertion, and the keys of its issuer. */
export interface AssertionExpectation {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly resource: string;
  readonly clientId: string;
  readonly issuerKeys: IssuerKeys;
  readonly statusList: StatusList;
  readonly clock: Clock;
}

const kind: JwtKind = { type: "oauth-id-jag+jwt", maxBytes: 16 * 1024 };
const maximumSeconds = 300;

/**
 * Verifies an identity assertion (ID-JAG): signature, type, issuer, audience, client, resource, lifetime.
 *
 * The issuer is compared before the signature, because it selects the keys.
 *
 * @throws {JwtError}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-3 | RFC 7523 §3}
 */
export async function verifyAssertion(
  assertion: string,
  expected: AssertionExpectation,
): Promise<IdentityAssertion> {
  const jwt = parseJwt(assertion, kind);
  const { claims } = jwt;
  const { issuer, publicOrigin, clientId, resource, statusList } = expected;
  matching("issuer", issuer, claims["iss"], () => checkIssuer(claims, issuer));
  checkSignature(jwt, await expected.issuerKeys.find(jwt.kid));
  matching("publicOrigin", publicOrigin, claims["aud"], () => checkAudience(claims, publicOrigin));
  matching("clientId", clientId, claims["client_id"], () => checkClient(claims, clientId));
  matching("resource", resource, claims["resource"], () => checkResource(claims, resource));
  const now = Math.floor(expected.clock() / 1000);
  const { expiresAt } = checkLifetime(claims, { now, maximum: maximumSeconds });
  return {
    subject: readSubject(claims),
    clientId,
    scopes: readScopes(claims),
    profile: readProfile(claims),
    actor: readActor(claims, issuer),
    sessionId: readSessionId(claims),
    keyThumbprint: readKeyThumbprint(claims),
    statusIndex: statusList.uri === undefined ? undefined : readStatusIndex(claims, statusList.uri),
    tokenId: readTokenId(claims),
    expiresAt,
  };
}
