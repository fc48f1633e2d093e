import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ask,
  requestableAt,
  requestableLogin,
  requestableThrough,
} from "../../src/person/access-requests/ask.js";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { testConnector } from "../support/connectors.js";
import { resourceRecord } from "../support/records.js";
import { stampEvent } from "../support/stamp.js";

let server: AdminServer;
let other: OpenStore;
let bea: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  other = openStore({ postgresUrl: server.database.url, stampEvent });
  const { store } = server.context;
  const at = new Date(server.clock());
  for (const key of ["contracts:read", "contracts:write", "invoices:read"])
    await store.scopes.save({ key, description: key, system: false }, at);
  const supportedScopes = ["contracts:read", "contracts:write"];
  await store.resources.save(resourceRecord({ id: randomUUID(), supportedScopes }), at);
  bea = await server.signIn("Bea");
  await server.signIn("Carl", ["contracts:write"]);
});
beforeEach(async () => {
  await server.database.query("DELETE FROM access_requests");
  await server.database.query("DELETE FROM notification_events");
  await server.database.query("DELETE FROM assignments WHERE email = 'bea@acme.example'");
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function request(scopes: readonly string[] = []): Promise<{ path: string; id: string }> {
  const { store, directories } = server.context;
  const own = { user: bea.user, clientId: "authz-cli", grantId: null, requestId: randomUUID() };
  const at = requestableAt(await store.resources.findByKey("contracts"));
  const asked = await ask(
    { ...own, at, scopes, reason: "For the audit." },
    { store, directories, now: new Date(server.clock()) },
  );
  return { id: asked.request.id, path: `/access-requests/${asked.request.id}` };
}

const approve = (path: string, body: object = {}, version = 1, query = "") =>
  server.request("POST", `${path}/approvals${query}`, { body, version });
const scopesOfBea = async () =>
  (await server.context.store.assignments.listByEmail("bea@acme.example")).map(({ scope }) => scope);
const toldOf = async (types: readonly string[]) =>
  (
    await server.database.query<{ event: object }>(
      "SELECT event FROM notification_events WHERE event ->> 'type' = ANY ($1) ORDER BY id",
      [types],
    )
  ).map(({ event }) => event);
const auditTypes = async (count: number) => (await server.audit()).slice(-count).map(({ type }) => type);

test("a request is listed, counted and shown with what helps to decide", async () => {
  const { id, path } = await request();
  expect((await server.request("GET", "/access-requests/count")).body).toEqual({ pending: 1 });
  const list = await server.request("GET", "/access-requests?state=pending");
  expect(list.body).toMatchObject({
    items: [{ id, person: { email: "bea@acme.example" }, target: "contracts", reason: "For the audit." }],
  });
  expect((await server.request("GET", "/access-requests?state=declined")).body["items"]).toEqual([]);
  const { status, body } = await server.request("GET", path);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      state: "pending",
      scopes: ["contracts:read", "contracts:write"],
      explanation: { allowed: false, missing: [{ reason: "not_assigned" }, { reason: "not_assigned" }] },
      holders: [
        { scope: "contracts:read", people: [] },
        { scope: "contracts:write", people: [{ email: "carl@acme.example", name: "Carl" }] },
      ],
      calls: [],
    },
  });
});

test("what the person's apps called there lately is shown, and nothing else", async () => {
  const { path } = await request();
  const call = { grantId: randomUUID(), method: "POST", host: "contracts.example", pathTemplate: "/api/{…}" };
  const sizes = { durationMs: 1, requestBytes: 1, responseBytes: 1 };
  for (const resource of ["contracts", "invoices"])
    await server.context.store.auditEvents.append({
      at: new Date(server.clock()),
      type: "service.called",
      version: 1,
      outcome: "success",
      actorType: "user",
      actorId: bea.user.id,
      subject: bea.user.id,
      clientId: "authz-cli",
      requestId: null,
      data: { resource, ...call, status: 403, ...sizes },
    });
  const { body } = await server.request("GET", path);
  expect(body["calls"]).toMatchObject([{ method: "POST", path: "/api/{…}", status: 403 }]);
});

test("a preview says who gains, and stores nothing", async () => {
  const { path } = await request();
  const { status, body } = await approve(path, {}, 1, "?preview=true");
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain("bea@acme.example");
  expect(await scopesOfBea()).toEqual([]);
  expect((await server.request("GET", path)).body).toMatchObject({ state: "pending", version: 1 });
  expect(await toldOf(["access.approved"])).toEqual([]);
});

test("a preview names every service and connector where the permissions count, and when they end", async () => {
  const { store } = server.context;
  const at = new Date(server.clock());
  for (const one of [
    { key: "archive", name: "Archive", enabled: true },
    { key: "off", name: "Off", enabled: false },
  ]) {
    const origin = `https://${one.key}.example`;
    const address = { resource: `${origin}/api`, authorizationServer: origin };
    const record = resourceRecord({
      id: randomUUID(),
      clientId: one.key,
      supportedScopes: ["contracts:write"],
      ...address,
      ...one,
    });
    await store.resources.save(record, at);
  }
  await store.connectors.save(
    testConnector({ key: "signatures", name: "Signatures", requiredScopes: ["contracts:write"] }),
    at,
  );
  const { path } = await request();
  const gainsOf = async (body: object) => {
    const answer = await approve(path, body, 1, "?preview=true");
    return (answer.body["impact"] as { gains: object[] }).gains;
  };
  const { name } = (await store.resources.findByKey("contracts")) ?? {};
  const gains = [
    { scope: "contracts:read", places: [name] },
    { scope: "contracts:write", places: ["Archive", name, "Signatures"] },
  ];
  const until = new Date(server.clock() + 3_600_000).toISOString();
  expect(await gainsOf({ until })).toMatchObject(gains.map((gain) => ({ ...gain, until })));
  const lasting = await gainsOf({});
  expect(lasting).toMatchObject(gains);
  expect(JSON.stringify(lasting)).not.toContain("until");
});

test.each([
  { kind: "installation", target: "authz", targetName: "Acme", scopes: ["authz:agents", "authz:login"] },
  { kind: "connector", target: "tracker", targetName: "Tracker", scopes: ["invoices:read"] },
])("what is asked for of kind $kind is shown, previewed and given like any other", async (asked) => {
  const { store, directories } = server.context;
  await store.settings.save({ installationName: "Acme" }, new Date(server.clock()));
  const fields = testConnector({ key: "tracker", name: "Tracker", requiredScopes: ["invoices:read"] });
  if ((await store.connectors.findByKey("tracker")) === undefined)
    await store.connectors.save(fields, new Date(server.clock()));
  const connector = await store.connectors.findByKey("tracker");
  const at = asked.kind === "connector" ? requestableThrough(connector) : requestableLogin;
  const own = { user: bea.user, clientId: null, grantId: null, requestId: randomUUID() };
  const { request: stored } = await ask(
    { ...own, at, scopes: [], reason: "To start." },
    { store, directories, now: new Date(server.clock()) },
  );
  const path = `/access-requests/${stored.id}`;
  const { status, body } = await server.request("GET", path);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { ...asked, explanation: { allowed: false }, calls: [] },
  });
  expect(JSON.stringify((await approve(path, {}, 1, "?preview=true")).body)).toContain("bea@acme.example");
  expect((await approve(path)).status).toBe(200);
  expect(await scopesOfBea()).toEqual(asked.scopes);
  expect(await toldOf(["access.requested", "access.approved"])).toMatchObject([
    { type: "access.requested", request: stored.id },
    { type: "access.approved", request: stored.id },
  ]);
});

describe("approving gives", () => {
  test("everything with one confirmation, for good", async () => {
    const { path } = await request();
    const { status, body } = await approve(path);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { state: "approved", grantedScopes: ["contracts:read", "contracts:write"], expiresAt: null },
    });
    expect(await scopesOfBea()).toEqual(["contracts:read", "contracts:write"]);
    expect(await auditTypes(3)).toEqual(["assignment.created", "assignment.created", "access.approved"]);
    expect((await server.request("GET", "/access-requests/count")).body).toEqual({ pending: 0 });
  });

  test("a part of it, for an hour", async () => {
    const { path } = await request();
    const { body } = await approve(path, { scopes: ["contracts:read"], duration: "PT1H" });
    expect(body["grantedScopes"]).toEqual(["contracts:read"]);
    expect(Date.parse(String(body["expiresAt"])) - server.clock()).toBe(3_600_000);
    const list = await server.request("GET", "/assignments?email=bea@acme.example");
    expect(list.body).toMatchObject({ items: [{ scope: "contracts:read", expiresAt: body["expiresAt"] }] });
  });

  test.each([
    { name: "a day", end: () => ({ duration: "P1D" }), seconds: 86_400 },
    {
      name: "until a date",
      end: () => ({ until: new Date(server.clock() + 5_000_000).toISOString() }),
      seconds: 5000,
    },
  ])("it for $name", async ({ end, seconds }) => {
    const { path } = await request(["contracts:read"]);
    const { body } = await approve(path, end());
    expect(Date.parse(String(body["expiresAt"])) - server.clock()).toBe(seconds * 1000);
  });

  test.each([
    { name: "what nobody asked for", body: { scopes: ["invoices:read"] }, path: "scopes.0" },
    { name: "nothing", body: { scopes: [] }, path: "scopes" },
    { name: "for minutes", body: { duration: "PT5M" }, path: "duration" },
    { name: "for no time", body: { duration: "PT0H" }, path: "duration" },
    {
      name: "until a date and for a time",
      body: { duration: "P1D", until: "2099-01-01T00:00:00Z" },
      path: "",
    },
    { name: "until a moment that is over", body: { until: "2001-01-01T00:00:00Z" }, path: "expiresAt" },
  ])("not $name", async ({ body, path: place }) => {
    const { path } = await request(["contracts:read"]);
    const answer = await approve(path, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body["fields"])).toContain(`"path":"${place}`);
    expect(await scopesOfBea()).toEqual([]);
    expect((await server.request("GET", path)).body["state"]).toBe("pending");
  });
});

test("declining gives nothing, and keeps the word", async () => {
  const { path, id } = await request();
  const body = { note: "Ask Carl, he signs them." };
  const answer = await server.request("POST", `${path}/declines`, { body, version: 1 });
  expect(answer).toMatchObject({ status: 200, body: { state: "declined", ...body } });
  expect(await scopesOfBea()).toEqual([]);
  const [event] = (await server.audit("access.declined")).slice(-1);
  expect(event?.data).toEqual({
    request: id,
    kind: "service",
    target: "contracts",
    scopes: ["contracts:read", "contracts:write"],
  });
});

describe("one decision only:", () => {
  test("of two requests at the same moment", async () => {
    const { path } = await request();
    const both = await Promise.all([
      approve(path),
      server.request("POST", `${path}/declines`, { body: {}, version: 1 }),
    ]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412]);
  });

  test("of two processes whose statements meet", async () => {
    const { id } = await request();
    const decision = {
      id,
      version: 1,
      grantedScopes: [],
      expiresAt: null,
      note: null,
      decidedBy: "x",
    } as const;
    const decided = await Promise.all([
      server.context.store.accessRequests.decide({ ...decision, state: "approved" }),
      other.accessRequests.decide({ ...decision, state: "declined" }),
      other.accessRequests.decide({ ...decision, state: "withdrawn" }),
    ]);
    expect(decided.filter((one) => one !== undefined)).toHaveLength(1);
  });

  test("of a request that has grown meanwhile", async () => {
    const { path } = await request(["contracts:read"]);
    await request(["contracts:write"]);
    expect((await approve(path)).status).toBe(412);
    expect(await scopesOfBea()).toEqual([]);
    expect((await approve(path, {}, 2)).status).toBe(200);
    expect((await approve(path, {}, 3)).status).toBe(400);
  });

  test("of a request that exists", async () => {
    expect((await approve(`/access-requests/${randomUUID()}`)).status).toBe(404);
  });
});
