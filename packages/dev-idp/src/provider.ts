import { type Configuration, Provider } from "oidc-provider";
import { type AssertionAudience, idJag, registerTokenExchange, tokenExchange } from "./assertions.js";
import type { Disturbances } from "./disturbance.js";
import type { Memory } from "./memory.js";
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
  /** Its refresh tokens: replaced at each use, used again and again, or none. Default: `rotating`. */
  readonly refreshTokens?: "rotating" | "reusable" | "none";
}

/** The cookie with which the provider would remember who signed in. */
export const sessionCookie = "dev_idp_session";

const scopeColumn = "openid profile email groups offline_access";
const shortSeconds = 600;
const sessionSeconds = 3600;
const refreshSeconds = 30 * 24 * 3600;

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
    readonly memory: Memory;
    readonly disturbances: Pick<Disturbances, "current">;
  },
): Provider {
  const { clients, people, secrets, memory, disturbances } = options;
  const refreshTokens = new Map(clients.map(({ clientId, refreshTokens: kind }) => [clientId, kind]));
  const provider = new Provider(issuer, {
    adapter: memory.adapter,
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
      const lie = disturbances.current();
      const shown = lie?.kind === "lie" ? people.get(lie.as) : person;
      return person && shown && { accountId: shown.id, claims: () => claimsOf(shown) };
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
    // Like Keycloak: oidc-provider would want to ask for consent before `offline_access`, which implies nothing here.
    issueRefreshToken: async (_context, { clientId }) => refreshTokens.get(clientId) !== "none",
    rotateRefreshToken: ({ oidc: { client } }) => refreshTokens.get(client?.clientId ?? "") !== "reusable",
    expiresWithSession: () => false,
    discovery: { identity_chaining_requested_token_types_supported: [idJag] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true },
    },
    pkce: { required: () => false },
    ttl: {
      AccessToken: shortSeconds,
      AuthorizationCode: 60,
      Grant: refreshSeconds,
      IdToken: shortSeconds,
      Interaction: shortSeconds,
      RefreshToken: refreshSeconds,
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
