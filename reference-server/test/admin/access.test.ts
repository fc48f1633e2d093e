import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { resourceRecord } from "../support/records.js";

let server: AdminServer;
let bruno: SignedInPerson;

beforeAll(async () => {
  server = await createAdminServer();
  const at = new Date(server.clock());
  const { store } = server.context;
  for (const key of ["contracts:read", "contracts:write"]) {
    await store.scopes.save({ key, description: key, system: false }, at);
  }
  const supportedScopes = ["contracts:read", "contracts:write"];
  await store.resources.save({ ...resourceRecord({ key: "contracts" }), supportedScopes }, at);
  bruno = await server.signIn("Bruno", ["contracts:read", "contracts:write"]);
  const carla = await server.signIn("Carla");
  await server.database.query(
    "INSERT INTO group_providers (id, key, name, type, identity_provider_id, enabled) VALUES ($1, 'acme', 'Acme', 'claim', $2, true)",
    [randomUUID(), server.providerId],
  );
  const group = { provider: "acme", key: "legal" };
  await server.request("POST", "/assignments", { body: { group, scope: "contracts:read" } });
  for (const person of [bruno, carla]) {
    await server.database.query(
      `INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
       VALUES ($1, $2, '{legal,everybody}', $3, $4)`,
      [person.user.id, server.providerId, at, new Date(at.getTime() + 86_400_000)],
    );
  }
  for (const scope of ["contracts:read", "contracts:write"]) {
    await store.assignments.insertMissing({ id: randomUUID(), email: "dora@acme.example", scope }, at);
  }
  const gone = await server.signIn("Gone", ["contracts:read"]);
  await server.database.query("UPDATE users SET enabled = false WHERE id = $1", [gone.user.id]);
});
afterAll(() => server.close());

const emailsOf = (body: Record<string, unknown>) =>
  (body["items"] as { email: string }[]).map(({ email }) => email.slice(0, email.indexOf("@")));

test("who can use a service is everybody who has one of its scopes, each with the assignments that say so", async () => {
  const { body } = await server.request("GET", "/resources/contracts/people");
  expect(body).toMatchObject({
    people: 3,
    match: "any",
    scopes: ["contracts:read", "contracts:write"],
    groups: [],
    nextCursor: null,
  });
  expect(emailsOf(body)).toEqual(["bruno", "carla", "dora"]);
  const byEmail = { type: "email", assignmentId: expect.any(String) as string };
  const byGroup = {
    type: "group",
    assignmentId: expect.any(String) as string,
    group: { key: "legal", provider: { key: "acme", name: "Acme" } },
  };
  const [first, second, third] = body["items"] as {
    id: string | null;
    scopes: { scope: string; by: unknown[] }[];
  }[];
  expect(first?.id).toBe(bruno.user.id);
  expect(first?.scopes).toEqual([
    { scope: "contracts:read", by: expect.arrayContaining([byEmail, byGroup]) as unknown },
    { scope: "contracts:write", by: [byEmail] },
  ]);
  expect(second?.scopes).toEqual([{ scope: "contracts:read", by: [byGroup] }]);
  expect(third).toMatchObject({ id: null, name: null });
});

test("people are searched, paged, and narrowed to one scope", async () => {
  const first = await server.request("GET", "/resources/contracts/people?limit=2");
  expect(emailsOf(first.body)).toEqual(["bruno", "carla"]);
  const cursor = String(first.body["nextCursor"]);
  const next = await server.request("GET", `/resources/contracts/people?limit=2&cursor=${cursor}`);
  expect([emailsOf(next.body), next.body["nextCursor"]]).toEqual([["dora"], null]);
  const found = await server.request("GET", "/resources/contracts/people?q=CARL");
  expect([emailsOf(found.body), found.body["people"]]).toEqual([["carla"], 3]);
  const writers = await server.request("GET", "/resources/contracts/people?scope=contracts:write");
  expect([emailsOf(writers.body), writers.body["people"]]).toEqual([["bruno", "dora"], 2]);
  const strange = await server.request("GET", "/resources/contracts/people?scope=authz:login");
  expect(strange.body).toMatchObject({ items: [], people: 0 });
});

test("what is over gives nothing, and neither does a disabled service", async () => {
  await server.database.query(
    "UPDATE assignments SET expires_at = now() - interval '1 second' WHERE email = $1",
    ["dora@acme.example"],
  );
  const { body } = await server.request("GET", "/resources/contracts/people");
  expect(emailsOf(body)).toEqual(["bruno", "carla"]);
  await server.database.query("UPDATE resources SET enabled = false WHERE key = 'contracts'");
  const disabled = await server.request("GET", "/resources/contracts/people");
  expect(disabled.body).toMatchObject({ people: 0, scopes: [], items: [] });
});

test("who has one scope is listed the same way", async () => {
  const { body } = await server.request("GET", "/scopes/contracts:write/people");
  expect([emailsOf(body), body["people"], body["scopes"]]).toEqual([["bruno"], 1, ["contracts:write"]]);
});

test.each([
  "/resources/none/people",
  "/scopes/none:read/people",
  "/connectors/none/people",
  "/clients/none/people",
])("%s: there is no such thing", async (path) => {
  expect((await server.request("GET", path)).status).toBe(404);
});

test("an app is used by those who are signed in with it", async () => {
  const { id } = bruno.user;
  const live = "now() + interval '1 day'";
  for (const [expires, revoked] of [
    [live, "NULL"],
    [live, "NULL"],
    [live, "now()"],
    ["'2020-01-01'", "NULL"],
  ]) {
    await server.database.query(
      `INSERT INTO grants (id, user_id, client_id, scopes, amr, created_at, expires_at, revoked_at)
       VALUES ($1, $2, 'authz-cli', '{}', '{}', '2019-01-01', ${expires}, ${revoked})`,
      [randomUUID(), id],
    );
  }
  const { body } = await server.request("GET", "/clients/authz-cli/people");
  expect(body).toEqual({
    people: 1,
    nextCursor: null,
    items: [
      {
        id,
        email: "bruno@acme.example",
        name: "Bruno",
        devices: 2,
        services: [],
        since: "2019-01-01T00:00:00.000Z",
      },
    ],
  });
  expect((await server.request("GET", "/clients/authz-cli/people?q=ada")).body).toMatchObject({
    items: [],
    people: 1,
  });
});
