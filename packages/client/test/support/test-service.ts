import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createProofChecker, DpopError, inMemory, spendProof } from "@authz/dpop";
import { parseCompactJws, sha256Base64url, verifyEs256 } from "@authz/dpop/jws";
import {
  publicKeyOf,
  type RegisteredService,
  type TestAuthorizationServer,
} from "./test-authorization-server.js";
import {
  oauthError,
  type SeenRequest,
  startTestServer,
  type TestAnswer,
  type TestServer,
} from "./test-http.js";

interface IssuedToken {
  jkt: string;
  scope: string;
  expiresAt: number;
}

/** A service that takes identity assertions, and what a test may change about it. */
export interface TestService extends TestServer {
  registration: RegisteredService;
  tokens: Map<string, IssuedToken>;
  nonce: string | undefined;
  tokenSeconds: number;
  /** Answers authorized requests under `/api`. */
  handle: (request: SeenRequest, response: ServerResponse) => Promise<TestAnswer | undefined>;
}

/** Starts a service and registers it. Its routes under `/api` need one of the service's own tokens and a proof. */
export async function startTestService(
  authorizationServer: TestAuthorizationServer,
  { key = "contracts", clock = Date.now }: { key?: string; clock?: () => number } = {},
): Promise<TestService> {
  const checker = createProofChecker({ clock });
  const replayStore = inMemory({ clock });
  const base = await startTestServer(async (request, response) => await route(request, response));
  const origin = base.origin;
  const service: TestService = Object.assign(base, {
    registration: {
      key,
      name: `Service ${key}`,
      resource: `${origin}/api`,
      authorizationServer: origin,
      clientId: `${key}-cli`,
      requestPrefixes: [`${origin}/api`],
      supportedScopes: [`${key}:read`, `${key}:write`],
      grantedScopes: [`${key}:read`],
    },
    tokens: new Map<string, IssuedToken>(),
    nonce: undefined,
    tokenSeconds: 600,
    handle: async (request: SeenRequest) => ({
      status: 200,
      body: { path: request.path, method: request.method, body: request.body },
    }),
  });
  authorizationServer.services.push(service.registration);

  async function route(request: SeenRequest, response: ServerResponse): Promise<TestAnswer | undefined> {
    if (request.path === "/.well-known/oauth-authorization-server")
      return {
        status: 200,
        body: {
          issuer: origin,
          token_endpoint: `${origin}/oauth/token`,
          grant_types_supported: ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
        },
      };
    if (request.path === "/oauth/token") return await redeem(request).catch(refusedProof);
    return await guarded(request, response);
  }

  async function proofKey(request: SeenRequest, accessToken?: string): Promise<string> {
    const proof = request.headers.dpop;
    if (typeof proof !== "string") throw new TypeError("no proof");
    const verified = checker.check({
      proof,
      method: request.method,
      url: `${origin}${request.path}`,
      ...(accessToken === undefined ? {} : { accessTokenHash: sha256Base64url(accessToken) }),
    });
    await spendProof(verified, replayStore);
    return verified.thumbprint;
  }

  async function redeem(request: SeenRequest): Promise<TestAnswer> {
    const jwt = parseCompactJws(request.form.get("assertion") ?? "", { maxBytes: 16_384 });
    const issuerKey = publicKeyOf(authorizationServer.keyPair);
    const claims = jwt.payload as Record<string, unknown> & { cnf: { jkt: string } };
    if (!verifyEs256(jwt.signingInput, jwt.signature, issuerKey)) return oauthError(400, "invalid_grant");
    if (claims.aud !== origin || claims.client_id !== request.form.get("client_id"))
      return oauthError(400, "invalid_grant");
    const jkt = await proofKey(request);
    if (claims.cnf.jkt !== jkt) return oauthError(400, "invalid_grant");
    const token = `service-token-${randomUUID()}`;
    const scope = String(claims.scope);
    service.tokens.set(token, { jkt, scope, expiresAt: clock() + service.tokenSeconds * 1000 });
    return {
      status: 200,
      body: { access_token: token, token_type: "DPoP", expires_in: service.tokenSeconds, scope },
    };
  }

  /** Says what time it is here, as servers do. Other errors are thrown on. */
  function refusedProof(error: unknown): TestAnswer {
    if (!(error instanceof DpopError)) throw error;
    return { ...oauthError(400, "invalid_dpop_proof"), headers: { date: new Date(clock()).toUTCString() } };
  }

  /** A token that the authorization server itself gave for this service. */
  function serverToken(accessToken: string): IssuedToken | undefined {
    if (!accessToken.includes(".")) return undefined;
    const jwt = parseCompactJws(accessToken, { maxBytes: 8192 });
    const { aud, cnf, scope, exp } = jwt.payload as Record<string, unknown>;
    if (!verifyEs256(jwt.signingInput, jwt.signature, publicKeyOf(authorizationServer.keyPair)))
      return undefined;
    if (aud !== service.registration.resource) return undefined;
    return { jkt: (cnf as { jkt: string }).jkt, scope: String(scope), expiresAt: Number(exp) * 1000 };
  }

  async function guarded(request: SeenRequest, response: ServerResponse): Promise<TestAnswer | undefined> {
    const accessToken = /^DPoP (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const issued = service.tokens.get(accessToken) ?? serverToken(accessToken);
    if (service.nonce !== undefined && !request.headers.dpop?.includes("."))
      return challenge("invalid_token");
    try {
      if (service.nonce !== undefined && nonceOf(request) !== service.nonce)
        return challenge("use_dpop_nonce", { "dpop-nonce": service.nonce });
      const jkt = await proofKey(request, accessToken);
      if (issued === undefined || issued.jkt !== jkt || issued.expiresAt <= clock())
        return challenge("invalid_token");
    } catch (error) {
      const { headers } = refusedProof(error);
      return challenge("invalid_dpop_proof", headers);
    }
    return await service.handle(request, response);
  }

  return service;
}

function nonceOf(request: SeenRequest): unknown {
  const segment = String(request.headers.dpop).split(".")[1] ?? "";
  return (JSON.parse(Buffer.from(segment, "base64url").toString()) as { nonce?: unknown }).nonce;
}

function challenge(error: string, headers: Record<string, string> = {}): TestAnswer {
  const value = `DPoP algs="ES256", resource_metadata="https://x.example/m", error="${error}"`;
  return { ...oauthError(401, error), headers: { "www-authenticate": value, ...headers } };
}
