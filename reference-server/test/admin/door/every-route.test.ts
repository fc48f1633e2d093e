import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AdminRequestOptions,
  type AdminServer,
  createAdminServer,
  type SignedInPerson,
} from "../../support/admin.js";
import { describeRoutes, plausibleRequest } from "../../support/admin-routes.js";

const server: AdminServer = await createAdminServer();
const { routes: rows, schemas } = await describeRoutes(server);
const writing = rows.filter(({ method }) => method !== "GET");
const reading = rows.filter(({ method }) => method === "GET");

let bruno: SignedInPerson;
let disabled: SignedInPerson;
let expired: SignedInPerson;
let former: SignedInPerson;

beforeAll(async () => {
  const { store } = server.context;
  bruno = await server.signIn("Bruno", ["authz:login"]);
  disabled = await server.signIn("Dora", ["authz:administer"]);
  await store.users.setEnabled(disabled.user.id, false, new Date(server.clock()));
  former = await server.signIn("Fred", ["authz:administer"]);
  const [assignment] = await store.assignments.listByEmail("fred@acme.example");
  await store.assignments.remove(assignment?.id ?? "");
  expired = await server.signIn("Emil", ["authz:administer"]);
  await server.database.query("UPDATE browser_sessions SET expires_at = $1 WHERE id = $2", [
    new Date(server.clock() - 1000),
    expired.session.id,
  ]);
});
afterAll(() => server.close());

type Row = (typeof rows)[number];

function send(row: Row, options: AdminRequestOptions = {}) {
  const { path, options: usual } = plausibleRequest(row);
  return server.request(row.method, path, {
    ...usual,
    ...options,
    headers: { ...usual.headers, ...options.headers },
  });
}

/** Everything that anybody could have changed. */
async function fingerprint(): Promise<unknown> {
  const tables = await server.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const parts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS rows FROM ${name} AS t`,
  );
  return await server.database.query(`${parts.join(" UNION ALL ")} ORDER BY name`);
}

describe("callers", () => {
  const callers = [
    { name: "nobody", person: () => undefined, status: 401, error: "login_required" },
    {
      name: "a person whose session has expired",
      person: () => expired,
      status: 401,
      error: "login_required",
    },
    { name: "a disabled administrator", person: () => disabled, status: 401, error: "login_required" },
    { name: "an ordinary person", person: () => bruno, status: 403, error: "access_denied" },
    { name: "a former administrator", person: () => former, status: 403, error: "access_denied" },
  ];
  describe.each(callers)("$name", ({ person, status, error }) => {
    test.each(rows)("is refused by $title", async (route) => {
      const answer = await send(route, { as: person() });
      expect([answer.status, answer.body["error"]]).toEqual([status, error]);
      expect(answer.body["error_description"]).toMatch(/\.$/);
      expect(answer.headers["cache-control"]).toBe("no-store");
    });
  });

  test("with a forged cookie are nobody", async () => {
    const cookie = server.ada.headers["cookie"]?.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const { status } = await server.request("GET", "/session", { headers: { cookie } });
    expect(status).toBe(401);
  });
});

describe("a request that another site could cause", () => {
  const changes: readonly { name: string; headers: Record<string, string | undefined> }[] = [
    { name: "from another origin", headers: { origin: "https://evil.example" } },
    {
      name: "from an origin that only looks the same",
      headers: { origin: "http://127.0.0.1:3000.evil.example" },
    },
    { name: "from an opaque origin", headers: { origin: "null", "sec-fetch-site": "cross-site" } },
    { name: "without an origin", headers: { origin: undefined } },
    { name: "from a neighbouring site", headers: { "sec-fetch-site": "same-site" } },
    { name: "without a token", headers: { "x-authz-csrf": undefined } },
    { name: "with an empty token", headers: { "x-authz-csrf": "" } },
    { name: "with the token of another session", headers: { "x-authz-csrf": "x".repeat(43) } },
  ];
  test.each(changes)("$name is refused", async ({ headers }) => {
    const { status, body } = await server.request("POST", "/scopes", { body: {}, headers });
    expect([status, body["error"]]).toEqual([403, "invalid_csrf_token"]);
  });

  test.each(writing)("is refused by $title", async (route) => {
    const foreign = await send(route, { headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.body["error"]]).toEqual([403, "invalid_csrf_token"]);
    const tokenless = await send(route, { headers: { "x-authz-csrf": undefined } });
    expect([tokenless.status, tokenless.body["error"]]).toEqual([403, "invalid_csrf_token"]);
  });

  test("with the token of somebody else is refused", async () => {
    const headers = { "x-authz-csrf": bruno.headers["x-authz-csrf"] };
    const { status } = await server.request("POST", "/scopes", { body: {}, headers });
    expect(status).toBe(403);
  });
});

describe("input", () => {
  const members = writing.filter(({ json }) => json !== undefined);
  test.each(members)("$title takes no member that it does not name, however deep", ({ json }) => {
    expect(openObjects(json)).toEqual([]);
  });

  test("that nobody named is refused, with its place", async () => {
    const { status, body } = await server.request("POST", "/scopes", {
      body: { key: "a:b", description: "x", system: true },
    });
    expect([status, body["fields"]]).toEqual([400, [{ path: "system", message: "is not known here" }]]);
  });

  test.each(members)("$title refuses what is not JSON", async (route) => {
    const form = await send(route, { headers: { "content-type": "application/x-www-form-urlencoded" } });
    expect([form.status, form.body["error"]]).toEqual([415, "unsupported_media_type"]);
    expect((await send(route, { body: '{"a":1,"a":2}' })).status).toBe(400);
  });

  test.each(["{", "[]", "null", "nothing", ""])("that is %j is refused", async (body) => {
    expect((await server.request("POST", "/scopes", { body })).status).toBe(400);
  });

  test("with a content type that is none is refused", async () => {
    const headers = { "content-type": "" };
    expect((await server.request("POST", "/scopes", { body: {}, headers })).status).toBe(415);
  });

  test.each(rows)("$title refuses an unknown member of the query", async (route) => {
    const { status, body } = await send({ ...route, path: `${route.path}?colour=red` });
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });

  test.each(["/scopes/", "/users/", "/signing-keys//activations"])("%s is no address", async (path) => {
    const method = path.endsWith("s") ? "POST" : "GET";
    const { status, body } = await server.request(method, path);
    expect([status, body["error_description"]]).toEqual([404, "There is nothing at this address."]);
  });

  test("may be as long in a path as anywhere", async () => {
    const key = `a:${"b".repeat(150)}`;
    const { status, body } = await server.request("GET", `/scopes/${key}`);
    expect([status, body["error_description"]]).toEqual([404, expect.stringContaining(key)]);
    expect((await server.request("GET", `/scopes/${"b".repeat(5000)}`)).status).toBe(400);
  });

  const bodiless = writing.filter(({ json, upload }) => json === undefined && upload === undefined);
  test.each(bodiless)("$title refuses a body", async (route) => {
    expect((await send(route, { body: { a: 1 } })).status).toBe(400);
  });
});

describe("versions", () => {
  const versioned = rows.filter(({ ifMatch }) => ifMatch);
  test.each(versioned)("$title needs If-Match", async (route) => {
    const { status, body } = await send(route, { headers: { "if-match": undefined } });
    expect([status, body["error"]]).toEqual([428, "precondition_required"]);
  });

  test.each(["*", 'W/"1"', '"1", "2"', "1", '"x"', '"-1"', '"1"\u{A0}'])(
    "are named one at a time: not %s",
    async (text) => {
      const headers = { "if-match": text };
      expect((await server.request("DELETE", "/scopes/a:b", { headers })).status).toBe(400);
    },
  );

  test("change with every object that is changed or removed", () => {
    const careless = writing.filter(
      ({ method, ifMatch }) => (method === "PATCH" || method === "PUT" || method === "DELETE") && !ifMatch,
    );
    expect(careless.map(({ title }) => title).filter((title) => !withoutVersion.has(title))).toEqual([]);
  });
});

/** What has no version because there is nothing to lose: what only begins or ends, and what each administrator keeps alone. */
const withoutVersion = new Set([
  "DELETE /sessions/{id}",
  "DELETE /grants/{id}",
  "DELETE /connections/{id}",
  "DELETE /stops/{id}",
  "DELETE /identity-providers/{key}/provisioning/credentials/{id}",
  "PUT /views",
  "DELETE /views/{id}",
]);

/** The places of objects that take members nobody named. Records, whose names are data, are no such objects. */
function openObjects(schema: unknown, place = "$"): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, additionalProperties, propertyNames, $ref } = schema as Record<string, unknown>;
  if (typeof $ref === "string") return openObjects(schemas[$ref.split("/").at(-1) ?? ""], $ref);
  const open = type === "object" && additionalProperties !== false && propertyNames === undefined;
  const inner = Object.entries(schema).flatMap(([name, part]) => openObjects(part, `${place}.${name}`));
  return open ? [place, ...inner] : inner;
}

test("nothing that is refused or read changes anything", async () => {
  const before = await fingerprint();
  for (const route of reading) {
    const { status } = await send(route);
    expect([route.title, status]).not.toEqual([route.title, 500]);
    await send({ ...route, method: "HEAD" });
  }
  for (const route of writing) await send(route, { as: bruno });
  expect(await fingerprint()).toEqual(before);
});

test.each(reading)("$title answers with one of the statuses it may have", async (route) => {
  expect([200, 400, 404]).toContain((await send(route)).status);
});
