import { createProofSigner, inMemory, jwkThumbprint, type ProofSigner } from "@authz/dpop";
import {
  type Auth,
  type Authz,
  type AuthzLogEvent,
  type AuthzOptions,
  type AuthzRequest,
  type AuthzResponse,
  findRoute,
  initAuthz,
  type Policy,
  type RouteRequest,
} from "@authz/verify";
import { Refused } from "./expect.js";
import { clientKey, issuerKey, type JwtDraft, otherKey, serviceKey, signDraft } from "./jwt.js";

export const issuer = "https://authz.example.com";
export const publicOrigin = "https://contracts.example.com";
export const resource: string = `${publicOrigin}/api`;
export const tokenEndpoint: string = `${publicOrigin}/oauth/token`;
export const metadataUrl: string = `${publicOrigin}/.well-known/oauth-protected-resource/api`;
export const startSeconds = 1_790_000_000;

/** A clock that stands still until a test moves it. */
export interface TestClock {
  (): number;
  advance(seconds: number): void;
}

export function createClock(): TestClock {
  let milliseconds = startSeconds * 1000;
  return Object.assign(() => milliseconds, {
    advance(seconds: number) {
      milliseconds += seconds * 1000;
    },
  });
}

/** Serves the issuer's two documents without a network. */
export function issuerFetch(keys: () => readonly object[] = () => [issuerJwk]): typeof fetch {
  return (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname === "/.well-known/oauth-authorization-server") {
      return Promise.resolve(Response.json({ issuer, jwks_uri: `${issuer}/api/oauth/jwks` }));
    }
    if (pathname === "/api/oauth/jwks") return Promise.resolve(Response.json({ keys: keys() }));
    return Promise.resolve(new Response(null, { status: 404 }));
  };
}

export const issuerJwk: object = { ...issuerKey.publicJwk, kid: "issuer-1", use: "sig", alg: "ES256" };

export const signingKey = { kid: "service-1", ...serviceKey };

/** The smallest right set of options. */
export function baseOptions(): AuthzOptions {
  return {
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write", "contracts:sign"],
    signingKey,
    replayStore: inMemory(),
  };
}

/** A service, its issuer and a client, all in this process. */
export interface World {
  readonly authz: Authz;
  readonly clock: TestClock;
  readonly events: AuthzLogEvent[];
  readonly client: ProofSigner;
  /** The reasons of all refusals so far. */
  reasons(): readonly string[];
  /** Decides about a request and returns its caller; rejects with `Refused`. */
  authenticate(request: AuthzRequest, policy?: Policy): Promise<Auth>;
  assertion(change?: (draft: JwtDraft) => void): string;
  exchange(parameters: Record<string, string>, dpop?: readonly string[]): Promise<AuthzResponse>;
  token(change?: (draft: JwtDraft) => void): Promise<string>;
  request(changes: RequestChanges): AuthzRequest;
  get(path: string, request?: Partial<RouteRequest>): Promise<AuthzResponse>;
}

interface RequestChanges {
  readonly token: string;
  readonly signer?: ProofSigner;
  readonly method?: string;
  readonly url?: string;
  readonly htu?: string;
}

export function createWorld(changes: Partial<AuthzOptions> = {}): World {
  const clock = createClock();
  const events: AuthzLogEvent[] = [];
  const authz = initAuthz(issuer, {
    ...baseOptions(),
    replayStore: inMemory({ clock }),
    fetch: issuerFetch(),
    clock,
    log: (event) => void events.push(event),
    ...changes,
  });
  const client = createProofSigner(clientKey, { clock });
  const seconds = (): number => Math.floor(clock() / 1000);

  const world: World = {
    authz,
    clock,
    events,
    client,
    reasons: () => events.flatMap((event) => (event.type === "refused" ? [event.reason] : [])),
    async authenticate(request, policy) {
      const decision = await authz.decide(request, policy);
      if (decision.refusal === undefined) return decision.auth;
      const event = events.findLast(({ type }) => type === "refused");
      throw new Refused(decision.refusal, event?.type === "refused" ? event.reason : undefined);
    },
    assertion(change = () => {}) {
      const draft = assertionDraft(seconds());
      change(draft);
      return signDraft(draft);
    },
    exchange(parameters, dpop = [client.sign({ method: "POST", url: tokenEndpoint })]) {
      return callRoute(authz, "POST", "/oauth/token", {
        dpop,
        contentType: ["application/x-www-form-urlencoded"],
        body: new URLSearchParams({ grant_type: jwtBearer, ...parameters }).toString(),
      });
    },
    async token(change) {
      const answer = await world.exchange({ assertion: world.assertion(change) });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body} ${world.reasons().join()}`);
      return (JSON.parse(answer.body) as { access_token: string }).access_token;
    },
    request({ token, signer = client, method = "GET", url = "/api/contracts", htu }) {
      const proof = signer.sign({ method, url: htu ?? `${publicOrigin}/api/contracts`, accessToken: token });
      return { method, url, authorization: [`DPoP ${token}`], dpop: [proof] };
    },
    get: (path, request = {}) => callRoute(authz, "GET", path, request),
  };
  return world;
}

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const jwtDpop = "urn:ietf:params:oauth:grant-type:jwt-dpop";

/** Calls a mounted route as an adapter does. Bytes are given as text of one character each. */
export async function callRoute(
  authz: Authz,
  method: "GET" | "POST",
  path: string,
  changes: Partial<RouteRequest>,
): Promise<AuthzResponse> {
  const route = findRoute(authz.routes, { method, url: path });
  if (route === undefined) throw new Error(`No route ${method} ${path}`);
  const request = { method, url: path, authorization: [], dpop: [], contentType: [], ifNoneMatch: [] };
  const answer = await route.handle({ ...request, ...changes });
  const { body } = answer;
  return { ...answer, body: typeof body === "string" ? body : Buffer.from(body).toString("latin1") };
}

let counter = 0;

/** An identity assertion that is right in every respect. */
export function assertionDraft(nowSeconds: number): JwtDraft {
  return {
    header: { alg: "ES256", typ: "oauth-id-jag+jwt", kid: "issuer-1" },
    claims: {
      iss: issuer,
      sub: "user-1",
      aud: publicOrigin,
      client_id: "authz-cli",
      resource,
      scope: "contracts:read contracts:write",
      email: "ada@acme.example",
      name: "Ada",
      auth_time: nowSeconds - 60,
      act: { sub: "authz-cli" },
      cnf: { jkt: jwkThumbprint(clientKey.publicJwk) },
      jti: `assertion-${counter++}`,
      iat: nowSeconds,
      exp: nowSeconds + 300,
    },
    key: issuerKey,
  };
}

/** An access token of this service that is right in every respect. */
export function accessTokenDraft(nowSeconds: number = startSeconds): JwtDraft {
  return {
    header: { alg: "ES256", typ: "at+jwt", kid: "service-1" },
    claims: {
      iss: publicOrigin,
      sub: "user-1",
      aud: resource,
      client_id: "authz-cli",
      scope: "contracts:read",
      cnf: { jkt: jwkThumbprint(clientKey.publicJwk) },
      jti: `token-${counter++}`,
      iat: nowSeconds,
      exp: nowSeconds + 600,
    },
    key: serviceKey,
  };
}

/** An access token that the issuer gave to a machine, right in every respect. */
export function machineTokenDraft(nowSeconds: number = startSeconds): JwtDraft {
  const draft = accessTokenDraft(nowSeconds);
  draft.header["kid"] = "issuer-1";
  draft.key = issuerKey;
  Object.assign(draft.claims, { iss: issuer, sub: "nightly-report", client_id: "nightly-report" });
  return draft;
}

/** The id of an app at the authorization server: the address of its metadata document. */
export const app = "https://agent.example/client.json";

/** An access token that the issuer gave to a person's app for this service, right in every respect. */
export function personTokenDraft(nowSeconds: number = startSeconds): JwtDraft {
  const draft = machineTokenDraft(nowSeconds);
  Object.assign(draft.claims, {
    sub: "user-1",
    client_id: app,
    act: { sub: app },
    sid: "grant-1",
    auth_time: nowSeconds - 60,
    amr: ["pwd"],
    email: "ada@acme.example",
    name: "Ada",
    exp: nowSeconds + 300,
  });
  return draft;
}

/** A service assertion with which the issuer asks for the catalog. */
export function catalogDraft(nowSeconds: number = startSeconds): JwtDraft {
  return {
    header: { alg: "ES256", typ: "authz-skills+jwt", kid: "issuer-1" },
    claims: {
      iss: issuer,
      sub: issuer,
      aud: publicOrigin,
      jti: `catalog-${counter++}`,
      iat: nowSeconds,
      exp: nowSeconds + 60,
    },
    key: issuerKey,
  };
}

export { otherKey };
