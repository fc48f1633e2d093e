import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
let renee: string;

beforeAll(async () => {
  server = await createAdminServer();
  const { store } = server.context;
  const at = new Date(server.clock());
  for (const key of ["contracts:read", "payroll:write"]) {
    await store.scopes.save({ key, description: `Verträge ${key}`, system: false }, at);
  }
  const claims = { id: randomUUID(), key: "acme-groups", name: "Acme groups", enabled: true } as const;
  await store.groupProviders.save({ ...claims, type: "claim", identityProviderId: server.providerId }, at);
  const names = {
    renee: "Renée Müller",
    soren: "Søren Łukasz",
    gross: "Anna Groß",
    carl: "Carl 100%_sure",
    twin: "Renee Other",
  };
  for (const [local, name] of Object.entries(names)) {
    const email = `${local}@acme.example`;
    const account = { providerId: server.providerId, subject: local };
    const user = await store.transaction((tx) => tx.users.signIn({ ...account, email, name, at }));
    if (local === "renee") renee = user.id;
    await store.userGroups.replace({
      userId: user.id,
      providerId: server.providerId,
      groups: local === "soren" ? ["Vertrieb Süd"] : [],
      unavailable: false,
      signedInAt: at,
      expiresAt: new Date(at.getTime() + 3_600_000),
    });
  }
  const give = (who: object, scope: string) =>
    server.request("POST", "/assignments", { body: { ...who, scope } });
  await give({ email: "renee@acme.example" }, "contracts:read");
  await give({ email: "renee@acme.example" }, "payroll:write");
  await give({ email: "twin@acme.example" }, "payroll:write");
  await give({ group: { provider: "acme-groups", key: "Vertrieb Süd" } }, "contracts:read");
});
afterAll(() => server.close());

async function find(path: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await server.request("GET", path);
  expect(status).toBe(200);
  return body["items"] as Record<string, unknown>[];
}

describe("a search of people", () => {
  test.each([
    { q: "renee muller", finds: ["renee@acme.example"] },
    { q: "RENÉE MÜLLER", finds: ["renee@acme.example"] },
    { q: "mueller", finds: ["renee@acme.example"] },
    // e and a combining accent, as macOS writes it.
    { q: "rene\u0301e mu", finds: ["renee@acme.example"] },
    { q: "Soren Lukasz", finds: ["soren@acme.example"] },
    { q: "gross", finds: ["gross@acme.example"] },
    { q: "groß", finds: ["gross@acme.example"] },
    { q: "renee", finds: ["renee@acme.example", "twin@acme.example"] },
    { q: "100%_s", finds: ["carl@acme.example"] },
    { q: "%nee", finds: [] },
    { q: "m_ller", finds: [] },
    { q: "' | 'renee", finds: ["renee@acme.example", "twin@acme.example"] },
  ])("for $q finds $finds", async ({ q, finds }) => {
    const items = await find(`/users?sort=email&q=${encodeURIComponent(q)}`);
    expect(items.map(({ email }) => email)).toEqual(finds);
  });

  test.each([
    { name: "a NUL", query: "q=ada%00" },
    { name: "more than anybody types", query: `q=${"a".repeat(201)}` },
    { name: "a group with a NUL", query: "group=acme-groups:a%00" },
    { name: "something that is no scope", query: "scope=%25" },
  ])("with $name is refused", async ({ query }) => {
    const { status, body } = await server.request("GET", `/users?${query}`);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });

  test.each([
    { query: "scope=payroll:write", finds: ["renee@acme.example", "twin@acme.example"] },
    { query: "scope=contracts:read", finds: ["renee@acme.example", "soren@acme.example"] },
    { query: "scope=contracts:read&q=soren", finds: ["soren@acme.example"] },
    { query: "group=acme-groups:Vertrieb%20S%C3%BCd", finds: ["soren@acme.example"] },
    { query: "group=acme-groups", finds: ["soren@acme.example"] },
    { query: "group=acme-groups:Vertrieb", finds: [] },
  ])("can be limited to $query", async ({ query, finds }) => {
    const items = await find(`/users?sort=email&${query}`);
    expect(items.map(({ email }) => email)).toEqual(finds);
  });
});

describe("a search of assignments", () => {
  const shown = async (q: string) =>
    (await find(`/assignments?sort=assignee&q=${encodeURIComponent(q)}`)).map(
      ({ email, group, scope }) =>
        `${(email as string | null) ?? (group as { key: string }).key} ${String(scope)}`,
    );

  test.each([
    {
      by: "name",
      q: "muller",
      finds: ["renee@acme.example contracts:read", "renee@acme.example payroll:write"],
    },
    { by: "name and scope", q: "müller payroll", finds: ["renee@acme.example payroll:write"] },
    { by: "group", q: "sud vertrieb", finds: ["Vertrieb Süd contracts:read"] },
    {
      by: "scope",
      q: "contracts:read",
      finds: ["renee@acme.example contracts:read", "Vertrieb Süd contracts:read"],
    },
  ])("finds by $by", async ({ q, finds }) => {
    expect((await shown(q)).sort()).toEqual([...finds].sort());
  });

  test("follows somebody who is called something else, and an address that changes hands", async () => {
    const { store } = server.context;
    const at = new Date(server.clock());
    const account = { providerId: server.providerId, subject: "renee", at };
    const signIn = (input: { subject: string; email: string; name: string }) =>
      store.transaction((tx) => tx.users.signIn({ ...account, ...input }));
    await signIn({ subject: "renee", email: "renee@acme.example", name: "Renée Dupont" });
    expect(await shown("muller")).toEqual([]);
    expect(await shown("dupont payroll")).toEqual(["renee@acme.example payroll:write"]);
    await signIn({ subject: "new", email: "renee@acme.example", name: "Zoë Neu" });
    expect(await shown("dupont")).toEqual([]);
    expect(await shown("zoe payroll")).toEqual(["renee@acme.example payroll:write"]);
    await signIn({ subject: "renee", email: "moved@acme.example", name: "Renée Dupont" });
    expect(await shown("dupont")).toEqual([]);
    expect(await shown("zoe payroll")).toEqual(["renee@acme.example payroll:write"]);
    expect((await server.request("GET", `/users/${renee}`)).body["email"]).toBe("moved@acme.example");
  });
});

test("the first page says how many fit when it is asked", async () => {
  const { body } = await server.request("GET", "/assignments?total=true&limit=1&scope=payroll:write");
  expect(body["total"]).toBe(2);
  expect(body["items"]).toHaveLength(1);
  const second = `/assignments?total=true&limit=1&scope=payroll:write&cursor=${String(body["nextCursor"])}`;
  expect((await server.request("GET", second)).body).not.toHaveProperty("total");
  expect((await server.request("GET", "/assignments?limit=1")).body).not.toHaveProperty("total");
});

describe("everything that a search finds", () => {
  beforeAll(async () => {
    await server.database.query(
      `INSERT INTO assignments (id, email, scope_key)
      SELECT gen_random_uuid(), 'many' || n || '@acme.example', 'payroll:write' FROM generate_series(1, 1209) n`,
    );
  });

  const allIds = async (query: string) => await server.request("GET", `/assignments/ids?${query}`);

  test("is one list of ids, and is removed in one piece with an event for each", async () => {
    const { body } = await allIds("q=many");
    const ids = body["ids"] as string[];
    expect(ids).toHaveLength(1209);
    const bulk = { body: { remove: ids } };
    const preview = await server.request("POST", "/assignments/bulk?preview=true", bulk);
    const { losses } = preview.body["impact"] as { losses: { scope: string; people: number }[] };
    expect(losses.map(({ scope, people }) => [scope, people])).toEqual([["payroll:write", 1209]]);
    const before = (await server.audit("assignment.removed")).length;
    const removed = await server.request("POST", "/assignments/bulk", bulk);
    expect(removed.status).toBe(200);
    expect(removed.body["removed"]).toHaveLength(1209);
    expect((await server.audit("assignment.removed")).length - before).toBe(1209);
    expect((await allIds("q=many")).body["ids"]).toEqual([]);
    const again = await server.request("POST", "/assignments/bulk", bulk);
    expect(again.body).toMatchObject({ removed: [], unchanged: 1209 });
  });

  test("is removed not at all when the last administrator would be among it", async () => {
    const { body } = await allIds("");
    const { status, body: refusal } = await server.request("POST", "/assignments/bulk", {
      body: { remove: body["ids"] },
    });
    expect([status, refusal["error"]]).toEqual([409, "last_administrator"]);
    expect((await allIds("")).body["ids"]).toHaveLength((body["ids"] as string[]).length);
  });

  test("has to be ten thousand at most", async () => {
    await server.database.query(
      `INSERT INTO assignments (id, email, scope_key)
      SELECT gen_random_uuid(), 'crowd' || n || '@acme.example', 'payroll:write' FROM generate_series(1, 10001) n`,
    );
    const refused = await allIds("q=crowd");
    expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_request"]);
    expect(JSON.stringify(refused.body)).toContain("finds more than 10,000");
    const { body } = await server.request("GET", "/assignments?q=crowd&limit=1&total=true");
    expect(body["total"]).toBe(10_001);
    const tooMany = { body: { remove: Array.from({ length: 10_001 }, () => randomUUID()) } };
    expect((await server.request("POST", "/assignments/bulk", tooMany)).status).toBe(400);
  });

  test("works for sessions and signed-in apps", async () => {
    const { body } = await server.request("GET", "/sessions/ids");
    expect(body["ids"]).toEqual([server.ada.session.id]);
    expect((await server.request("GET", "/grants/ids?state=live")).body).toEqual({ ids: [] });
  });
});
