import { describe, expect, test } from "vitest";
import { AuditSearchError, searchAuditEvents } from "../../src/audit/search-events.js";
import { type AuditFilter, auditSearchStatement } from "../../src/store/audit-events.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { explain } from "../support/explain.js";
import { withStore } from "../support/store.js";

let database: TestDatabase;
let store: OpenStore;

/** One event a minute: every tenth denied, a hundred people, one machine among the clients. */
withStore("all", async (opened) => {
  ({ database, store } = opened);
  await database.query(`
    INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
    SELECT timestamptz '2026-11-01T00:00:00Z' + n * interval '1 minute',
      CASE WHEN n % 50 = 0 THEN 'consent.given' ELSE 'token.issued' END, 1,
      CASE WHEN n % 10 = 0 THEN 'denied' ELSE 'success' END, 'user', 'user-' || n % 100, 'user-' || n % 100,
      CASE WHEN n % 1000 = 0 THEN 'nightly-report' ELSE 'authz-cli' END, 'request-' || n, '{}'
    FROM generate_series(0, 19999) AS n;
    INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, data)
    SELECT timestamptz '2026-11-14T22:00:00Z' + n * interval '1 minute', 'assignment.created', 1, 'success', 'user', 'administrator',
      jsonb_build_object('email', 'user-' || n % 100 || '@acme.example', 'scope', 'contracts:read')
    FROM generate_series(0, 999) AS n;
    ANALYZE audit_events`);
});

const day = (date: number) => new Date(Date.UTC(2026, 10, date));

describe("a search finds", () => {
  test.each<{ name: string; filter: AuditFilter; total: number }>([
    { name: "by time", filter: { from: day(2), until: day(3) }, total: 1440 },
    { name: "by type", filter: { types: ["consent.given"] }, total: 400 },
    { name: "by actor", filter: { actorId: "user-7" }, total: 200 },
    { name: "by subject", filter: { subject: { id: "user-20" } }, total: 200 },
    {
      name: "by subject, with what names the address only",
      filter: { subject: { id: "user-20", email: "user-20@acme.example" } },
      total: 210,
    },
    {
      name: "by an address that nobody has",
      filter: { subject: { email: "user-20@acme.example" } },
      total: 10,
    },
    {
      name: "by subject and types",
      filter: {
        subject: { id: "user-50", email: "user-50@acme.example" },
        types: ["consent.given", "assignment.created"],
      },
      total: 210,
    },
    { name: "by client", filter: { clientId: "nightly-report" }, total: 20 },
    { name: "by outcome", filter: { outcome: "denied" }, total: 2000 },
    {
      name: "by everything at once",
      filter: {
        from: day(1),
        until: day(11),
        types: ["consent.given"],
        actorId: "user-0",
        subject: { id: "user-0" },
        clientId: "authz-cli",
        outcome: "denied",
      },
      total: 129,
    },
    { name: "nothing where nothing is", filter: { subject: { id: "nobody" } }, total: 0 },
  ])("$name, newest first, each event once", async ({ filter, total }) => {
    const found: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await searchAuditEvents(store, {
        ...filter,
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toHaveLength(total);
    expect(found).toEqual([...new Set(found)].sort((one, other) => Number(other) - Number(one)));
  });
});

test("an event that is stored meanwhile does not shift the pages", async () => {
  const first = await searchAuditEvents(store, { types: ["scope.created"], limit: 1 });
  expect(first).toEqual({ items: [], nextCursor: null });
  const insert =
    "INSERT INTO audit_events (at, type, version, outcome, actor_type, data) VALUES ($1, 'scope.created', 1, 'success', 'operator', '{}')";
  // The same moment for all of them: then the id decides.
  for (let index = 0; index < 3; index += 1) {
    await database.query(insert, [day(20)]);
  }
  const page = await searchAuditEvents(store, { types: ["scope.created"], limit: 2 });
  await database.query(insert, [day(21)]);
  const rest = await searchAuditEvents(store, {
    types: ["scope.created"],
    limit: 2,
    cursor: page.nextCursor ?? "",
  });
  expect([page.items.length, rest.items.length, rest.nextCursor]).toEqual([2, 1, null]);
});

describe("a search is refused for", () => {
  test.each([
    { name: "a foreign cursor", search: { cursor: "abc" } },
    {
      name: "a cursor with an impossible date",
      search: { cursor: Buffer.from("2026-99-01T00:00:00.000000Z 1").toString("base64url") },
    },
    { name: "a limit of zero", search: { limit: 0 } },
    { name: "a limit that is too large", search: { limit: 201 } },
    { name: "half a limit", search: { limit: 0.5 } },
  ])("$name", async ({ search }) => {
    await expect(searchAuditEvents(store, search)).rejects.toThrow(AuditSearchError);
  });
});

describe("an index brings the rows in their order, for a search by", () => {
  test.each<{ name: string; filter: AuditFilter; index: string }>([
    { name: "nothing", filter: {}, index: "audit_events_at" },
    { name: "time", filter: { from: day(2), until: day(3) }, index: "audit_events_at" },
    { name: "type", filter: { types: ["consent.given"] }, index: "audit_events_type" },
    { name: "actor", filter: { actorId: "user-7" }, index: "audit_events_actor_id" },
    { name: "subject", filter: { subject: { id: "user-7" } }, index: "audit_events_subject" },
    {
      name: "subject and address",
      filter: { subject: { id: "user-7", email: "user-7@acme.example" } },
      index: "audit_events_email",
    },
    { name: "client", filter: { clientId: "nightly-report" }, index: "audit_events_client_id" },
    { name: "outcome", filter: { outcome: "failed" }, index: "audit_events_outcome" },
    { name: "type and time", filter: { types: ["consent.given"], from: day(2) }, index: "audit_events_type" },
  ])("$name", async ({ filter, index }) => {
    const before = { at: "2026-11-14T12:00:00.000000Z", id: "19000" };
    for (const search of [
      { ...filter, limit: 50 },
      { ...filter, before, limit: 50 },
    ]) {
      const { text, values } = auditSearchStatement(search);
      let position = 0;
      const numbered = text.replaceAll("?", () => `$${(position += 1)}`);
      const texts = values.map((value) => (value instanceof Date ? value.toISOString() : String(value)));
      const plan = await explain(database.url, { text: numbered, values: texts });
      const types = plan.map(({ type }) => type);
      expect(types).not.toContain("Seq Scan");
      expect(types).not.toContain("Sort");
      expect(plan.at(-1)?.index).toBe(index);
    }
  });
});
