import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "../../../src/permissions/roles.js";
import { createAdminServer, type SignedInPerson } from "../../support/admin.js";
import { describeRoutes, plausibleRequest } from "../../support/admin-routes.js";
import { resourceRecord } from "../../support/records.js";
import { accessTable } from "./access-table.js";

const server = await createAdminServer();
const { routes } = await describeRoutes(server);
const people = new Map<Role, SignedInPerson>([["administrator", server.ada]]);

beforeAll(async () => {
  people.set("auditor", await server.signIn("Ingo", ["authz:audit"]));
  people.set("support", await server.signIn("Susi", ["authz:support"]));
  people.set("owner", await server.signIn("Olga"));
  const { store } = server.context;
  const service = resourceRecord({ id: randomUUID(), supportedScopes: [] });
  await store.resources.save(service, new Date(server.clock()));
  await store.owners.save({ kind: "service", id: service.id }, [{ email: "olga@acme.example", group: null }]);
});
afterAll(() => server.close());

test("the table names every route, and no other", () => {
  expect(Object.keys(accessTable).toSorted()).toEqual(routes.map(({ title }) => title).toSorted());
});

const rows = (["administrator", "auditor", "support", "owner"] as const).map((role) => ({ role }));
describe.each(rows)("$role", ({ role }) => {
  test.each(routes)("$title", async (route) => {
    const { path, options } = plausibleRequest(route);
    const { status, body } = await server.request(route.method, path, { ...options, as: people.get(role) });
    const isRefused =
      body["error"] === "forbidden" && String(body["error_description"]).startsWith("This is for ");
    const isOpen = accessTable[route.title]?.split(" ").includes(role) === true;
    expect({ isRefused, status }).toEqual({ isRefused: !isOpen, status: isOpen ? status : 403 });
    expect([401, 500]).not.toContain(status);
  });

  test("is shown exactly these routes as theirs", async () => {
    const { body } = await server.request("GET", "/session", { as: people.get(role) });
    const open = Object.entries(accessTable).flatMap(([title, roles]) =>
      roles.split(" ").includes(role) ? title : [],
    );
    expect(body).toMatchObject({ roles: [role], may: open.toSorted() });
  });
});
