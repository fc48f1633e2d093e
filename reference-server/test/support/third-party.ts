import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { generateSecrets } from "@authz/dev-idp";
import { createMemory } from "@authz/dev-idp/parts";
import { type Configuration, type OIDCContext, Provider } from "oidc-provider";
import { type ApiRequest, answerApi } from "./third-party-api.js";

/** Whoever has an account at the third party. */
interface ThirdPartyPerson {
  readonly subject: string;
  readonly email: string;
}

/** Where a failure can be switched on. `api` is everything below `ThirdParty.api`. */
type ThirdPartyPlace = "authorization" | "token" | "revocation" | "userinfo" | "discovery" | "api";

/**
 * What goes wrong. `afterwards` means that the third party has done its work before: it has rotated a refresh token,
 * say, and only the answer is lost or late.
 */
export type ThirdPartyFailure =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "break"; readonly afterwards?: boolean }
  | { readonly kind: "wait"; readonly afterwards?: boolean; readonly until: Promise<unknown> };

interface TokenRequest {
  readonly grantType: string;
  readonly status: number;
}

/** A third party with an OAuth provider, refresh-token rotation, revocation, and an API that takes its tokens. */
export interface ThirdParty {
  readonly issuer: string;
  /** The address below which the API is; the answers are described in third-party-api.ts. */
  readonly api: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Scopes that it knows besides `openid`, `profile`, `email` and `offline_access`. */
  readonly scopes: readonly string[];
  /** Who is signed in there. */
  person: ThirdPartyPerson;
  /** What that person answers at the consent page, which needs no click here. */
  consent: { readonly denied?: boolean; readonly leftOut?: readonly string[] };
  /** Access tokens of this many seconds from now on; an hour at first. */
  accessTokenSeconds: number;
  /** Whether it gives refresh tokens at all. */
  refreshTokens: boolean;
  /** What is switched on, until it is deleted. */
  readonly failures: Map<ThirdPartyPlace, ThirdPartyFailure>;
  /** What came in, in order, with the status of its work. */
  readonly tokenRequests: readonly TokenRequest[];
  readonly revocationRequests: readonly { readonly hint: string | undefined; readonly status: number }[];
  readonly apiRequests: readonly ApiRequest[];
  /** How often a refresh token came in. */
  refreshes(): number;
  /** Takes scopes from everything that was granted so far. */
  shrinkGrants(scopes: readonly string[]): Promise<void>;
  /** Ends everything that was granted so far, as a person or an administrator does there. */
  revokeGrants(): Promise<void>;
  /** Whether a token works at this moment. */
  isLive(token: string): Promise<boolean>;
  close(): Promise<void>;
}

const scopes = ["notes:read", "notes:write", "notes:share"];
const standardScopes = ["openid", "profile", "email", "offline_access"];
const client = { id: "authz-connector", secret: "third-party-client-secret" };

const cookieName = (name: string) => `third_party_${name}`;

/** Starts the third party on a free port. `redirectUris` are those of the authorization server under test. */
export async function startThirdParty(options: {
  readonly redirectUris: readonly string[];
}): Promise<ThirdParty> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const grantIds = new Set<string>();
  const tokenRequests: TokenRequest[] = [];
  const revocationRequests: { hint: string | undefined; status: number }[] = [];
  const apiRequests: ApiRequest[] = [];

  const thirdParty: ThirdParty = {
    issuer,
    api: `${issuer}/api`,
    client,
    scopes,
    person: { subject: "ada-elsewhere", email: "ada@private.example" },
    consent: {},
    accessTokenSeconds: 3600,
    refreshTokens: true,
    failures: new Map(),
    tokenRequests,
    revocationRequests,
    apiRequests,
    refreshes: () => tokenRequests.filter(({ grantType }) => grantType === "refresh_token").length,
    async shrinkGrants(taken) {
      for (const id of grantIds) {
        const grant = await provider.Grant.find(id);
        grant?.rejectOIDCScope(taken.join(" "));
        await grant?.save();
      }
    },
    async revokeGrants() {
      for (const id of grantIds) {
        await (await provider.Grant.find(id))?.destroy();
      }
    },
    isLive: async (token) =>
      (await findToken(provider.AccessToken, token)) || (await findToken(provider.RefreshToken, token)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const provider = new Provider(issuer, await configure(thirdParty, options.redirectUris));
  provider.on("grant.saved", ({ jti }) => void grantIds.add(jti));
  provider.use(async (context, next) => {
    const place = placeOf(context.path);
    if (await failBefore(thirdParty, place, context.res)) {
      context.respond = false;
      return;
    }
    await next();
    record(context.path, context.status, (context as { oidc?: OIDCContext }).oidc?.params);
    const failure = thirdParty.failures.get(place);
    if (failure?.kind === "wait" && failure.afterwards === true) await failure.until;
    if (failure?.kind === "break" && failure.afterwards === true) context.req.socket.destroy();
  });

  function record(path: string, status: number, parameters: Readonly<Record<string, unknown>> = {}): void {
    if (path === "/token") tokenRequests.push({ grantType: String(parameters["grant_type"]), status });
    const hint = parameters["token_type_hint"];
    if (path === "/token/revocation") {
      revocationRequests.push({ hint: typeof hint === "string" ? hint : undefined, status });
    }
  }

  async function callApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await failBefore(thirdParty, "api", response)) return;
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const found = token === undefined ? undefined : await provider.AccessToken.find(token);
    const grant = found?.grantId === undefined ? undefined : await provider.Grant.find(found.grantId);
    const granted = grant === undefined ? undefined : [...(found?.scopes ?? [])];
    await answerApi({ request, response, issuer, token, scopes: granted, record: apiRequests });
  }

  const protocol = provider.callback();
  server.on("request", (request, response) => {
    forgetSession(request);
    const { pathname } = new URL(request.url ?? "/", issuer);
    if (pathname.startsWith("/interaction/")) {
      void interact({ provider, thirdParty }, request, response);
    } else if (pathname.startsWith("/api/")) {
      void callApi(request, response);
    } else {
      void protocol(request, response);
    }
  });
  return thirdParty;
}

/** Whoever is there at the next request may be somebody else. */
function forgetSession({ headers }: IncomingMessage): void {
  const kept = headers.cookie?.split("; ").filter((pair) => !pair.startsWith(cookieName("session")));
  headers.cookie = kept?.join("; ");
}

async function findToken(
  model: { find(id: string): Promise<{ readonly isValid: boolean } | undefined> },
  token: string,
): Promise<boolean> {
  return (await model.find(token))?.isValid ?? false;
}

function placeOf(path: string): ThirdPartyPlace {
  if (path === "/token") return "token";
  if (path === "/token/revocation") return "revocation";
  if (path === "/me") return "userinfo";
  return path.startsWith("/.well-known/") || path === "/jwks" ? "discovery" : "authorization";
}

/** Whether the request ends here. */
async function failBefore(
  { failures }: ThirdParty,
  place: ThirdPartyPlace,
  response: ServerResponse,
): Promise<boolean> {
  const failure = failures.get(place);
  if (failure === undefined) return false;
  if (failure.kind === "answer") {
    const { status, headers, body = "" } = failure;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    return true;
  }
  if (failure.afterwards === true) return false;
  if (failure.kind === "wait") {
    await failure.until;
    return false;
  }
  response.socket?.destroy();
  return true;
}

async function configure(thirdParty: ThirdParty, redirectUris: readonly string[]): Promise<Configuration> {
  const { signingKey, cookieKey } = await generateSecrets();
  return {
    adapter: createMemory().adapter,
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [signingKey] },
    cookies: {
      keys: [cookieKey],
      names: {
        session: cookieName("session"),
        interaction: cookieName("interaction"),
        resume: cookieName("interaction_resume"),
      },
    },
    scopes: [...standardScopes, ...scopes],
    claims: { openid: ["sub"], email: ["email"] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id === thirdParty.person.subject ? thirdParty.person.email : id }),
    }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, caller, token) => token.clientId === caller.clientId,
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => Promise.resolve(thirdParty.refreshTokens),
    rotateRefreshToken: () => true,
    expiresWithSession: () => Promise.resolve(false),
    ttl: {
      AccessToken: () => thirdParty.accessTokenSeconds,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = "text";
      context.body = `${error}: ${description ?? ""}`;
    },
  };
}

/** Signs in whoever is there and answers the consent page, all in one. */
async function interact(
  { provider, thirdParty }: { readonly provider: Provider; readonly thirdParty: ThirdParty },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const { person, consent } = thirdParty;
  if (consent.denied === true) {
    const refusal = { error: "access_denied", error_description: "The person said no." };
    return await provider.interactionFinished(request, response, refusal);
  }
  const grant = new provider.Grant({ accountId: person.subject, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  if (consent.leftOut !== undefined && consent.leftOut.length > 0) {
    grant.rejectOIDCScope(consent.leftOut.join(" "));
  }
  const grantId = await grant.save();
  const result = { login: { accountId: person.subject, remember: false }, consent: { grantId } };
  return await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
