import { createPublicKey, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  createProofChecker,
  DpopError,
  type Es256KeyPair,
  generateEs256KeyPair,
  inMemory,
  spendProof,
} from "@authz/dpop";
import { importPrivateJwk, sha256Base64url } from "@authz/dpop/jws";
import { createTestConnections, type TestConnections } from "./test-connections.js";
import { createTestDeviceGrants, type TestDevice } from "./test-device-grants.js";
import { type Code, createTestGrants, type Grant } from "./test-grants.js";
import {
  oauthError,
  type SeenRequest,
  startTestServer,
  type TestAnswer,
  type TestServer,
} from "./test-http.js";
import type { TestMachine } from "./test-machine-grant.js";

/** A service as the registry of the test server lists it. */
export interface RegisteredService {
  key: string;
  name: string;
  resource: string;
  authorizationServer: string;
  clientId: string;
  requestPrefixes: string[];
  supportedScopes: string[];
  grantedScopes: string[];
}

interface TestSkill {
  id: string;
  title: string;
  description?: string;
  tags: string[];
  requiredScopes: string[];
  allowed: boolean;
  resource: string;
  content: string;
  files?: { path: string; size: number; digest: string }[];
}

/** What a test may change while the server runs. */
export interface TestAuthorizationServer extends TestServer {
  keyPair: Es256KeyPair;
  services: RegisteredService[];
  skills: TestSkill[];
  /** What is at the addresses of files: the id of the skill, a space, and the path. */
  skillFiles: Map<string, string | Uint8Array>;
  /** Whose skills may be missing or old. */
  incomplete: { resource: string; name?: string; state: string; fetchedAt?: string }[];
  /** What the administrators tell every agent. */
  instructions: string | undefined;
  grants: Grant[];
  devices: TestDevice[];
  machines: TestMachine[];
  connections: TestConnections;
  person: { subject: string; email: string; name: string };
  /** Ends the next visit to the consent page with this error. */
  denyNext: { error: string; error_description?: string } | undefined;
  /** Wants every proof to carry this nonce. */
  nonce: string | undefined;
  accessTokenSeconds: number;
  /** Whom a denial names. */
  administrators: {
    people: { email: string; name: string | null }[];
    groups: { group: string; provider: string }[];
  };
  /** The groups that have what is missing. */
  groupsThatGrant: { group: string; provider: string }[];
  missingReason: string;
  /** What people have asked administrators for. */
  accessRequests: { resource?: string; connector?: string; scopes: string[]; reason: string }[];
  /** What becomes of a request for access; 201 and pending unless set. */
  decision: TestAnswer | undefined;
  /** Changes the redirect back to the client. */
  rewriteCallback: ((parameters: URLSearchParams) => void) | undefined;
  /** Changes the answers of the token endpoint that carry tokens for the client. */
  rewriteTokenAnswer: ((body: Record<string, unknown>) => void) | undefined;
  /** Changes the answer of the device endpoint. */
  rewriteDeviceAnswer: ((body: Record<string, unknown>) => void) | undefined;
  /** Changes the metadata document. */
  rewriteMetadata: ((document: Record<string, unknown>) => void) | undefined;
}

/**
 * A small authorization server that keeps to the protocol: PKCE, bound codes, strict proofs that pass once, refresh tokens that
 * rotate, may be asked for again and whose reuse is noticed, and identity assertions. Its consent page agrees at once.
 */
export async function startTestAuthorizationServer(
  clock: () => number = Date.now,
): Promise<TestAuthorizationServer> {
  const keyPair = await generateEs256KeyPair();
  const signingKey = importPrivateJwk(keyPair.privateJwk);
  const checker = createProofChecker({ clock });
  const replayStore = inMemory({ clock });
  const codes = new Map<string, Code>();
  const base = await startTestServer(async (request, response) => await route(request, response));
  const server: TestAuthorizationServer = Object.assign(base, {
    keyPair,
    services: [],
    skills: [],
    skillFiles: new Map(),
    incomplete: [],
    accessRequests: [],
    decision: undefined,
    instructions: undefined,
    grants: [],
    devices: [],
    machines: [],
    connections: createTestConnections(base, clock),
    person: { subject: "user-ada", email: "ada@acme.example", name: "Ada Lovelace" },
    denyNext: undefined,
    nonce: undefined,
    accessTokenSeconds: 300,
    administrators: { people: [], groups: [] },
    groupsThatGrant: [],
    missingReason: "not_assigned",
    rewriteCallback: undefined,
    rewriteTokenAnswer: undefined,
    rewriteDeviceAnswer: undefined,
    rewriteMetadata: undefined,
  });
  const issuer = server.origin;
  const deviceGrants = createTestDeviceGrants(server, clock);
  const grants = createTestGrants(server, { codes, deviceGrants, signingKey, clock });

  async function route(request: SeenRequest, response: ServerResponse): Promise<TestAnswer | undefined> {
    switch (`${request.method} ${request.path}`) {
      case "GET /.well-known/oauth-authorization-server":
        return metadata();
      case "GET /api/oauth/jwks":
        return { status: 200, body: { keys: [{ ...keyPair.publicJwk, kid: "as" }] } };
      case "GET /api/oauth/authorize":
        return authorize(request.url.searchParams);
      case "POST /api/oauth/token":
        return await token(request);
      case "POST /api/oauth/device_authorization": {
        const jkt = await proofKey(request);
        return typeof jkt === "string" ? deviceGrants.authorize(request.form, jkt) : jkt;
      }
      case "GET /device":
        return deviceGrants.visit(request.url.searchParams.get("user_code"));
      case "POST /api/oauth/revoke":
        return revoke(request.form.get("token") ?? "");
      default:
        if (request.path.startsWith("/connections/"))
          return server.connections.visit(request.path.slice("/connections/".length));
        return request.path.startsWith("/api/me") ? await me(request, response) : { status: 404, body: {} };
    }
  }

  function metadata(): TestAnswer {
    const document: Record<string, unknown> = {
      issuer,
      authorization_endpoint: `${issuer}/api/oauth/authorize`,
      token_endpoint: `${issuer}/api/oauth/token`,
      revocation_endpoint: `${issuer}/api/oauth/revoke`,
      device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
      jwks_uri: `${issuer}/api/oauth/jwks`,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
    };
    server.rewriteMetadata?.(document);
    return { status: 200, headers: { "cache-control": "public, max-age=300" }, body: document };
  }

  function authorize(query: URLSearchParams): TestAnswer {
    const redirectUri = query.get("redirect_uri") ?? "";
    if (query.get("client_id") !== "authz-cli" || !/^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(redirectUri))
      return oauthError(400, "invalid_request");
    const target = new URL(redirectUri);
    target.searchParams.set("state", query.get("state") ?? "");
    target.searchParams.set("iss", issuer);
    if (server.denyNext === undefined) {
      const code = randomBytes(16).toString("base64url");
      codes.set(code, {
        challenge: query.get("code_challenge_method") === "S256" ? (query.get("code_challenge") ?? "") : "",
        redirectUri,
        jkt: query.get("dpop_jkt") ?? "",
        used: false,
      });
      target.searchParams.set("code", code);
    } else {
      for (const [name, value] of Object.entries(server.denyNext)) target.searchParams.set(name, value);
      server.denyNext = undefined;
    }
    server.rewriteCallback?.(target.searchParams);
    return { status: 302, headers: { location: target.href } };
  }

  /** The thumbprint of the key that made the proof, or the refusal. */
  async function proofKey(request: SeenRequest, accessToken?: string): Promise<string | TestAnswer> {
    const proof = request.headers.dpop;
    const status = accessToken === undefined ? 400 : 401;
    try {
      if (typeof proof !== "string") throw new TypeError("no proof");
      if (server.nonce !== undefined && readPayload(proof).nonce !== server.nonce) {
        return {
          ...oauthError(status, "use_dpop_nonce"),
          headers: { "dpop-nonce": server.nonce, "www-authenticate": 'DPoP error="use_dpop_nonce"' },
        };
      }
      const verified = checker.check({
        proof,
        method: request.method,
        url: `${issuer}${request.path}`,
        ...(accessToken === undefined ? {} : { accessTokenHash: sha256Base64url(accessToken) }),
      });
      await spendProof(verified, replayStore);
      return verified.thumbprint;
    } catch (error) {
      const reason = error instanceof DpopError ? error.reason : String(error);
      return {
        ...oauthError(status, "invalid_dpop_proof", reason),
        headers: {
          date: new Date(clock()).toUTCString(),
          "www-authenticate": 'DPoP error="invalid_dpop_proof"',
        },
      };
    }
  }

  async function token(request: SeenRequest): Promise<TestAnswer> {
    const jkt = await proofKey(request);
    return typeof jkt === "string" ? grants.token(request.form, jkt) : jkt;
  }

  function revoke(value: string): TestAnswer {
    for (const grant of server.grants)
      if (grant.refreshToken === value || grant.rotated.has(value)) grant.revoked = true;
    return { status: 200 };
  }

  function explain(query: URLSearchParams): TestAnswer {
    const service = server.services.find(({ key }) => key === query.get("resource"));
    if (service === undefined) return oauthError(404, "not_found");
    const scopes = query.has("scope") ? query.getAll("scope") : service.supportedScopes;
    const address = { type: "email", email: server.person.email };
    const missing = scopes.filter((scope) => !service.grantedScopes.includes(scope));
    return {
      status: 200,
      body: {
        resource: { key: service.key, name: service.name },
        allowed: missing.length === 0,
        granted: scopes
          .filter((scope) => service.grantedScopes.includes(scope))
          .map((scope) => ({ scope, by: [address] })),
        missing: missing.map((scope) => {
          const supported = service.supportedScopes.includes(scope);
          const ways = [address, ...server.groupsThatGrant.map((group) => ({ type: "group", ...group }))];
          return {
            scope,
            reason: supported ? server.missingReason : "not_supported",
            wouldBeGrantedBy: supported ? ways : [],
          };
        }),
        administrators: missing.length === 0 ? { people: [], groups: [] } : server.administrators,
      },
    };
  }

  function askForAccess({ body }: SeenRequest): TestAnswer {
    const wish = JSON.parse(body) as TestAuthorizationServer["accessRequests"][number];
    server.accessRequests.push(wish);
    const asked = {
      id: "request-1",
      state: "pending",
      scopes: wish.scopes,
      granted: [],
      until: null,
      word: null,
    };
    return server.decision ?? { status: 201, body: asked };
  }

  async function me(request: SeenRequest, response: ServerResponse): Promise<TestAnswer | undefined> {
    const accessToken = /^DPoP (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const jkt = await proofKey(request, accessToken);
    if (typeof jkt !== "string") return jkt;
    if (grants.liveGrant(accessToken, jkt) === undefined)
      return {
        ...oauthError(401, "invalid_token"),
        headers: { "www-authenticate": 'DPoP algs="ES256", error="invalid_token"' },
      };
    const path = request.path.slice("/api/me".length);
    if (path === "") {
      const installation = { name: "Acme" };
      return { status: 200, body: { ...server.person, installation, client: { clientId: "authz-cli" } } };
    }
    if (path === "/resources") return { status: 200, body: { items: server.services } };
    if (path.startsWith("/connections")) return server.connections.answer(request, response);
    if (path === "/explanation") return explain(request.url.searchParams);
    if (path === "/access-requests") return askForAccess(request);
    if (path === "/skills") {
      const items = server.skills.map((skill) => ({ ...skill, content: undefined }));
      const installation = { name: "Acme", instructions: server.instructions };
      const { incomplete } = server;
      return {
        status: 200,
        body: { installation, items, ...(incomplete.length > 0 && { incomplete }) },
      };
    }
    const skill = server.skills.find(({ id }) => path === `/skills/${encodeURIComponent(id)}`);
    if (skill !== undefined) return { status: 200, body: skill };
    const [, id = "", file = ""] = /^\/skills\/([^/]+)\/files\/(.+)$/.exec(path) ?? [];
    const bytes = server.skillFiles.get(`${decodeURIComponent(id)} ${file}`);
    if (bytes !== undefined) return { status: 200, body: Buffer.from(bytes) };
    const incomplete = server.incomplete.filter(({ resource }) => path.startsWith(`/skills/${resource}.`));
    return {
      status: 404,
      body: { error: "not_found", ...(incomplete.length > 0 && { incomplete }) },
    };
  }

  return server;
}

/** Reads the payload of a JWT without checking it. */
export function readPayload(jwt: string): Record<string, unknown> {
  const segment = jwt.split(".")[1] ?? "";
  return JSON.parse(Buffer.from(segment, "base64url").toString()) as Record<string, unknown>;
}

/** The public key of a key pair, for checks in tests. */
export function publicKeyOf(keyPair: Es256KeyPair): ReturnType<typeof createPublicKey> {
  return createPublicKey({ key: { ...keyPair.publicJwk }, format: "jwk" });
}
