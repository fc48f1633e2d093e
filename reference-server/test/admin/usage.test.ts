import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  HealthList,
  SkillUsage,
  Usage,
  UsageDenials,
  UsageRanking,
} from "../../src/admin/usage/schemas.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { sealAndIndex } from "../support/audit-index.js";
import { testConnector } from "../support/connectors.js";
import { resourceRecord } from "../support/records.js";

const hourMs = 3_600_000;
const contracts = "https://contracts.acme.example/api";

let server: AdminServer;
let lina: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  lina = await server.signIn("Lina");
  const { store } = server.context;
  const at = new Date(server.clock());
  await store.resources.save(resourceRecord({ id: randomUUID(), resource: contracts }), at);
  await store.connectors.save(testConnector({ key: "github", name: "GitHub" }), at);
  const read = ["contracts:read"];
  await record(3, { type: "assertion.issued", data: { resource: contracts, scopes: read } });
  await record(2, { type: "assertion.issued", hoursAgo: 30, data: { resource: contracts, scopes: read } });
  await record(4, { type: "connection.used", data: { connector: "github", status: 200 } });
  await record(1, { type: "connection.used", data: { connector: "github", status: 503 } });
  await record(1, {
    type: "machine_token.issued",
    subject: null,
    client: "nightly",
    data: { resource: contracts },
  });
  const refused = { resource: contracts, scopes: ["contracts:write"], reason: "scope_not_assigned" };
  await record(2, { type: "token.refused", outcome: "denied", subject: lina.user.id, data: refused });
  await record(1, { type: "token.refused", outcome: "denied", subject: null, client: "nightly", data: {} });
  await store.auditSearch.addSkillReads([
    { hour: new Date(server.clock()), skillId: "contracts.list", count: 5 },
    { hour: new Date(server.clock() - 30 * hourMs), skillId: "installation.first-day", count: 7 },
  ]);
  await sealAndIndex(server.context);
});
afterAll(() => server.close());

async function record(
  count: number,
  event: {
    readonly type: string;
    readonly outcome?: string;
    readonly hoursAgo?: number;
    readonly subject?: string | null;
    readonly client?: string;
    readonly data: object;
  },
): Promise<void> {
  const {
    type,
    outcome = "success",
    hoursAgo = 0,
    subject = server.ada.user.id,
    client = "authz-cli",
    data,
  } = event;
  await server.database.query(
    `INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, data)
    SELECT $1, $2, 1, $3, 'client', $5, $4, $5, $6 FROM generate_series(1, $7)`,
    [
      new Date(server.clock() - hoursAgo * hourMs),
      type,
      outcome,
      subject,
      client,
      JSON.stringify(data),
      count,
    ],
  );
}

async function ask<Answer>(path: string): Promise<Answer> {
  const { status, body } = await server.request("GET", path);
  expect(status).toBe(200);
  return body as unknown as Answer;
}

describe("numbers over time", () => {
  test.each([
    { range: "24h", unit: "hour", length: 24, first: "2026-11-19T13:00:00.000Z", issued: 4 },
    { range: "7d", unit: "day", length: 7, first: "2026-11-14T00:00:00.000Z", issued: 6 },
    { range: "30d", unit: "day", length: 30, first: "2026-10-22T00:00:00.000Z", issued: 6 },
    { range: "90d", unit: "day", length: 90, first: "2026-08-23T00:00:00.000Z", issued: 6 },
  ])("of $range end with the current $unit", async ({ range, unit, length, first, issued }) => {
    const usage = await ask<Usage>(`/usage?range=${range}`);
    expect(usage).toMatchObject({ unit, countedThrough: "2026-11-20T12:00:00.000Z" });
    expect(usage.series).toHaveLength(length);
    expect(usage.series[0]).toEqual({ at: first, issued: 0, called: 0, denied: 0, failed: 0 });
    expect(usage.series.at(-1)).toMatchObject({ issued: 4, called: 5, denied: 3, failed: 1 });
    expect(usage.totals).toEqual({ issued, called: 5, denied: 3, failed: 1 });
  });

  test.each([
    { name: "an app", query: "client=nightly", totals: { issued: 1, called: 0, denied: 1, failed: 0 } },
    { name: "a service", query: "service=contracts", totals: { issued: 6, called: 0, denied: 2, failed: 0 } },
    {
      name: "a connector",
      query: "connector=github",
      totals: { issued: 0, called: 5, denied: 0, failed: 1 },
    },
    {
      name: "an app at a service",
      query: "client=authz-cli&service=contracts",
      totals: { issued: 5, called: 0, denied: 2, failed: 0 },
    },
    {
      name: "what nobody knows",
      query: "service=nothing",
      totals: { issued: 0, called: 0, denied: 0, failed: 0 },
    },
  ])("are those of $name", async ({ query, totals }) => {
    expect((await ask<Usage>(`/usage?${query}`)).totals).toEqual(totals);
  });

  test("are those of one person", async () => {
    const { totals } = await ask<Usage>(`/usage?user=${lina.user.id}`);
    expect(totals).toEqual({ issued: 0, called: 0, denied: 2, failed: 0 });
    const { totals: own } = await ask<Usage>(`/usage?range=24h&user=${server.ada.user.id}&service=contracts`);
    expect(own).toEqual({ issued: 3, called: 0, denied: 0, failed: 0 });
  });
});

describe("the most used", () => {
  const none = { issued: 0, called: 0, denied: 0, failed: 0 };

  test("apps come first, with what they are called today", async () => {
    const { items, total } = await ask<UsageRanking>("/usage/ranking?by=client");
    expect(total).toBe(2);
    const used = { issued: 5, called: 5, denied: 2, failed: 1 };
    expect(items).toEqual([
      { type: "client", id: "authz-cli", name: "Authz command line", detail: null, ...used },
      { ...none, type: "client", id: "nightly", name: null, detail: null, issued: 1, denied: 1 },
    ]);
  });

  test("services and connectors are in one list, and what had neither", async () => {
    const { items } = await ask<UsageRanking>("/usage/ranking?by=resource");
    expect(items).toEqual([
      { ...none, type: "service", id: "contracts", name: "Contracts", detail: null, issued: 6, denied: 2 },
      { ...none, type: "connector", id: "github", name: "GitHub", detail: null, called: 5, failed: 1 },
      { ...none, type: "none", id: "", name: null, detail: null, denied: 1 },
    ]);
  });

  test("people are in a list without machines, as long as it is asked for", async () => {
    const { items, total } = await ask<UsageRanking>("/usage/ranking?by=user&limit=1");
    expect(total).toBe(2);
    expect(items).toEqual([
      {
        type: "user",
        id: server.ada.user.id,
        name: "Ada",
        detail: "ada@acme.example",
        issued: 5,
        called: 5,
        denied: 0,
        failed: 1,
      },
    ]);
  });

  test("skills are counted by their reads, of all services or of one", async () => {
    const ids = async (query: string) =>
      (await ask<UsageRanking>(`/usage/ranking?by=skill${query}`)).items.map(({ id, called }) => [
        id,
        called,
      ]);
    expect(await ids("")).toEqual([
      ["installation.first-day", 7],
      ["contracts.list", 5],
    ]);
    expect(await ids("&range=24h")).toEqual([["contracts.list", 5]]);
    expect(await ids("&service=contracts")).toEqual([["contracts.list", 5]]);
    expect(await ids("&service=contract")).toEqual([]);
  });
});

test("reads of one skill are counted by the hour and by the day", async () => {
  const day = await ask<SkillUsage>("/usage/skill?skill=contracts.list&range=24h");
  expect([day.unit, day.reads, day.series.length, day.series.at(-1)?.reads]).toEqual(["hour", 5, 24, 5]);
  const first = await ask<SkillUsage>("/usage/skill?skill=installation.first-day&range=7d");
  expect([first.unit, first.reads, first.series.map(({ reads }) => reads)]).toEqual([
    "day",
    7,
    [0, 0, 0, 0, 0, 7, 0],
  ]);
  const before = await ask<SkillUsage>("/usage/skill?skill=installation.first-day&range=24h");
  expect(before.reads).toBe(0);
  expect((await ask<SkillUsage>("/usage/skill?skill=none.none")).reads).toBe(0);
});

describe("denials", () => {
  test("say who lacked what where, how often, and why", async () => {
    const { items, total } = await ask<UsageDenials>("/usage/denials");
    expect(total).toBe(2);
    expect(items).toMatchObject([
      {
        person: { id: lina.user.id, name: "Lina", email: "lina@acme.example" },
        scope: "contracts:write",
        target: { type: "service", key: "contracts", name: "Contracts" },
        client: { id: "authz-cli" },
        count: 2,
        lastAt: "2026-11-20T12:00:00.000Z",
        reason: "scope_not_assigned",
      },
      { person: null, scope: null, target: { type: "none", key: "", name: null }, count: 1, reason: "" },
    ]);
    expect(items[0]?.reasonText).not.toContain("_");
  });

  test("are those of one person, app, service or permission", async () => {
    const count = async (query: string) => (await ask<UsageDenials>(`/usage/denials?${query}`)).total;
    expect(await count(`user=${server.ada.user.id}`)).toBe(0);
    expect(await count("client=nightly")).toBe(1);
    expect([await count("scope=contracts:write"), await count("scope=contracts:read")]).toEqual([1, 0]);
    expect(await count("service=contracts&range=24h")).toBe(1);
  });
});

describe("whether a service answers", () => {
  async function healthOf(key: string): Promise<HealthList["items"][number] | undefined> {
    const { items } = await ask<HealthList>("/service-health");
    return items.find((item) => item.key === key);
  }
  const unknown = { state: "unknown", at: null, by: null, failure: null, answeredAt: null };

  test("is not known before anybody has asked it", async () => {
    expect(await healthOf("contracts")).toEqual({ type: "service", key: "contracts", ...unknown });
  });

  test("is what came of its last request, or of the last attempt to fetch its skills", async () => {
    const { store } = server.context;
    const at = (minute: number) => `2026-11-20T11:${minute}:00.000Z`;
    const call = { hoursAgo: 0.5, data: { resource: "contracts", status: 200 }, type: "service.called" };
    await record(1, call);
    await sealAndIndex(server.context);
    const answered = { state: "answers", at: at(30), by: "call", failure: null, answeredAt: at(30) };
    expect(await healthOf("contracts")).toMatchObject(answered);

    await record(1, {
      ...call,
      hoursAgo: 0.25,
      outcome: "failed",
      data: { resource: "contracts", status: null },
    });
    await sealAndIndex(server.context);
    const silent = { state: "fails", at: at(45), by: "call", failure: null, answeredAt: at(30) };
    expect(await healthOf("contracts")).toMatchObject(silent);

    await server.database.query("UPDATE resources SET skill_discovery = true");
    const { id: resourceId = "" } = (await store.resources.findByKey("contracts")) ?? {};
    const later = new Date(at(50));
    await store.skillCatalogs.saveFailure({
      resourceId,
      failure: "It is away.",
      at: later,
      refreshAt: later,
    });
    const away = { state: "fails", at: at(50), by: "catalog", failure: "It is away.", answeredAt: at(30) };
    expect(await healthOf("contracts")).toMatchObject(away);
  });

  test("is said of connectors, and of nothing that is disabled", async () => {
    expect(await healthOf("github")).toMatchObject({ type: "connector", state: "fails", by: "call" });
    await server.database.query("UPDATE connectors SET enabled = false");
    expect(await healthOf("github")).toBeUndefined();
  });
});

describe("a question is refused", () => {
  test.each([
    { name: "with an unknown range", path: "/usage?range=1y", field: "range" },
    { name: "about a person without an id", path: "/usage?user=ada", field: "user" },
    { name: "about a key that is none", path: "/usage?service=a%20b", field: "service" },
    { name: "about a service and a connector", path: "/usage?service=a&connector=b", field: "connector" },
    { name: "with a member that nobody knows", path: "/usage?colour=red", field: "colour" },
    { name: "with a NUL", path: "/usage?client=a%00", field: "client" },
    { name: "about an endless id", path: `/usage?client=${"a".repeat(2001)}`, field: "client" },
    { name: "without what the list is by", path: "/usage/ranking", field: "by" },
    { name: "by something else", path: "/usage/ranking?by=scope", field: "by" },
    { name: "for an endless list", path: "/usage/ranking?by=user&limit=101", field: "limit" },
    { name: "for the skills of a person", path: `/usage/ranking?by=skill&user=${randomUUID()}`, field: "by" },
    { name: "for too many denials", path: "/usage/denials?limit=201", field: "limit" },
  ])("$name", async ({ path, field }) => {
    const { status, body } = await server.request("GET", path);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect(JSON.stringify(body["fields"] ?? body["error_description"])).toContain(field);
  });
});
