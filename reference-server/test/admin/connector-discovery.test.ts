import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgeThirdParty } from "../../src/registry/probes/judge-third-party.js";
import type { ConnectorDiscovery } from "../../src/admin/connectors/schemas.js";
import { say } from "../support/faults.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { startThirdParty, type ThirdParty } from "../support/third-party.js";

const callbackUrl = "http://127.0.0.1:3000/connections/callback/notes";
let server: AdminServer;
let thirdParty: ThirdParty;
beforeAll(async () => {
  [server, thirdParty] = await Promise.all([
    createAdminServer(),
    startThirdParty({ redirectUris: [callbackUrl] }),
  ]);
});
afterAll(() => Promise.all([server.close(), thirdParty.close()]));

async function discover(issuer: string, language = "en"): Promise<ConnectorDiscovery> {
  const { status, body } = await server.request("POST", "/connectors/discoveries", {
    body: { issuer, key: "notes" },
    headers: { "accept-language": language },
  });
  expect(status).toBe(200);
  return body as unknown as ConnectorDiscovery;
}

const statesOf = ({ checks }: Pick<ConnectorDiscovery, "checks">) =>
  Object.fromEntries(checks.map(({ id, state }) => [id, state]));

test("an OpenID provider says everything, and the draft can be saved", async () => {
  const { issuer } = thirdParty;
  const events = (await server.audit()).length;
  const found = await discover(issuer);
  expect(statesOf(found)).toEqual({
    discovery: "passed",
    issuer: "passed",
    endpoints: "passed",
    code_flow: "passed",
    pkce: "passed",
    authentication: "passed",
    refresh: "passed",
    revocation: "passed",
    client: "warning",
  });
  expect(found).toMatchObject({
    ready: true,
    callbackUrl,
    draft: {
      issuer,
      authorizationEndpoint: `${issuer}/auth`,
      tokenEndpoint: `${issuer}/token`,
      revocationEndpoint: `${issuer}/token/revocation`,
      accountEndpoint: `${issuer}/me`,
      tokenEndpointAuthMethod: "client_secret_basic",
    },
  });
  expect(found.scopesSupported).toEqual(expect.arrayContaining(["openid", "notes:read"]));
  expect(await server.audit()).toHaveLength(events);
  const { draft } = found;
  const body = { ...draft, key: "notes", kind: "oauth2", name: "Notes", clientId: "x", clientSecret: "y" };
  const created = await server.request("POST", "/connectors", {
    body: { ...body, requestPrefixes: [thirdParty.api] },
  });
  expect(created.status).toBe(201);
});

test("nothing that answers is said in words, in the language of the caller", async () => {
  const [english, german] = await Promise.all([
    discover("http://127.0.0.1:9"),
    discover("http://127.0.0.1:9", "de"),
  ]);
  expect(english).toMatchObject({ ready: false, draft: null, scopesSupported: [] });
  expect(english.checks[0]).toMatchObject({ id: "discovery", state: "failed" });
  expect(german.checks[0]?.detail).toMatch(/nicht erreichbar/);
});

test("an address that may not be asked is refused before it is", async () => {
  const { status, body } = await server.request("POST", "/connectors/discoveries", {
    body: { issuer: "http://notes.example" },
  });
  expect([status, body["fields"]]).toEqual([
    400,
    [
      {
        path: "issuer",
        message:
          "must be an https: URL without credentials, query or fragment; plain http: only on loopback, with AUTHZ_ALLOW_INSECURE_LOOPBACK=true",
      },
    ],
  ]);
  const found = await discover("https://10.0.0.1");
  expect(found.checks[0]?.detail).toMatch(/AUTHZ_OUTBOUND_NETWORKS/);
});

describe("an authorization server of OAuth only", () => {
  let http: Server;
  let origin: string;
  beforeAll(async () => {
    http = createServer((request, response) => {
      if (request.url !== "/.well-known/oauth-authorization-server/tenant") {
        response.writeHead(404).end();
        return;
      }
      const issuer = `${origin}/tenant`;
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(
          JSON.stringify({ issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` }),
        );
    });
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(() => http.close());

  test("is found at the address of RFC 8414, and what it does not say is a warning", async () => {
    const found = await discover(`${origin}/tenant`);
    expect(statesOf(found)).toEqual({
      discovery: "passed",
      issuer: "passed",
      endpoints: "passed",
      code_flow: "passed",
      pkce: "warning",
      authentication: "passed",
      refresh: "warning",
      revocation: "warning",
      client: "warning",
    });
    expect(found).toMatchObject({
      ready: true,
      draft: { tokenEndpoint: `${origin}/tenant/t`, revocationEndpoint: null, accountEndpoint: null },
    });
  });
});

describe("metadata is judged", () => {
  const issuer = "https://login.notes.example";
  const complete = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    userinfo_endpoint: `${issuer}/me`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
  };
  test.each<{ name: string; change: object; id: string; state: string; hasDraft: boolean }>([
    {
      name: "of somebody else",
      change: { issuer: "https://evil.example" },
      id: "issuer",
      state: "failed",
      hasDraft: false,
    },
    {
      name: "without an issuer",
      change: { issuer: undefined },
      id: "issuer",
      state: "failed",
      hasDraft: false,
    },
    {
      name: "without a token endpoint",
      change: { token_endpoint: undefined },
      id: "endpoints",
      state: "failed",
      hasDraft: false,
    },
    {
      name: "with an endpoint on plain HTTP",
      change: { token_endpoint: "http://login.notes.example/token" },
      id: "endpoints",
      state: "failed",
      hasDraft: false,
    },
    {
      name: "without the code flow",
      change: { response_types_supported: ["token"] },
      id: "code_flow",
      state: "failed",
      hasDraft: true,
    },
    {
      name: "with plain PKCE only",
      change: { code_challenge_methods_supported: ["plain"] },
      id: "pkce",
      state: "failed",
      hasDraft: true,
    },
    {
      name: "with a way to authenticate that this server does not have",
      change: { token_endpoint_auth_methods_supported: ["tls_client_auth"] },
      id: "authentication",
      state: "failed",
      hasDraft: true,
    },
    {
      name: "without refresh tokens",
      change: { grant_types_supported: ["authorization_code"] },
      id: "refresh",
      state: "warning",
      hasDraft: true,
    },
    {
      name: "without revocation",
      change: { revocation_endpoint: undefined },
      id: "revocation",
      state: "warning",
      hasDraft: true,
    },
    {
      name: "with lists that are none",
      change: { grant_types_supported: "x" },
      id: "refresh",
      state: "warning",
      hasDraft: true,
    },
  ])("$name", ({ change, id, state, hasDraft }) => {
    const isUsable = (url: string) => url.startsWith("https://");
    const judge = (metadata: Readonly<Record<string, unknown>>) =>
      judgeThirdParty(metadata, { issuer, isUsable, say });
    expect(judge(complete)).toMatchObject({ draft: { tokenEndpointAuthMethod: "client_secret_post" } });
    expect(judge(complete).checks.every((check) => check.state === "passed")).toBe(true);
    const spelled = `${issuer}/`;
    expect(judge({ ...complete, issuer: spelled }).draft?.issuer).toBe(spelled);
    const { checks, draft } = judge({ ...complete, ...change });
    expect(checks.filter((check) => check.state !== "passed")).toMatchObject([{ id, state }]);
    expect(draft !== null).toBe(hasDraft);
  });
});
