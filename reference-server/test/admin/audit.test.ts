import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportNdjson } from "../../src/admin/audit/export.js";
import { recordAudit } from "../../src/audit/record.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { sealAndIndex } from "../support/audit-index.js";
import { resourceRecord } from "../support/records.js";

interface Event {
  readonly id: string;
  readonly type: string;
  readonly description: string;
}

let server: AdminServer;

/** Two hundred and fifty refusals, one a minute, and some things that Ada did. */
beforeAll(async () => {
  server = await createAdminServer();
  const { store } = server.context;
  const ada = server.ada.user.id;
  for (let minute = 0; minute < 250; minute += 1) {
    await recordAudit(store, {
      type: "token.refused",
      outcome: "denied",
      actor: { type: "client", id: "authz-cli" },
      clientId: "authz-cli",
      at: new Date(Date.UTC(2026, 10, 19, 0, minute)),
      data: { grantType: "refresh_token", grantId: null, error: "invalid_grant", reason: "expired" },
    });
  }
  const at = new Date(Date.UTC(2026, 10, 20, 11));
  const actor = { type: "user", id: ada } as const;
  const key = "contracts:read";
  await recordAudit(store, { type: "scope.created", outcome: "success", actor, at, data: { key } });
  const data = { email: '=cmd|" /C calc"!A0', scope: key };
  await recordAudit(store, { type: "assignment.created", outcome: "success", actor, at, data });
  await recordAudit(store, {
    type: "assignment.removed",
    outcome: "success",
    actor: { type: "operator" },
    at: new Date(Date.UTC(2026, 10, 20, 10)),
    data: { email: "ada@acme.example", scope: "invoices:read" },
  });
  const signIn = { provider: "acme", sessionId: server.ada.session.id, amr: [] };
  await recordAudit(store, {
    type: "sign_in.completed",
    outcome: "success",
    actor,
    subject: ada,
    at,
    data: signIn,
  });
  await sealAndIndex(server.context);
});
afterAll(() => server.close());

async function search(query: string): Promise<Event[]> {
  const { status, body } = await server.request("GET", `/audit-events?${query}`);
  expect(status).toBe(200);
  return body["items"] as Event[];
}

test("an event has names, a sentence, and links to what it is about", async () => {
  const [event] = await search("type=sign_in.completed");
  const ada = { id: server.ada.user.id, email: "ada@acme.example", name: "Ada" };
  expect(event).toMatchObject({
    at: "2026-11-20T11:00:00.000000Z",
    outcome: "success",
    description: "ada@acme.example signed in with Acme accounts.",
    actor: { type: "user", ...ada },
    subject: ada,
    client: null,
    links: [
      { type: "user", id: ada.id, name: "Ada" },
      { type: "session", id: server.ada.session.id, name: null },
      { type: "identity-provider", id: "acme", name: "Acme accounts" },
    ],
  });
  expect((await server.request("GET", `/audit-events/${event?.id}`)).body).toEqual(event);
  expect((await server.request("GET", "/audit-events/999999")).status).toBe(404);
});

describe("a search finds", () => {
  test.each([
    { name: "by words", query: "q=contracts%20ADA", types: ["assignment.created", "scope.created"] },
    {
      name: "by types",
      query: "type=scope.created&type=sign_in.completed",
      types: ["sign_in.completed", "scope.created"],
    },
    { name: "by the actor's address", query: "actor=ADA@acme.example&limit=1", types: ["sign_in.completed"] },
    {
      name: "by the subject's address",
      query: "subject=ADA@acme.example",
      types: ["sign_in.completed", "assignment.removed"],
    },
    {
      name: "by the subject's address and words",
      query: "subject=ada@acme.example&q=invoices",
      types: ["assignment.removed"],
    },
    {
      name: "what was given to an address before anybody had it",
      query: `subject=${encodeURIComponent('=cmd|" /C calc"!A0')}`,
      types: [],
    },
    { name: "nothing for an unknown address", query: "actor=nobody@acme.example", types: [] },
    {
      name: "by outcome and time",
      query: "outcome=denied&to=2026-11-19T00:01:00Z",
      types: ["token.refused"],
    },
    {
      name: "by words, client and time",
      query: "q=expired&client=authz-cli&from=2026-11-19T04:09:00%2B00:00",
      types: ["token.refused"],
    },
  ])("$name", async ({ query, types }) => {
    expect((await search(query)).map(({ type }) => type)).toEqual(types);
  });

  test("every event once over the pages, and says how far the words go", async () => {
    const ids: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body } = await server.request("GET", `/audit-events?q=refused&limit=100${more}`);
      ids.push(...(body["items"] as Event[]).map(({ id }) => id));
      expect(body["searchedThrough"]).toBe("2026-11-20T11:00:00.000Z");
      cursor = body["nextCursor"] as string | null;
    }
    expect([ids.length, new Set(ids).size]).toEqual([250, 250]);
  });
});

describe("a search is refused for", () => {
  test.each([
    { name: "a foreign cursor", query: "cursor=abc", path: "cursor" },
    { name: "a time without a zone", query: "from=2026-11-19T00:00:00", path: "from" },
    { name: "an unknown outcome", query: "outcome=maybe", path: "outcome" },
    { name: "an unknown filter", query: "ip=1.2.3.4", path: "ip" },
    { name: "a service without a key", query: "service=a%20b", path: "service" },
    { name: "a longer page than there is", query: "limit=201", path: "limit" },
  ])("$name", async ({ query, path }) => {
    const { status, body } = await server.request("GET", `/audit-events?${query}`);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect((body["fields"] as { path: string }[]).map((field) => field.path)).toEqual([path]);
  });
});

describe("an export", () => {
  test("is not read when only its head is asked for", async () => {
    const { auditSearch } = server.context.store;
    const before = { ...auditSearch };
    let pages = 0;
    const find: typeof auditSearch.find = async (wanted) => {
      pages += 1;
      return await before.find(wanted);
    };
    Object.assign(auditSearch, { find });
    const { status, headers, text } = await server.request("HEAD", "/audit-events/export?format=csv");
    await server.request("GET", "/session");
    Object.assign(auditSearch, before);
    expect([status, headers["content-type"], text]).toEqual([
      200,
      "text/csv; charset=utf-8; header=present",
      "",
    ]);
    expect(pages).toBe(0);
  });

  test("as lines of JSON is what the search shows, all of it", async () => {
    const { headers, text } = await server.request("GET", "/audit-events/export?format=ndjson");
    expect(headers).toMatchObject({
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": 'attachment; filename="audit-2026-11-20.ndjson"',
    });
    const lines = text.trimEnd().split("\n");
    // This export is an event as well.
    expect(lines).toHaveLength(256);
    expect(lines.slice(0, 50).map((line) => JSON.parse(line) as Event)).toEqual(await search("limit=50"));
  });

  test("as CSV holds nothing that a spreadsheet would execute", async () => {
    const { headers, text } = await server.request(
      "GET",
      "/audit-events/export?format=csv&type=assignment.created&type=scope.created",
    );
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    const rows = text.trimEnd().split("\r\n");
    expect(rows[0]).toBe(
      '"id","at","type","outcome","who_type","who_id","who_email","who_name","about_id","about_email","about_name","client","client_name","client_host","service","service_name","connector","scopes","error","reason","method","host","status","duration_ms","count","request_id","description","data"',
    );
    expect(rows).toHaveLength(3);
    expect(rows[1]).toContain('"ada@acme.example gave contracts:read to =cmd|"" /C calc""!A0."');
    for (const cell of text.matchAll(/(?:^|,)"([^"]?)/gm)) expect(cell[1]).not.toMatch(/[=+\-@\t]/);
  });

  test("as CSV has what a spreadsheet sorts and filters by in columns of its own", async () => {
    const { store } = server.context;
    const resource = "https://contracts.acme.example/api";
    const at = new Date(server.clock());
    await store.resources.save(resourceRecord({ id: randomUUID(), resource }), at);
    await recordAudit(store, {
      type: "token.refused",
      outcome: "denied",
      actor: { type: "client", id: "authz-cli" },
      subject: server.ada.user.id,
      clientId: "authz-cli",
      at,
      data: {
        grantType: "refresh_token",
        grantId: null,
        error: "invalid_scope",
        reason: "scope_not_assigned",
        resource,
        scopes: ["contracts:read", "contracts:write"],
      },
    });
    const path = "/audit-events/export?format=csv&service=contracts";
    const [head = "", row = "", ...rest] = (await server.request("GET", path)).text.trimEnd().split("\r\n");
    expect(rest).toEqual([]);
    const names = head.slice(1, -1).split('","');
    const cells = row.slice(1, -1).split('","');
    expect(Object.fromEntries(names.map((name, index) => [name, cells[index]]))).toMatchObject({
      type: "token.refused",
      outcome: "denied",
      who_type: "client",
      about_email: "ada@acme.example",
      client: "authz-cli",
      service: "contracts",
      service_name: "Contracts",
      scopes: "contracts:read contracts:write",
      reason: "scope_not_assigned",
      connector: "",
    });
  });

  test("takes what is about one connector: what was changed about it, accounts there, and requests for it", async () => {
    const { store } = server.context;
    const common = { outcome: "success", actor: { type: "system" }, at: new Date(server.clock()) } as const;
    const scopes = { connectionId: randomUUID(), scopes: [] };
    const target = { request: randomUUID(), kind: "connector", target: "drive", scopes: [] } as const;
    const fields = { fields: ["name"] };
    await recordAudit(store, {
      ...common,
      type: "connector.created",
      data: { key: "drive", kind: "oauth2" },
    });
    await recordAudit(store, {
      ...common,
      type: "connection.created",
      data: { ...scopes, connector: "drive" },
    });
    await recordAudit(store, {
      ...common,
      type: "connection.created",
      data: { ...scopes, connector: "other" },
    });
    await recordAudit(store, { ...common, type: "access.requested", data: target });
    await recordAudit(store, { ...common, type: "scope.changed", data: { key: "drive", ...fields } });
    await sealAndIndex(server.context);
    const { body } = await server.request("GET", "/audit-events?connector=drive");
    const items = body["items"] as { type: string }[];
    expect(items.map(({ type }) => type)).toEqual([
      "access.requested",
      "connection.created",
      "connector.created",
    ]);
    expect((await server.request("GET", "/audit-events?connector=no%20key")).status).toBe(400);
  });

  test("reads no further than somebody takes it", async () => {
    const { store } = server.context;
    let pages = 0;
    const find: typeof store.auditSearch.find = (wanted) => {
      pages += 1;
      return store.auditSearch.find(wanted);
    };
    const lines = exportNdjson({ auditSearch: { ...store.auditSearch, find } }, {}, "en");
    expect(
      String((await lines.next()).value)
        .trimEnd()
        .split("\n"),
    ).toHaveLength(200);
    expect(pages).toBe(1);
    await lines.return(undefined);
    expect(pages).toBe(1);
  });

  test("takes the same filters, words among them, and needs a format", async () => {
    const { text } = await server.request(
      "GET",
      "/audit-events/export?format=ndjson&q=contracts&type=scope.created",
    );
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect((await server.request("GET", "/audit-events/export")).status).toBe(400);
  });
});

test("what a spreadsheet takes for a formula is a text in CSV", async () => {
  const { store } = server.context;
  const at = new Date(Date.UTC(2026, 10, 20, 11, 30));
  const id = "@SUM(1)";
  await recordAudit(store, {
    type: "client.created",
    outcome: "success",
    actor: { type: "client", id },
    clientId: "=1+1",
    at,
    data: { id, type: "public" },
  });
  const { text } = await server.request("GET", "/audit-events/export?format=csv&type=client.created");
  expect(text).toContain(`"'@SUM(1)","","","","","","'=1+1"`);
  await sealAndIndex(server.context);
});

describe("the verification", () => {
  test("goes through the chain in parts", async () => {
    const { body } = await server.request("GET", "/audit-events/verification");
    expect(body).toMatchObject({
      intact: true,
      checkedEvents: 262 + (await server.audit("audit.exported")).length,
      unsealedEvents: 0,
      faults: [],
      nextAfter: null,
    });
    const head = body["head"] as { id: number; digest: string };
    const rest = await server.request("GET", `/audit-events/verification?after=${head.id}`);
    expect(rest.body).toMatchObject({ intact: true, checkedSeals: 0, nextAfter: null, head });
    const unknown = await server.request("GET", "/audit-events/verification?after=77");
    expect([unknown.status, unknown.body["error"]]).toEqual([400, "invalid_request"]);
  });

  test("names the seal whose events somebody edited", async () => {
    await server.database.query(`
      SET session_replication_role = replica;
      UPDATE audit_events SET outcome = 'success' WHERE id = 7`);
    const { body } = await server.request("GET", "/audit-events/verification");
    expect(body).toMatchObject({
      intact: false,
      faults: [{ kind: "events_changed", text: "events were edited.", sealId: 1, firstEventId: "1" }],
    });
  });
});
