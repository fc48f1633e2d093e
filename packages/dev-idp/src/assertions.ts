import { createPrivateKey, type JsonWebKey, type KeyObject, randomUUID, sign } from "node:crypto";
import { type Client, errors, type Provider } from "oidc-provider";
import type { Person } from "./people.js";
import type { DevIdpSecrets } from "./secrets.js";

/** Another authorization server to which this provider vouches for its people in an application. */
export interface AssertionAudience {
  /** Its issuer. */
  readonly issuer: string;
  /** The application's id there: the address of its metadata document, or its registered id. */
  readonly clientId: string;
}

/** Where an application may take its people. */
type AssertionAudiences = ReadonlyMap<string, readonly AssertionAudience[]>;

export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The token type of an identity assertion. */
export const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";
const lifetimeSeconds = 300;
const parameterPattern = [
  "subject_token",
  "subject_token_type",
  "requested_token_type",
  "audience",
  "resource",
  "scope",
] as const;

type Parameters = { readonly [Name in (typeof parameterPattern)[number]]?: string };

export interface AssertionOptions {
  readonly audiences: AssertionAudiences;
  readonly people: ReadonlyMap<string, Person>;
  readonly secrets: DevIdpSecrets;
}

/**
 * Lets applications exchange the ID token of a person for an identity assertion (ID-JAG) for another authorization server: RFC 8693, and
 * draft-ietf-oauth-identity-assertion-authz-grant §4.3. Which services and scopes it may be used for is left to that server.
 */
export function registerTokenExchange(provider: Provider, options: AssertionOptions): void {
  const signingKey = options.secrets.signingKey as JsonWebKey;
  const key = createPrivateKey({ key: signingKey, format: "jwk" });
  provider.registerGrantType<Parameters>(
    tokenExchange,
    async (context) => {
      const { client, params } = context.oidc;
      requireKnownKinds(params);
      const { audience, resource, scope, subject_token: idToken = "" } = params;
      const known = options.audiences.get(client.clientId)?.find(({ issuer }) => issuer === audience);
      if (known === undefined || resource === undefined)
        throw new errors.InvalidTarget("This application may not go there.");
      const subject = await readSubject(provider, idToken, client);
      const person = options.people.get(subject.sub);
      if (person === undefined) throw new errors.InvalidGrant("Nobody here has this account.");
      const now = Math.floor(Date.now() / 1000);
      context.body = {
        access_token: signAssertion(key, {
          iss: provider.issuer,
          sub: person.id,
          aud: known.issuer,
          client_id: known.clientId,
          resource,
          ...(scope !== undefined && { scope }),
          email: person.email,
          email_verified: person.emailVerified ?? true,
          ...(subject.authTime !== undefined && { auth_time: subject.authTime }),
          jti: randomUUID(),
          iat: now,
          exp: now + lifetimeSeconds,
        }),
        issued_token_type: idJag,
        token_type: "N_A",
        expires_in: lifetimeSeconds,
        ...(scope !== undefined && { scope }),
      };
    },
    parameterPattern,
  );
}

function requireKnownKinds(params: Parameters): void {
  if (params.requested_token_type !== idJag)
    throw new errors.InvalidRequest(`The requested_token_type must be ${idJag}.`);
  if (params.subject_token_type !== idTokenType)
    throw new errors.InvalidRequest(`The subject_token_type must be ${idTokenType}.`);
}

/** Takes an ID token that this provider gave to this very client, and that is not over. */
async function readSubject(
  provider: Provider,
  idToken: string,
  client: Client,
): Promise<{ readonly sub: string; readonly authTime: number | undefined }> {
  try {
    const { payload } = await provider.IdToken.validate(idToken, client);
    const { sub, exp, auth_time: authTime } = payload;
    if (typeof sub === "string" && typeof exp === "number" && exp * 1000 > Date.now())
      return { sub, authTime: typeof authTime === "number" ? authTime : undefined };
  } catch {
    // It is refused below.
  }
  throw new errors.InvalidGrant("The ID token is not valid for this application, or no longer.");
}

function signAssertion(key: KeyObject, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const input = `${encode({ alg: "RS256", typ: "oauth-id-jag+jwt" })}.${encode(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
}
