import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.js";
import { ApiClient } from "../../support/api-client.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let ada: ApiClient;
let store: Store;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "ask.person=1000" });
  ({ store } = system.server.context);
  ada = await ApiClient.signIn(system.issuer);
});
beforeEach(() => system.database.query("DELETE FROM access_requests"));
afterAll(() => system.close());

const call = async (method: string, path: string, body?: object) =>
  await ada.call(method, path, body === undefined ? {} : { body });

const wanted = { resource: "contracts", reason: "I have to file the Acme contract." };
const ask = (changes: object = {}) => call("POST", "/api/me/access-requests", { ...wanted, ...changes });
const explain = async () =>
  (await call("GET", "/api/me/explanation?resource=contracts&scope=contracts:write")).body;

test("everything missing is asked for, and what is held is said to be", async () => {
  const before = (await system.audit("access.requested")).length;
  expect(await explain()).toMatchObject({ allowed: false, requestable: true });
  const { status, body } = await ask();
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      resource: "contracts",
      state: "pending",
      scopes: ["contracts:write"],
      reason: wanted.reason,
      held: ["contracts:read"],
    },
  });
  const explained = await explain();
  expect(explained).toMatchObject({ allowed: false, requestable: false, request: { state: "pending" } });
  const events = (await system.audit("access.requested")).slice(before);
  expect(events.map(({ data }) => data)).toEqual([
    { request: body["id"], kind: "service", target: "contracts", scopes: ["contracts:write"] },
  ]);
  expect(JSON.stringify(events)).not.toContain("Acme contract");
});

test("asking again replaces the reason, and there is one request", async () => {
  const first = await ask();
  const address = { url: `${system.resource.requestPrefixes[0] ?? ""}/contracts/7` };
  const second = await call("POST", "/api/me/access-requests", { ...address, reason: "It is urgent." });
  expect(second).toMatchObject({ status: 201, body: { id: first.body["id"], reason: "It is urgent." } });
  const { body } = await call("GET", "/api/me/access-requests");
  expect(body["items"]).toHaveLength(1);
});

test("a request that is withdrawn is over, once", async () => {
  const { body } = await ask();
  const path = `/api/me/access-requests/${String(body["id"])}`;
  const both = await Promise.all([call("DELETE", path), call("DELETE", path)]);
  expect(both.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 404]);
  expect((await explain())["request"]).toBeUndefined();
  expect((await ask()).status).toBe(201);
});

describe("is refused:", () => {
  const refusals: readonly [name: string, changes: object, status: number, error: string][] = [
    ["no reason", { reason: undefined }, 400, "invalid_request"],
    ["an empty reason", { reason: "  " }, 400, "invalid_reason"],
    ["a long reason", { reason: "x".repeat(501) }, 400, "invalid_reason"],
    ["a huge reason", { reason: "x".repeat(2001) }, 400, "invalid_request"],
    ["a reason with NUL", { reason: "a\0b" }, 400, "invalid_reason"],
    ["a reason turned around", { reason: "a\u202eb" }, 400, "invalid_reason"],
    ["half a character", { reason: "a\ud800" }, 400, "invalid_reason"],
    ["an unknown member", { state: "approved" }, 400, "invalid_request"],
    ["two targets", { connector: "google" }, 400, "invalid_request"],
    ["an unknown service", { resource: "nothing" }, 404, "unknown_target"],
    ["NUL", { resource: "a\0" }, 404, "unknown_target"],
    ["an address of nobody", { resource: undefined, url: "https://evil.example/" }, 404, "unknown_target"],
    ["no address", { resource: undefined, url: "contracts" }, 404, "unknown_target"],
    ["an unknown connector", { resource: undefined, connector: "google" }, 404, "unknown_target"],
    ["a permission of another service", { scopes: ["invoices:read"] }, 400, "unknown_scope"],
    ["the administration", { scopes: ["authz:administer"] }, 400, "unknown_scope"],
    [
      "too many permissions",
      { scopes: Array.from({ length: 51 }, () => "contracts:write") },
      400,
      "invalid_request",
    ],
    ["what the person has", { scopes: ["contracts:read"] }, 409, "nothing_missing"],
  ];
  test.each(refusals)("%s", async (_name, changes, status, error) => {
    expect(await ask(changes)).toMatchObject({ status, body: { error } });
    const rows = await system.database.query("SELECT FROM access_requests");
    expect(rows).toEqual([]);
  });

  test("without a token", async () => {
    const answer = await fetch(`${system.issuer}/api/me/access-requests`, { method: "POST" });
    expect(answer.status).toBe(401);
  });

  test("a service that is switched off", async () => {
    await store.resources.save({ ...system.resource, enabled: false }, new Date());
    expect(await ask()).toMatchObject({ status: 404, body: { error: "unknown_target" } });
    await store.resources.save({ ...system.resource, enabled: true }, new Date());
  });

  test("another person's request, and an unknown one", async () => {
    const { body } = await ask();
    const fred = await ApiClient.signIn(system.issuer, "fred");
    const answer = await fred.call("DELETE", `/api/me/access-requests/${String(body["id"])}`);
    expect(answer.status).toBe(404);
    expect((await call("DELETE", "/api/me/access-requests/nothing")).status).toBe(404);
    expect((await call("DELETE", `/api/me/access-requests/${randomUUID()}`)).status).toBe(404);
    expect((await call("GET", "/api/me/access-requests")).body["items"]).toHaveLength(1);
  });

  test("the twenty-first that is pending", async () => {
    const user = await store.users.findByEmail("ada@acme.example");
    const pending = Array.from({ length: 25 }, (_, index) =>
      store.transaction((tx) =>
        tx.accessRequests.ask({
          id: randomUUID(),
          userId: user?.id ?? "",
          kind: "connector",
          target: `connector-${String(index)}`,
          scopes: ["contracts:read"],
          reason: "Because.",
          clientId: null,
          grantId: null,
          createdAt: new Date(),
        }),
      ),
    );
    const stored = (await Promise.all(pending)).filter((request) => request !== undefined);
    expect(stored).toHaveLength(20);
    expect(await ask()).toMatchObject({ status: 409, body: { error: "too_many_requests" } });
  });
});
