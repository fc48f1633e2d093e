/** oidc-provider in a process of its own: `oidc-process.js PORT [POSTGRES_URL]`; in memory without a database. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { generateEs256KeyPair } from "@authz/dpop";
import { type Client, type Configuration, Provider } from "oidc-provider";
import { Pool } from "pg";
import { clientIds, codeVerifier, redirectUri, scope } from "../authz/people.js";
import { answerQuestions } from "../child-process.js";
import { createMemoryAdapter, createPostgresAdapter } from "./oidc-adapters.js";

/** Who signed in with which client, and the key of the device. */
interface SignIn {
  readonly jkt: string;
  readonly clientId: string;
  readonly accountId: string;
}

export interface SeedQuestion {
  readonly kind: "grants" | "codes";
  readonly signIns: readonly SignIn[];
}

const apiResource = "http://127.0.0.1:3101/api";
const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");

const [port = "", postgresUrl] = process.argv.slice(2);
const { privateJwk } = await generateEs256KeyPair();
/**
 * It does what ours does with a refresh and a code: DPoP with replay detection, a rotated refresh token, a JWT access token (not stored)
 * and an ID token, both ES256.
 */
const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter:
    postgresUrl === undefined
      ? createMemoryAdapter()
      : await createPostgresAdapter(new Pool({ connectionString: postgresUrl, max: 10 })),
  clients: clientIds.map((clientId) => ({
    client_id: clientId,
    application_type: "native",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    redirect_uris: [redirectUri],
    dpop_bound_access_tokens: true,
    id_token_signed_response_alg: "ES256",
  })),
  jwks: { keys: [{ ...privateJwk, alg: "ES256", use: "sig", kid: "benchmark" }] },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"], dPoPSigningAlgValues: ["ES256"] },
  cookies: { keys: [randomBytes(32).toString("base64url")] },
  scopes: scope.split(" "),
  claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: "Ada Lovelace", email: "ada@acme.example", email_verified: true }),
  }),
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => false, allowReplay: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => apiResource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope,
        audience: apiResource,
        accessTokenFormat: "jwt",
        accessTokenTTL: 300,
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
  ttl: {
    AccessToken: 300,
    AuthorizationCode: 600,
    Grant: 90 * 24 * 3600,
    IdToken: 300,
    RefreshToken: 30 * 24 * 3600,
  },
} satisfies Configuration);
const answer = provider.callback();
const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(Number(port), "127.0.0.1");
await once(server, "listening");

answerQuestions(async ({ kind, signIns }: SeedQuestion) => {
  const seed = kind === "grants" ? seedGrant : seedCode;
  const secrets: string[] = [];
  for (let next = 0; next < signIns.length; next += 100)
    secrets.push(...(await Promise.all(signIns.slice(next, next + 100).map(seed))));
  return secrets;
});

/** Writes what sign-in and consent would have written, through the library's own models. */
async function seedGrant(signIn: SignIn): Promise<string> {
  const rotation = { rotations: 0, iiat: Math.floor(Date.now() / 1000) };
  const token = new provider.RefreshToken({ ...(await consent(signIn)), ...rotation });
  token.jkt = signIn.jkt;
  return await token.save();
}

async function seedCode(signIn: SignIn): Promise<string> {
  const challenge = { redirectUri, codeChallenge, codeChallengeMethod: "S256", dpopJkt: signIn.jkt };
  return await new provider.AuthorizationCode({ ...(await consent(signIn)), ...challenge }).save();
}

async function consent({ accountId, clientId }: SignIn) {
  const client = (await provider.Client.find(clientId)) as Client;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  grant.addResourceScope(apiResource, scope);
  return {
    accountId,
    client,
    grantId: await grant.save(),
    gty: "authorization_code",
    scope,
    authTime: Math.floor(Date.now() / 1000),
    claims: {},
    resource: apiResource,
  };
}
