import { generateKeyPairSync, randomBytes } from "node:crypto";
import { type Configuration, type JWK, Provider } from "oidc-provider";
import type { Account } from "./accounts.js";
import type { Memory } from "./memory.js";
import { messagePage } from "./pages.js";

/** An application that was registered here: a confidential client with a secret. */
export interface DevNotesClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Shown on the consent page. Default: the client id. */
  readonly name?: string;
  readonly redirectUris: readonly string[];
}

/** What an app may ask for, in the words of the consent page. */
export const scopeWords: Readonly<Record<string, string>> = {
  "notes:read": "Read all your notes",
  "notes:write": "Create and delete notes",
};

/** The cookie with which the provider knows who signed in. */
export const SESSION_COOKIE = "dev_notes_session";

const SHORT_SECONDS = 600;
const DAY_SECONDS = 86_400;

/** Short, so that a few minutes of use include a refresh. */
const ACCESS_TOKEN_SECONDS = 120;

/** Builds the OAuth 2.0 provider: code flow with PKCE, refresh tokens that work once, revocation, introspection. */
export function createProvider(
  issuer: string,
  options: {
    readonly clients: readonly DevNotesClient[];
    readonly accounts: ReadonlyMap<string, Account>;
    readonly memory: Memory;
  },
): Provider {
  return new Provider(issuer, {
    adapter: options.memory.adapter,
    clients: options.clients.map(({ clientId, clientSecret, name, redirectUris }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      client_name: name ?? clientId,
      redirect_uris: [...redirectUris],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    })),
    jwks: { keys: [generateSigningKey()] },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      // Cookies do not know ports: everything on 127.0.0.1 shares one jar, so the names must be ours alone.
      names: {
        session: SESSION_COOKIE,
        interaction: "dev_notes_interaction",
        resume: "dev_notes_interaction_resume",
      },
    },
    scopes: ["openid", "email", "offline_access", ...Object.keys(scopeWords)],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_context, id) => {
      const account = options.accounts.get(id);
      return account === undefined
        ? undefined
        : { accountId: id, claims: () => ({ sub: id, email: account.email, email_verified: true }) };
    },
    // Prompts each time, so that the page is always shown; earlier permissions stay in the same grant.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    // Access outlives the browser session in which it was allowed, and another person's sign-in, as is common.
    expiresWithSession: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: isOwnToken },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      rpInitiatedLogout: { enabled: false },
    },
    pkce: { required: () => true },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: 60,
      Grant: DAY_SECONDS,
      IdToken: SHORT_SECONDS,
      Interaction: SHORT_SECONDS,
      RefreshToken: DAY_SECONDS,
      Session: SHORT_SECONDS,
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = "html";
      context.body = messagePage(
        "This request cannot be answered",
        [error, description].filter(Boolean).join(": "),
      );
    },
  } satisfies Configuration);
}

/** An app is told about its own tokens only, and revokes no others. */
function isOwnToken(
  _context: unknown,
  client: { clientId: string },
  token: { clientId?: string | undefined },
): boolean {
  return token.clientId === client.clientId;
}

function generateSigningKey(): JWK {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
}
