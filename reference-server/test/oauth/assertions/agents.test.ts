import { randomUUID } from "node:crypto";
import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { allow, type McpAnswer, readAnswer } from "../../person/mcp/agent.js";
import { startRecordingApi } from "../../connectors/use/forwarding.js";
import { createBrowser, signIn } from "../../support/device.js";
import type { AssertionProvider } from "../../support/assertion-provider.js";
import { type AssertionWorld, type Redemption, startAssertionWorld } from "../../support/assertions.js";
import { exchangeForm, type Answer } from "../../support/raw-device.js";

let world: AssertionWorld;
let provider: AssertionProvider;
let url: string;
/** Where Ada is signed in. */
const browser = createBrowser();
beforeAll(async () => {
  world = await startAssertionWorld();
  await signIn(browser, `${world.system.issuer}/sign-in`, "ada");
  provider = await world.addProvider("ES256");
  url = `${world.system.issuer}/mcp`;
});
afterAll(() => world.close());
beforeEach(async () => {
  await run("DELETE FROM grants");
  await allow(world.system, "ada", "authz:agents");
});

const run = (sql: string, ...values: unknown[]) => world.system.database.query(sql, values);
const lastReason = () => world.system.log.findLast(({ msg }) => msg === "refused")?.["reason"];

/** Redeems an assertion about Ada for the address for agents. */
async function redeem({ claims = {}, ...change }: Redemption = {}): Promise<Answer> {
  const valid = { resource: url, scope: "authz:agents", ...claims };
  return await world.redeem(change.provider ?? provider, { ...change, claims: valid });
}

async function accessToken(change?: Redemption): Promise<string> {
  const { status, body } = await redeem(change);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body["access_token"] ?? "";
}

async function send(
  token: string,
  message: object = { method: "ping" },
  headers: Record<string, string> = {},
): Promise<McpAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  return await readAnswer(response);
}

describe("an assertion of a provider for the address for agents", () => {
  test("becomes a token that counts there, with a grant that ends with it, and nothing else", async () => {
    const { status, body } = await redeem();
    expect([status, body]).toStrictEqual([
      200,
      {
        access_token: expect.any(String) as string,
        token_type: "Bearer",
        expires_in: 300,
        scope: "authz:agents",
      },
    ]);
    const token = body["access_token"] ?? "";
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      sub: world.adaId,
      aud: url,
      client_id: world.client.id,
      act: { sub: world.client.id },
      scope: "authz:agents",
      sid: expect.any(String) as string,
    });
    expect((await send(token)).body).toMatchObject({ result: {} });
    const [grant] = await run(
      `SELECT g.id, g.user_id, g.client_id, g.jkt, g.scopes, r.key AS service, p.key AS provider,
        extract(epoch FROM g.expires_at)::integer AS ends, (SELECT count(*)::integer FROM refresh_tokens) AS refreshable
      FROM grants g JOIN resources r ON r.id = g.resource_id JOIN identity_providers p ON p.id = g.provider_id`,
    );
    expect(grant).toEqual({
      id: claims["sid"],
      user_id: world.adaId,
      client_id: world.client.id,
      jkt: null,
      scopes: ["authz:agents"],
      service: "agents",
      provider: "idp-1",
      ends: claims.exp,
      refreshable: 0,
    });
    expect((await world.system.audit("token.issued")).at(-1)).toMatchObject({
      outcome: "success",
      subject: world.adaId,
      data: {
        grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        grantId: claims["sid"],
        resource: url,
        scopes: ["authz:agents"],
        provider: "idp-1",
      },
    });
  });

  test("without a scope leaves it to this server, and one with more gives no more", async () => {
    expect((await redeem({ claims: { scope: undefined } })).body["scope"]).toBe("authz:agents");
    const { body } = await redeem({ claims: { scope: "contracts:read authz:agents openid" } });
    expect(body["scope"]).toBe("authz:agents");
  });

  test("lets the app do exactly what the person may do, and each call is on record", async () => {
    const token = await accessToken();
    const ask = async (scope: string) => {
      const place = { url: `${world.system.resource.resource}/contracts`, scopes: [scope] };
      const call = { method: "tools/call", params: { name: "explain", arguments: place } };
      const { result } = (await send(token, call)).body as { result: { structuredContent?: unknown } };
      return result.structuredContent;
    };
    expect(await ask("contracts:read")).toMatchObject({ verdict: expect.stringContaining("may do this") });
    expect(await ask("contracts:write")).toMatchObject({ verdict: expect.stringContaining("is missing") });
    const params = {
      name: "request",
      arguments: {
        url: `${world.system.resource.resource}/contracts`,
        method: "POST",
        scopes: ["contracts:write"],
      },
    };
    const { body } = await send(token, { method: "tools/call", params });
    expect(JSON.stringify(body)).toContain("insufficient_scope");
    await expect
      .poll(async () => (await world.system.audit("service.call_denied")).at(-1))
      .toMatchObject({ subject: world.adaId, data: { grantId: decodeJwt(token)["sid"] } });
  });

  test("says of each call which sign-in it rests on, also when another one came after it", async () => {
    const api = await startRecordingApi();
    try {
      const plain = {
        ...world.system.resource,
        id: randomUUID(),
        key: "plain",
        resource: api.origin,
        authorizationServer: api.origin,
        requestPrefixes: [`${api.origin}/v1`],
      };
      await world.system.server.context.store.resources.save(plain, new Date());
      const before = { auth_time: 1_700_000_000, amr: ["pwd"] };
      const after = { auth_time: 1_760_000_000, amr: ["pwd", "mfa"] };
      const tokens = [await accessToken({ claims: before }), await accessToken({ claims: after })];
      const params = { name: "request", arguments: { url: `${api.origin}/v1/things` } };
      const sent = [];
      for (const token of [...tokens, ...tokens]) {
        expect((await send(token, { method: "tools/call", params })).status).toBe(200);
        sent.push(decodeJwt((api.seen.at(-1)?.headers.authorization ?? "").replace("DPoP ", "")));
      }
      expect(sent).toMatchObject([before, after, before, after]);
    } finally {
      await api.close();
    }
  });

  test("with a proof becomes a token that is bound to that key", async () => {
    const signer = createProofSigner(await generateEs256KeyPair());
    const endpoint = `${world.system.issuer}/api/oauth/token`;
    const token = await accessToken({ call: { proofs: [signer.sign({ method: "POST", url: endpoint })] } });
    expect((await send(token)).body["error"]).toBe("invalid_token");
    const dpop = signer.sign({ method: "POST", url, accessToken: token });
    expect((await send(token, undefined, { authorization: `DPoP ${token}`, dpop })).status).toBe(200);
  });

  test("continues the grant that the one before it began, until that is ended", async () => {
    const [first, second] = [await accessToken(), await accessToken()];
    expect(decodeJwt(second)["sid"]).toBe(decodeJwt(first)["sid"]);
    await run("UPDATE grants SET expires_at = now() - interval '1 day'");
    expect((await send(second)).status).toBe(401);
    const third = await accessToken();
    expect(decodeJwt(third)["sid"]).toBe(decodeJwt(first)["sid"]);
    expect((await send(third)).status).toBe(200);
    expect((await send(first)).status).toBe(200);

    await run("UPDATE grants SET revoked_at = now(), revocation_reason = 'revoked_by_user'");
    expect((await send(third)).body["error"]).toBe("invalid_token");
    const fourth = await accessToken();
    expect(decodeJwt(fourth)["sid"]).not.toBe(decodeJwt(first)["sid"]);
    expect([(await send(fourth)).status, (await send(third)).status]).toEqual([200, 401]);
  });

  test("begins one grant, however many processes redeem assertions at the same time", async () => {
    const origins = [world.system.issuer, await world.system.startSecondInstance()];
    const tokens = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        accessToken({ call: { proofs: [], origin: origins[index % 2] ?? "" } }),
      ),
    );
    expect(new Set(tokens.map((token) => decodeJwt(token)["sid"])).size).toBe(1);
    expect(await run("SELECT id FROM grants")).toHaveLength(1);
    const answers = await Promise.all(tokens.map((token) => send(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("of another provider, or for another app, begins a grant of its own", async () => {
    const other = await world.addProvider("ES256");
    const app = await world.addClient({});
    const tokens = [
      await accessToken(),
      await accessToken({ provider: other }),
      await accessToken({ claims: { client_id: app.id }, parameters: { client_id: app.id } }),
    ];
    expect(new Set(tokens.map((token) => decodeJwt(token)["sid"])).size).toBe(3);
  });

  test("gives what counts nowhere else", async () => {
    const token = await accessToken();
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${world.system.issuer}/api/me`, { headers })).status).toBe(401);
    const exchange = await world.device.token({
      ...exchangeForm(
        token,
        { authorizationServer: world.system.issuer, resource: world.open.resource },
        "access_token",
      ),
      client_id: world.client.id,
    });
    expect(exchange.status).toBe(400);
  });

  test("is shown to the person as vouched for, and signed out there", async () => {
    const token = await accessToken();
    const { html, forms } = await browser.open(`${world.system.issuer}/`);
    const section = html.slice(html.indexOf('id="apps"'), html.indexOf('id="browsers"'));
    expect(section).toContain("vouches for it, so you were not asked");
    expect(section).toContain("unless a sign-in provider vouches for it");
    const form = forms.find(({ action }) => action.pathname === "/devices/sign-out");
    if (form === undefined) throw new Error("There is an app.");
    await browser.submit(form);
    expect((await send(token)).status).toBe(401);
  });

  test("ends when the app revokes its token", async () => {
    const token = await accessToken();
    const body = new URLSearchParams({ token, client_id: world.client.id });
    expect((await fetch(`${world.system.issuer}/api/oauth/revoke`, { method: "POST", body })).status).toBe(
      200,
    );
    expect((await send(token)).status).toBe(401);
  });

  test("ends with the permission, the person and the app, at the next request", async () => {
    const token = await accessToken();
    const after = async (sql: string, ...values: unknown[]) => {
      await run(sql, ...values);
      return (await send(token)).status;
    };
    const client = world.client.id;
    expect([
      await after("DELETE FROM assignments WHERE scope_key = 'authz:agents'"),
      await allow(world.system, "ada", "authz:agents").then(async () => (await send(token)).status),
      await after("UPDATE users SET enabled = false WHERE id = $1", world.adaId),
      await after("UPDATE users SET enabled = true WHERE id = $1", world.adaId),
      await after("UPDATE clients SET trusted = false WHERE id = $1", client),
      await after("UPDATE clients SET trusted = true WHERE id = $1", client),
    ]).toEqual([403, 200, 401, 200, 401, 200]);
  });
});

interface Row {
  readonly name: string;
  readonly change: () => Redemption | Promise<Redemption>;
  readonly undo?: () => Promise<unknown>;
  readonly error?: string;
  readonly reason: string;
}

/** Changes a row of the database for as long as the request takes. */
const meanwhile = (sql: (on: boolean) => string, change: Redemption = {}) => ({
  change: async () => {
    await run(sql(false));
    return change;
  },
  undo: () => run(sql(true)),
});
const bearer = (on: boolean) => `UPDATE resources SET allows_bearer = ${on} WHERE key = 'agents'`;

const rows: readonly Row[] = [
  {
    name: "a person without the permission",
    change: async () => {
      await run("DELETE FROM assignments WHERE scope_key = 'authz:agents'");
      return {};
    },
    error: "invalid_scope",
    reason: "nothing_granted",
  },
  {
    name: "an app whose ceiling is below it",
    ...meanwhile((on) => `UPDATE clients SET limited = ${!on} WHERE source = 'registered' AND NOT built_in`),
    error: "invalid_scope",
    reason: "nothing_granted",
  },
  {
    name: "an assertion for something else there",
    change: () => ({ claims: { scope: "contracts:read" } }),
    error: "invalid_scope",
    reason: "nothing_granted",
  },
  {
    name: "a request for something else there",
    change: () => ({ parameters: { scope: "contracts:read" } }),
    error: "invalid_scope",
    reason: "scope_not_supported",
  },
  {
    name: "a request for another service",
    change: () => ({ parameters: { resource: world.open.resource } }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "an address that is switched off",
    ...meanwhile((on) => `UPDATE resources SET enabled = ${on} WHERE key = 'agents'`),
    reason: "resource_disabled",
  },
  {
    name: "the address of the API",
    change: () => ({ claims: { resource: `${world.system.issuer}/api` } }),
    reason: "assertion_unknown_resource",
  },
  {
    name: "an address below it",
    change: () => ({ claims: { resource: `${url}/more` } }),
    reason: "assertion_unknown_resource",
  },
  {
    name: "no proof where Bearer tokens are not taken",
    ...meanwhile(bearer),
    error: "invalid_dpop_proof",
    reason: "missing_proof",
  },
  {
    name: "just any key where Bearer tokens are not taken",
    change: async () => {
      await run(bearer(false));
      return { call: { proofs: [world.device.proof()] } };
    },
    undo: () => run(bearer(true)),
    reason: "assertion_unbound",
  },
  {
    name: "the proof of another key",
    change: () => ({
      claims: { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } },
      call: { proofs: [world.device.proof()] },
    }),
    reason: "wrong_key",
  },
  {
    name: "a provider whose assertions are not redeemed",
    ...meanwhile((on) => `UPDATE identity_providers SET allows_assertions = ${on} WHERE key LIKE 'idp-%'`),
    reason: "assertion_issuer",
  },
  {
    name: "a provider that is disabled",
    ...meanwhile((on) => `UPDATE identity_providers SET enabled = ${on} WHERE key LIKE 'idp-%'`),
    reason: "assertion_issuer",
  },
  {
    name: "a person who is disabled",
    ...meanwhile((on) => `UPDATE users SET enabled = ${on} WHERE email = 'ada@acme.example'`),
    reason: "user_disabled",
  },
  {
    name: "an unknown person",
    change: () => ({ claims: { sub: "nobody" } }),
    reason: "email_missing",
  },
  {
    name: "another audience",
    change: () => ({ claims: { aud: url } }),
    reason: "assertion_audience",
  },
  {
    name: "the name of another app",
    change: () => ({ claims: { client_id: "authz-cli" } }),
    reason: "assertion_client",
  },
];

describe("for the address for agents is refused, and begins nothing,", () => {
  test.each(rows)("$name", async ({ change, undo, error = "invalid_grant", reason }) => {
    try {
      const { status, body } = await redeem(await change());
      expect([status, body["error"], lastReason()]).toEqual([400, error, reason]);
      expect(await run("SELECT id FROM grants")).toEqual([]);
    } finally {
      await undo?.();
    }
  });

  test("an assertion that was redeemed before", async () => {
    const assertion = await provider.sign({ ...world.claims(), resource: url, scope: "authz:agents" });
    expect((await world.present(assertion)).status).toBe(200);
    const again = await world.present(assertion);
    expect([again.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_replayed"]);
  });
});
