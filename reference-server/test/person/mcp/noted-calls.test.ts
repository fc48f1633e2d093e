import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Agent, allow, readAnswer, signInAgent } from "./agent.js";
import { type ServiceCalling, startServiceCalling } from "./service-calls.js";

let calling: ServiceCalling;
let agent: Agent;
beforeAll(async () => {
  calling = await startServiceCalling();
  agent = await signInAgent(calling.system);
});
afterAll(() => calling.close());
beforeEach(() => calling.api.forget());

const url = () => `${calling.api.origin}/v1/notes`;

function message(args: object) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "request", arguments: args } };
}

/** What is left of a request that was refused: calls that are noted, events of calls, requests that arrived. */
async function traces() {
  const { database } = calling.system;
  const calls = await database.query("SELECT FROM forwarded_calls");
  const events = await database.query(
    "SELECT FROM audit_events WHERE type = 'service.called' AND data->>'resource' = 'plain'",
  );
  return { noted: calls.length, recorded: events.length, sent: calling.api.seen.length };
}

async function lastUsed(): Promise<number> {
  return (await traces()).recorded;
}

test("a call that is refused after it was noted leaves nothing behind", async () => {
  const before = await lastUsed();
  const refused = [
    { url: url(), offset: -1 },
    { url: url(), data: "{}" },
    { url: url(), scopes: "contracts:delete" },
    { url: url(), connection: "nowhere" },
    { url: url(), method: "TRACE" },
    { url: url(), headers: { "X-HTTP-Method-Override": "DELETE" } },
    { url: "https://nobody.example/" },
  ];
  for (const args of refused) {
    const { body } = await agent.send(message(args));
    expect(body["result"]).toMatchObject({ isError: true });
    expect(await traces()).toEqual({ noted: 0, recorded: before, sent: 0 });
  }
});

test("a proof counts once, also when two calls show it at the same moment", async () => {
  const { system } = calling;
  const signer = createProofSigner(await generateEs256KeyPair());
  const token = system.server.context.keys.sign(
    { typ: "at+jwt" },
    { ...decodeJwt(agent.accessToken), cnf: { jkt: signer.thumbprint } },
  );
  const headers = {
    authorization: `DPoP ${token}`,
    dpop: signer.sign({ method: "POST", url: agent.url, accessToken: token }),
  };
  const answers = await Promise.all([1, 2, 3].map(() => agent.send(message({ url: url() }), { headers })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  expect(await traces()).toMatchObject({ sent: 1 });
});

test("no call is noted without the permission to use agents, or after the app was signed out", async () => {
  const { system } = calling;
  const { store } = system.server.context;
  const other = await signInAgent(system, "fred");
  await allow(system, "fred", "contracts:read");
  expect(await other.call("request", { url: url() })).toMatchObject({ isError: false });
  // The event of a call may come after its answer; with it, what was noted goes.
  await expect.poll(async () => (await traces()).noted).toBe(0);
  calling.api.forget();
  const before = await lastUsed();
  const user = await store.users.findByEmail("fred@acme.example");
  await system.database.query(
    "DELETE FROM assignments WHERE email = 'fred@acme.example' AND scope_key = 'authz:agents'",
  );
  expect((await other.send(message({ url: url() }))).status).toBe(403);
  await allow(system, "fred", "authz:agents");
  await store.grants.revokeAll({ userId: user?.id ?? "", reason: "revoked_by_user", at: new Date() });
  expect((await other.send(message({ url: url() }))).status).toBe(401);
  const { noted, sent } = await traces();
  expect([noted, sent, await lastUsed()]).toEqual([0, 0, before]);
});

test("what is wrong with a message is told only to those who may send one", async () => {
  const { store } = calling.system.server.context;
  const gone = await signInAgent(calling.system, "fred");
  const user = await store.users.findByEmail("fred@acme.example");
  await store.grants.revokeAll({ userId: user?.id ?? "", reason: "revoked_by_user", at: new Date() });
  const post = async ({ accessToken }: Agent) =>
    await readAnswer(
      await fetch(agent.url, {
        method: "POST",
        headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
        body: '{"jsonrpc":',
      }),
    );
  expect((await post(gone)).status).toBe(401);
  expect((await post(agent)).status).toBe(400);
});
