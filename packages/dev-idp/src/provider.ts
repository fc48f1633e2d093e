import { type Configuration, Provider } from "oidc-provider";
import { type AssertionAudience, idJag, registerTokenExchange, tokenExchange } from "./assertions.js";
import { createMemory } from "./memory.js";
import { messagePage } from "./pages.js";
import type { Person } from "./people.js";
import type { DevIdpSecrets } from "./secrets.js";

/** An application that may send people here to sign in: a confidential client with a secret. */
export interface DevIdpClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Shown on the sign-in page. Default: the client id. */
  readonly name?: string;
  readonly redirectUris: readonly string[];
  /** Authorization servers for which it gets identity assertions about its people. Default: none. */
  readonly assertionsFor?: readonly AssertionAudience[];
}

/** The cookie with which the provider would remember who signed in. */
export const sessionCookie = "dev_idp_session";

const scopeColumn = "openid profile email groups offline_access";
const shortSeconds = 600;
const sessionSeconds = 3600;

/**
 * Builds the OpenID provider: authorization code flow, RS256, every claim also in the ID token, consent implied, identity assertions by
 * token exchange.
 */
export function createProvider(
  issuer: string,
  options: {
    readonly clients: readonly DevIdpClient[];
    readonly people: ReadonlyMap<string, Person>;
    readonly secrets: DevIdpSecrets;
  },
): Provider {
  const { clients, people, secrets } = options;
  const provider = new Provider(issuer, {
    adapter: createMemory().adapter,
    clients: clients.map(({ clientId, clientSecret, name, redirectUris, assertionsFor = [] }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      client_name: name ?? clientId,
      redirect_uris: [...redirectUris],
      grant_types: [
        "authorization_code",
        "refresh_token",
        ...(assertionsFor.length > 0 ? [tokenExchange] : []),
      ],
      response_types: ["code"],
    })),
    jwks: { keys: [secrets.signingKey] },
    cookies: {
      keys: [secrets.cookieKey],
      // Cookies do not know ports: everything on 127.0.0.1 shares one jar, so the names must be ours alone.
      names: {
        session: sessionCookie,
        interaction: "dev_idp_interaction",
        resume: "dev_idp_interaction_resume",
      },
    },
    scopes: scopeColumn.split(" "),
    claims: {
      openid: ["sub"],
      profile: ["name"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => {
      const person = people.get(id);
      return person === undefined ? undefined : { accountId: id, claims: () => claimsOf(person) };
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) {
        return undefined;
      }
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scopeColumn);
      await grant.save();
      return grant;
    },
    discovery: { identity_chaining_requested_token_types_supported: [idJag] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => false },
    ttl: {
      AccessToken: shortSeconds,
      AuthorizationCode: 60,
      Grant: sessionSeconds,
      IdToken: shortSeconds,
      Interaction: shortSeconds,
      RefreshToken: sessionSeconds,
      Session: sessionSeconds,
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = "html";
      context.body = messagePage(
        "This request cannot be answered",
        [error, description].filter(Boolean).join(": "),
      );
    },
  } satisfies Configuration);
  const audiences = new Map(clients.map(({ clientId, assertionsFor = [] }) => [clientId, assertionsFor]));
  registerTokenExchange(provider, { audiences, people, secrets });
  return provider;
}

function claimsOf(person: Person): { sub: string; [claim: string]: unknown } {
  return {
    sub: person.id,
    name: person.name,
    email: person.email,
    email_verified: person.emailVerified ?? true,
    groups: [...(person.groups ?? [])],
  };
}
