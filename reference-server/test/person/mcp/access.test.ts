import { createProofSigner, generateEs256KeyPair, type VerifiedProof } from "@authz/dpop";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideMachine } from "../../../src/oauth/grants/client-credentials.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../../support/raw-device.js";
import { resourceRecord } from "../../support/records.js";
import { type Agent, allow, host, type McpAnswer, readAnswer, signInAgent } from "./agent.js";

let system: OauthServer;
let agent: Agent;
const ping = { jsonrpc: "2.0", id: 7, method: "ping" };

beforeAll(async () => {
  system = await startOauthServer();
  agent = await signInAgent(system);
});
afterAll(() => system.close());

/** Signs a token like the agent's but for the changes. */
function forge(changes: Readonly<Record<string, unknown>>, typ = "at+jwt"): string {
  return system.server.context.keys.sign({ typ }, { ...decodeJwt(agent.accessToken), ...changes });
}

async function post(headers: Record<string, string>, path = "/mcp"): Promise<McpAnswer> {
  const response = await fetch(`${system.issuer}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(ping),
  });
  return await readAnswer(response);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("the way in", () => {
  test("is in a document that every host finds", async () => {
    const response = await fetch(`${system.issuer}/.well-known/oauth-protected-resource/mcp`);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual({
      resource: `${system.issuer}/mcp`,
      authorization_servers: [system.issuer],
      scopes_supported: ["authz:agents"],
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: ["ES256"],
      dpop_bound_access_tokens_required: false,
      resource_name: "Acme",
    });
  });

  test("is in the challenge to a request without a token", async () => {
    const metadata = `resource_metadata="${system.issuer}/.well-known/oauth-protected-resource/mcp"`;
    const { status, headers, body } = await post({});
    expect([status, body]).toEqual([
      401,
      {
        error: "unauthorized",
        error_description: "Sign in with OAuth; a host without it can run `authz mcp`.",
      },
    ]);
    expect(headers.get("www-authenticate")).toBe(
      `Bearer ${metadata}, scope="authz:agents", DPoP algs="ES256", ${metadata}, scope="authz:agents"`,
    );
    const got = await fetch(`${system.issuer}/mcp`);
    expect([got.status, got.headers.get("www-authenticate")]).toEqual([401, headers.get("www-authenticate")]);
  });

  test("gives a token that counts here, says for whom who acts, and is answered", async () => {
    expect(decodeJwt(agent.accessToken)).toMatchObject({
      iss: system.issuer,
      aud: `${system.issuer}/mcp`,
      client_id: host.id,
      act: { sub: host.id },
      scope: expect.stringContaining("authz:agents") as string,
    });
    expect((await post(bearer(agent.accessToken))).body).toMatchObject({ id: 7, result: {} });
  });

  test("is for tokens of a key as well, and then with a proof", async () => {
    const keys = await generateEs256KeyPair();
    const signer = createProofSigner(keys);
    const token = forge({ cnf: { jkt: signer.thumbprint } });
    const dpop = () => signer.sign({ method: "POST", url: agent.url, accessToken: token });
    const proof = dpop();
    expect((await post({ authorization: `DPoP ${token}`, dpop: proof })).status).toBe(200);
    const refused = await Promise.all([
      post(bearer(token)),
      post({ authorization: `DPoP ${token}` }),
      post({ authorization: `DPoP ${token}`, dpop: proof }),
      post({ authorization: `DPoP ${agent.accessToken}`, dpop: dpop() }),
    ]);
    expect(refused.map(({ status, body }) => [status, body["error"]])).toEqual([
      [401, "invalid_token"],
      [401, "invalid_dpop_proof"],
      [401, "invalid_dpop_proof"],
      [401, "invalid_dpop_proof"],
    ]);
  });
});

describe("is refused", () => {
  const now = () => Math.floor(Date.now() / 1000);

  test.each<[name: string, changes: () => Record<string, unknown>, typ?: string]>([
    ["a token for this server's API", () => ({ aud: `${system.issuer}/api` })],
    ["a token for a service", () => ({ aud: system.resource.resource })],
    ["a token for several", () => ({ aud: [`${system.issuer}/mcp`] })],
    ["another issuer's", () => ({ iss: "https://other.example" })],
    ["one that has ended", () => ({ iat: now() - 400, exp: now() - 100 })],
    ["one that lives too long", () => ({ exp: now() + 4000 })],
    ["one without a grant", () => ({ sid: undefined })],
    ["one of a grant that is unknown", () => ({ sid: "2b8c7a64-9d1e-4f3a-b5c6-0f1e2d3c4b5a" })],
    ["an ID token", () => ({}), "JWT"],
    ["an identity assertion", () => ({}), "oauth-id-jag+jwt"],
  ])("%s", async (_name, changes, typ) => {
    const { status, body } = await post(bearer(forge(changes(), typ)));
    expect([status, body["error"]]).toEqual([401, "invalid_token"]);
  });

  test("a token that was not signed here", async () => {
    const [head, claims] = agent.accessToken.split(".");
    const { status } = await post(bearer(`${head}.${claims}.${"A".repeat(86)}`));
    expect(status).toBe(401);
  });

  test("a token that was not asked for with the permission", async () => {
    const { status, body, headers } = await post(bearer(forge({ scope: "offline_access" })));
    expect([status, body["error"]]).toEqual([403, "insufficient_scope"]);
    expect(headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="authz:agents"');
  });

  test("more than one credential", async () => {
    const { status, body } = await post(bearer(agent.accessToken), `/mcp?access_token=${agent.accessToken}`);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });

  test("its own token at this server's API, and as a subject of an exchange", async () => {
    const response = await fetch(`${system.issuer}/api/me`, { headers: bearer(agent.accessToken) });
    expect(response.status).toBe(401);
    const exchange = await agent.device.token({
      ...exchangeForm(
        agent.accessToken,
        { authorizationServer: system.issuer, resource: system.resource.resource },
        "access_token",
      ),
      client_id: host.id,
    });
    expect(exchange.status).toBe(400);
  });

  test("a token of the command line's, and the wish to exchange it for an assertion for this address", async () => {
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn();
    expect((await post(bearer(tokens["access_token"] ?? ""))).status).toBe(401);
    const exchange = (resource: string) =>
      device.token({
        ...exchangeForm(tokens["refresh_token"], { authorizationServer: system.issuer, resource }),
        client_id: "authz-cli",
      });
    expect((await exchange(system.resource.resource)).status).toBe(200);
    const refused = await exchange(`${system.issuer}/mcp`);
    expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_target"]);
  });

  test("a machine that wants a token for it", () => {
    const resource = resourceRecord({ supportedScopes: ["authz:agents"], builtIn: true });
    const input = { resource: resource.resource, scope: undefined };
    const proof = { thumbprint: "jkt" } as VerifiedProof;
    const decide = (builtIn: boolean) =>
      decideMachine(
        {
          machineScopes: ["authz:agents"],
          statusIndex: 7,
          resource: { ...resource, builtIn },
          stopped: false,
        },
        input,
        { proof, issuer: "https://authz.acme.example" },
      );
    expect([decide(false).kind, decide(true).kind]).toEqual(["permit", "refuse"]);
  });
});

describe("from one request to the next", () => {
  test("counts that the person has lost the permission, and that they have it back", async () => {
    await system.database.query("DELETE FROM assignments WHERE scope_key = 'authz:agents'");
    const { status, body } = await post(bearer(agent.accessToken));
    expect([status, body["error"]]).toEqual([403, "insufficient_scope"]);
    await allow(system, "ada", "authz:agents");
    expect((await post(bearer(agent.accessToken))).status).toBe(200);
  });

  test("counts that the client got a ceiling below it", async () => {
    await system.database.query("UPDATE clients SET limited = true WHERE id = $1", [host.id]);
    expect((await post(bearer(agent.accessToken))).status).toBe(403);
    await system.database.query("UPDATE clients SET limited = false WHERE id = $1", [host.id]);
    expect((await post(bearer(agent.accessToken))).status).toBe(200);
  });

  test.each([
    [
      "the client is switched off",
      "UPDATE clients SET enabled = $1 WHERE id = 'https://host.example/client.json'",
      401,
    ],
    ["the person is switched off", "UPDATE users SET enabled = $1 WHERE email = 'ada@acme.example'", 401],
    ["the address is switched off", "UPDATE resources SET enabled = $1 WHERE key = 'agents'", 404],
    ["Bearer tokens are switched off", "UPDATE resources SET allows_bearer = $1 WHERE key = 'agents'", 401],
  ])("counts that %s", async (_name, sql, expected) => {
    await system.database.query(sql, [false]);
    const { status } = await post(bearer(agent.accessToken));
    await system.database.query(sql, [true]);
    expect(status).toBe(expected);
    expect((await post(bearer(agent.accessToken))).status).toBe(200);
  });

  test("keeps a proof good while the address is switched off, and no longer than once after that", async () => {
    const signer = createProofSigner(await generateEs256KeyPair());
    const token = forge({ cnf: { jkt: signer.thumbprint } });
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: signer.sign({ method: "POST", url: agent.url, accessToken: token }),
    };
    const statuses: number[] = [];
    for (const enabled of [false, true, true]) {
      await system.database.query("UPDATE resources SET enabled = $1 WHERE key = 'agents'", [enabled]);
      statuses.push((await post(headers)).status);
    }
    expect(statuses).toEqual([404, 200, 401]);
  });

  test("does not name Bearer tokens where they are not taken", async () => {
    const sql = "UPDATE resources SET allows_bearer = $1 WHERE key = 'agents'";
    await system.database.query(sql, [false]);
    const challenge = (await post({})).headers.get("www-authenticate");
    await system.database.query(sql, [true]);
    expect(challenge).toMatch(/^DPoP /);
    expect(challenge).not.toContain("Bearer");
  });
});
