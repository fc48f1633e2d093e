import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalLimits } from "../../src/audit/refusals.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";

let server: AdminServer;
let bruno: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  bruno = await server.signIn("Bruno");
});
afterAll(() => server.close());

const refused = async () =>
  (await server.audit("admin.refused")).map(({ actor_id: actor, data }) => ({ actor, ...data }));

describe("a refusal at the administration is an event", () => {
  test("of somebody who may not administer", async () => {
    const { status } = await server.request("GET", "/users?q=secret", { as: bruno });
    expect(status).toBe(403);
    expect((await refused()).at(-1)).toEqual({
      actor: bruno.user.id,
      error: "access_denied",
      method: "GET",
      path: "/api/admin/v1/users",
    });
  });

  test("of an administrator whose request comes from another page", async () => {
    const headers = { "x-authz-csrf": undefined };
    const body = { key: "a:b", description: "A" };
    expect((await server.request("POST", "/scopes", { body, headers })).status).toBe(403);
    expect((await refused()).at(-1)).toMatchObject({
      actor: server.ada.user.id,
      error: "invalid_csrf_token",
      method: "POST",
      path: "/api/admin/v1/scopes",
    });
  });

  test("of somebody who opens the console", async () => {
    const { cookie } = bruno.headers;
    const page = await server.app.inject({ url: "/admin/users", headers: { cookie } });
    expect(page.statusCode).toBe(403);
    expect((await refused()).at(-1)).toMatchObject({ actor: bruno.user.id, path: "/admin/users" });
  });

  test("but nobody is named where nobody is signed in, and a wrong request is no refusal", async () => {
    const before = await refused();
    expect((await server.request("GET", "/users", { as: undefined })).status).toBe(401);
    expect((await server.request("GET", "/users?nothing=1")).status).toBe(400);
    expect(await refused()).toEqual(before);
  });

  test("and nobody fills the audit trail with them", async () => {
    const clara = await server.signIn("Clara");
    for (let time = 0; time < refusalLimits.concern + 3; time += 1) {
      await server.request("GET", `/${"x".repeat(time * 20)}`, { as: clara });
    }
    const own = (await refused()).filter(({ actor }) => actor === clara.user.id);
    expect(own).toHaveLength(refusalLimits.concern);
    expect(Math.max(...own.map((event) => String((event as { path?: string }).path).length))).toBe(200);
  });
});

test("an export that cannot be recorded does not happen, and one that nobody reads is not recorded", async () => {
  const before = (await server.audit("audit.exported")).length;
  await server.database.query(
    "ALTER TABLE audit_events ADD CONSTRAINT full_disk CHECK (type <> 'audit.exported') NOT VALID",
  );
  const { status, text } = await server.request("GET", "/audit-events/export?format=ndjson");
  await server.database.query("ALTER TABLE audit_events DROP CONSTRAINT full_disk");
  expect(status).toBe(500);
  expect(text).not.toContain("scope.created");
  await server.request("HEAD", "/audit-events/export?format=ndjson");
  expect(await server.audit("audit.exported")).toHaveLength(before);
});

test("an export of the audit trail is an event, which says what was searched for", async () => {
  expect(
    (await server.request("GET", "/audit-events/export?format=csv&q=ada&type=scope.created")).status,
  ).toBe(200);
  expect((await server.request("GET", "/audit-events/export?format=ndjson")).status).toBe(200);
  expect(
    (await server.audit("audit.exported")).map(({ actor_id: actor, data }) => ({ actor, ...data })),
  ).toEqual([
    { actor: server.ada.user.id, format: "csv", search: { q: "ada", type: ["scope.created"] } },
    { actor: server.ada.user.id, format: "ndjson", search: {} },
  ]);
});
