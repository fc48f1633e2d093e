import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGrantLimit, createLiveCheck } from "../../../src/person/mcp/limits.js";
import { invalidToken } from "../../../src/oauth/tokens/authenticate-access-token.js";
import { OAuthError } from "../../../src/protocol/oauth-error.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Agent, type McpAnswer, signInAgent } from "./agent.js";
import { startServiceCalling } from "./service-calls.js";

const perMinute = 4;
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

let system: OauthServer;
let agent: Agent;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: `agents.grant=${perMinute}` });
});
afterAll(() => system.close());
beforeEach(async () => {
  agent = await signInAgent(system);
});

/** Sends as many requests as the limit has room for, and three more. */
async function flood(): Promise<readonly McpAnswer[]> {
  const answers: McpAnswer[] = [];
  for (let number = 0; number < perMinute + 3; number += 1) answers.push(await agent.send(ping));
  return answers;
}

const grantId = () => String(decodeJwt(agent.accessToken)["sid"]);
const run = async (sql: string, ...values: unknown[]) => void (await system.database.query(sql, values));

describe("an app that sends too much", () => {
  test("is told to wait while its credentials are good", async () => {
    const answers = await flood();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429]);
    const { headers, body } = answers.at(-1) as McpAnswer;
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body).toMatchObject({ error: { message: expect.stringContaining("Try again in") as string } });
  });

  test.each<[name: string, change: () => Promise<void>, undo?: () => Promise<void>, status?: number]>([
    ["the person signed it out", () => run("UPDATE grants SET revoked_at = now() WHERE id = $1", grantId())],
    [
      "its sign-in has ended",
      () => run("UPDATE grants SET expires_at = now() - interval '1 minute' WHERE id = $1", grantId()),
    ],
    ["its sign-in was forgotten", () => run("DELETE FROM grants WHERE id = $1", grantId())],
    [
      "an administrator disabled it",
      () => run("UPDATE clients SET enabled = false WHERE id LIKE 'https://host.example/%'"),
      () => run("UPDATE clients SET enabled = true WHERE id LIKE 'https://host.example/%'"),
    ],
    [
      "its host is no longer allowed",
      () => run("UPDATE clients SET trusted = false WHERE id LIKE 'https://host.example/%'"),
      () => run("UPDATE clients SET trusted = true WHERE id LIKE 'https://host.example/%'"),
    ],
    [
      "the person was disabled",
      () => run("UPDATE users SET enabled = false WHERE email = 'ada@acme.example'"),
      () => run("UPDATE users SET enabled = true WHERE email = 'ada@acme.example'"),
    ],
    [
      "Bearer tokens were switched off",
      () => run("UPDATE resources SET allows_bearer = false WHERE key = 'agents'"),
      () => run("UPDATE resources SET allows_bearer = true WHERE key = 'agents'"),
    ],
    [
      "the address was switched off",
      () => run("UPDATE resources SET enabled = false WHERE key = 'agents'"),
      () => run("UPDATE resources SET enabled = true WHERE key = 'agents'"),
      404,
    ],
  ])("is told so first when %s", async (_name, change, undo?, status = 401) => {
    await change();
    try {
      const answers = await flood();
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
      if (status !== 401) return;
      const challenges = answers.map(({ headers }) => headers.get("www-authenticate"));
      expect(new Set(challenges).size).toBe(1);
      expect(challenges[0]).toContain('error="invalid_token"');
      expect(challenges[0]).toContain("resource_metadata=");
    } finally {
      await undo?.();
    }
  });

  test("is told so after fewer messages when they are long", async () => {
    const long = { ...ping, params: { text: "x".repeat(129 * 1024) } };
    const statuses: number[] = [];
    for (const message of [long, ping, ping, long]) statuses.push((await agent.send(message)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test("and is signed out in the middle of it, is told to sign in a moment later", async () => {
    await flood();
    await run("UPDATE grants SET revoked_at = now() WHERE id = $1", grantId());
    await expect.poll(async () => (await agent.send(ping)).status, { timeout: 5000 }).toBe(401);
  });

  test("of another app, changes nothing for this one", async () => {
    const other = await signInAgent(system, "fred");
    await flood();
    expect((await other.send(ping)).status).toBe(200);
  });

  test("keeps its proof when it has to wait", async () => {
    const signer = createProofSigner(await generateEs256KeyPair());
    const claims = { ...decodeJwt(agent.accessToken), cnf: { jkt: signer.thumbprint } };
    const token = system.server.context.keys.sign({ typ: "at+jwt" }, claims);
    await flood();
    const dpop = signer.sign({ method: "POST", url: agent.url, accessToken: token });
    const headers = { authorization: `DPoP ${token}`, dpop };
    expect((await agent.send(ping, { headers })).status).toBe(429);
    const sent = await agent.send(ping, { headers, origin: await system.startSecondInstance() });
    expect(sent.status).toBe(200);
  });
});

test("an app whose calls take every place is told so first when it was signed out", async () => {
  const calling = await startServiceCalling();
  const gone = new AbortController();
  try {
    const busy = await signInAgent(calling.system);
    let underway = 0;
    calling.api.answer = () => {
      underway += 1;
    };
    const call = {
      ...ping,
      method: "tools/call",
      params: { name: "request", arguments: { url: `${calling.api.origin}/v1/never` } },
    };
    const calls = Array.from({ length: 32 }, () => busy.send(call, { signal: gone.signal }));
    await expect.poll(() => underway).toBe(32);
    expect((await busy.send(ping)).status).toBe(429);
    await calling.system.database.query("UPDATE grants SET revoked_at = now() WHERE id = $1", [
      decodeJwt(busy.accessToken)["sid"],
    ]);
    await expect.poll(async () => (await busy.send(ping)).status, { timeout: 5000 }).toBe(401);
    gone.abort();
    await Promise.allSettled(calls);
  } finally {
    gone.abort();
    await calling.close();
  }
});

test("long requests of an app take several places of its own, and give all of them back", () => {
  const acquire = createGrantLimit(16);
  const release = acquire("ada", 15);
  acquire("bruno", 16);
  expect(() => acquire("ada", 2)).toThrow("Wait for one to finish.");
  acquire("ada", 1)();
  release();
  release();
  expect(() => acquire("ada", 17)).toThrow("Wait for one to finish.");
  acquire("ada", 16);
});

describe("the check of credentials beyond a limit", () => {
  const claims = { userId: "u", clientId: "c", grantId: "g", jkt: undefined };
  const identify = () => Promise.reject(new Error("not called"));

  test("queries once for many requests with the same credentials, and refuses each of them", async () => {
    const check = createLiveCheck();
    let queries = 0;
    const credentials = {
      claims,
      identify,
      async requireLive() {
        queries += 1;
        await Promise.reject(invalidToken("grant_ended"));
      },
    };
    const checks = await Promise.allSettled(Array.from({ length: 20 }, () => check(credentials)));
    expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(queries).toBe(1);
    for (const change of [{ jkt: "k" }, { grantId: "h" }])
      await expect(check({ ...credentials, claims: { ...claims, ...change } })).rejects.toThrow(OAuthError);
    expect(queries).toBe(3);
  });

  test("leaves the answer to the limit while the database is away", async () => {
    const requireLive = () => Promise.reject(new Error("The database is away."));
    await expect(createLiveCheck()({ claims, identify, requireLive })).resolves.toBeUndefined();
  });
});
