import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer();
  const { store } = server.context;
  const at = new Date(server.clock());
  for (const key of ["contracts:read", "contracts:write"]) {
    await store.scopes.save({ key, description: key, system: false }, at);
  }
  const claims = { id: randomUUID(), key: "acme-groups", name: "Acme groups", enabled: true } as const;
  await store.groupProviders.save({ ...claims, type: "claim", identityProviderId: server.providerId }, at);
  const directory = { id: randomUUID(), key: "ldap", name: "Directory", enabled: true } as const;
  await store.groupProviders.save(
    { ...directory, type: "directory", url: "https://directory.example/groups", secret: Buffer.from("x") },
    at,
  );
  for (const name of ["Bea", "Carl", "Dan"]) {
    const { user } = await server.signIn(name);
    await store.userGroups.replace({
      userId: user.id,
      providerId: server.providerId,
      groups: name === "Dan" ? [] : ["sales"],
      unavailable: false,
      signedInAt: at,
      expiresAt: new Date(at.getTime() + 3600_000),
    });
  }
});
beforeEach(() => server.database.query("DELETE FROM assignments WHERE scope_key LIKE 'contracts:%'"));
afterAll(() => server.close());

const create = (body: object, query = "") => server.request("POST", `/assignments${query}`, { body });

describe("an assignment", () => {
  test("to an address is created, shown with the person, and removed", async () => {
    const created = await create({ email: "Bea@Acme.example", scope: "contracts:read" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      email: "bea@acme.example",
      person: { name: "Bea", enabled: true },
      group: null,
      scope: "contracts:read",
      version: 1,
    });
    const path = `/assignments/${String(created.body["id"])}`;
    expect((await server.request("GET", path)).body).toEqual(created.body);
    expect((await server.request("DELETE", path, { version: 2 })).status).toBe(412);
    expect((await server.request("DELETE", path, { version: 1 })).status).toBe(204);
    expect((await server.request("DELETE", path, { version: 1 })).status).toBe(404);
    const events = (await server.audit()).filter(({ type }) => type.startsWith("assignment.")).slice(-2);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["assignment.created", { email: "bea@acme.example", scope: "contracts:read" }],
      ["assignment.removed", { email: "bea@acme.example", scope: "contracts:read" }],
    ]);
  });

  test("to a group is shown with its provider", async () => {
    const group = { provider: "acme-groups", key: "sales" };
    const { body } = await create({ group, scope: "contracts:read" });
    expect(body).toMatchObject({
      email: null,
      person: null,
      group: { ...group, providerName: "Acme groups" },
    });
  });

  test.each([
    { name: "nobody", body: { scope: "contracts:read" }, path: "" },
    {
      name: "an address and a group",
      body: { email: "a@acme.example", group: { provider: "ldap", key: "x" }, scope: "contracts:read" },
      path: "",
    },
    { name: "an unknown scope", body: { email: "a@acme.example", scope: "nothing:here" }, path: "scope" },
    {
      name: "an unknown group provider",
      body: { group: { provider: "nowhere", key: "x" }, scope: "contracts:read" },
      path: "group.provider",
    },
    { name: "no address", body: { email: "nobody", scope: "contracts:read" }, path: "email" },
  ])("for $name is refused", async ({ body, path }) => {
    const answer = await create(body);
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
    expect(answer.body["fields"]).toEqual([{ path, message: expect.any(String) as string }]);
  });

  test("that exists is refused the second time", async () => {
    await create({ email: "bea@acme.example", scope: "contracts:read" });
    const again = await create({ email: "bea@acme.example", scope: "contracts:read" });
    expect([again.status, again.body["error"]]).toEqual([409, "already_exists"]);
  });
});

describe("many assignments at once", () => {
  test("are created and removed together, and what is there already counts as unchanged", async () => {
    const { body: old } = await create({ email: "bea@acme.example", scope: "contracts:read" });
    const body = {
      create: [
        { email: "carl@acme.example", scope: "contracts:read" },
        { group: { provider: "ldap", key: "sales" }, scope: "contracts:write" },
        { email: "carl@acme.example", scope: "contracts:read" },
      ],
      remove: [old["id"], randomUUID()],
    };
    const answer = await server.request("POST", "/assignments/bulk", { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ removed: [old["id"]], unchanged: 2 });
    expect(answer.body["created"]).toHaveLength(2);
  });

  test("are refused together, each fault with its place", async () => {
    const body = {
      create: [
        { email: "carl@acme.example", scope: "contracts:read" },
        { email: "carl@acme.example", scope: "nothing:here" },
      ],
    };
    const answer = await server.request("POST", "/assignments/bulk", { body });
    expect(answer.body["fields"]).toMatchObject([{ path: "create.1.scope" }]);
    const { body: list } = await server.request("GET", "/assignments?email=carl@acme.example");
    expect(list["items"]).toEqual([]);
  });
});

describe("the list", () => {
  beforeEach(async () => {
    const people = ["bea", "carl", "dan"].map((name) => ({
      email: `${name}@acme.example`,
      scope: "contracts:read",
    }));
    const group = { provider: "acme-groups", key: "sales" };
    const body = { create: [...people, { group, scope: "contracts:write" }] };
    await server.request("POST", "/assignments/bulk", { body });
  });

  const rows = [
    { query: "email=BEA@acme.example", found: ["bea@acme.example"] },
    { query: "scope=contracts:write", found: ["sales"] },
    { query: "group=acme-groups", found: ["sales"] },
    { query: "group=acme-groups:sales&scope=contracts:write", found: ["sales"] },
    { query: "group=acme-groups:marketing", found: [] },
    { query: "group=ldap", found: [] },
    { query: "q=car", found: ["carl@acme.example"] },
    { query: "q=SALES", found: ["sales"] },
    {
      query: "q=acme&scope=contracts:read&sort=-assignee&limit=2",
      found: ["dan@acme.example", "carl@acme.example"],
    },
  ];
  test.each(rows)("?$query", async ({ query, found }) => {
    const { body } = await server.request("GET", `/assignments?${query}`);
    const items = body["items"] as { email: string | null; group: { key: string } | null }[];
    expect(items.map(({ email, group }) => email ?? group?.key)).toEqual(found);
  });

  test.each(["assignee", "-assignee", "scope", "-scope", "createdAt", "-createdAt"])(
    "gives every assignment once when it is read by %s in pages of two",
    async (sort) => {
      const seen: string[] = [];
      let after = "";
      while (after !== "end") {
        const { body } = await server.request("GET", `/assignments?sort=${sort}&limit=2${after}`);
        seen.push(...(body["items"] as { id: string }[]).map(({ id }) => id));
        after = body["nextCursor"] === null ? "end" : `&cursor=${body["nextCursor"] as string}`;
      }
      const all = await server.database.query<{ id: string }>("SELECT id FROM assignments");
      expect(seen).toHaveLength(all.length);
      expect(new Set(seen)).toEqual(new Set(all.map(({ id }) => id)));
    },
  );
});

describe("a preview", () => {
  const none = { gains: [], losses: [], notes: [] };

  test("of an assignment to a group counts the people that were named in it, and stores nothing", async () => {
    const group = { provider: "acme-groups", key: "sales" };
    const { status, body } = await create({ group, scope: "contracts:read" }, "?preview=true");
    expect(status).toBe(200);
    expect(body["impact"]).toEqual({
      ...none,
      gains: [
        { scope: "contracts:read", people: 2, sample: ["bea@acme.example", "carl@acme.example"], groups: [] },
      ],
    });
    expect((await server.request("GET", "/assignments?scope=contracts:read")).body["items"]).toEqual([]);
  });

  test("of an assignment to a group of a directory names the group", async () => {
    const group = { provider: "ldap", key: "sales" };
    const { body } = await create({ group, scope: "contracts:read" }, "?preview=true");
    const groups = [{ provider: "ldap", key: "sales", name: "Directory" }];
    expect(body["impact"]).toEqual({
      ...none,
      gains: [{ scope: "contracts:read", people: 0, sample: [], groups }],
    });
  });

  test("questions a group that nobody has named, until an assignment does", async () => {
    const note = expect.stringMatching(/^seles: neither .* Check the spelling: /);
    const preview = async (provider: string, key: string) => {
      const body = { create: [{ group: { provider, key }, scope: "contracts:read" }] };
      const answer = await server.request("POST", "/assignments/bulk?preview=true", { body });
      return (answer.body["impact"] as { notes: string[] }).notes;
    };
    expect(await preview("acme-groups", "sales")).toEqual([]);
    expect(await preview("acme-groups", "seles")).toEqual([note]);
    await create({ group: { provider: "acme-groups", key: "seles" }, scope: "contracts:read" });
    expect(await preview("acme-groups", "seles")).toEqual([
      "seles (contracts:read): already given. Nothing changes for them.",
    ]);
    expect(await preview("ldap", "seles")).toEqual([note]);
  });

  test("counts nobody twice, and nobody who keeps a scope by another way", async () => {
    const group = { provider: "acme-groups", key: "sales" };
    const { body: both } = await create({ group, scope: "contracts:read" });
    await create({ email: "bea@acme.example", scope: "contracts:read" });
    const path = `/assignments/${String(both["id"])}?preview=true`;
    const { body } = await server.request("DELETE", path, { version: 1 });
    expect(body["impact"]).toEqual({
      ...none,
      losses: [{ scope: "contracts:read", people: 1, sample: ["carl@acme.example"], groups: [] }],
    });
  });

  test("says who has never signed in, and who cannot", async () => {
    const body = {
      create: ["eve@acme.example", "eve@elsewhere.example"].map((email) => ({
        email,
        scope: "contracts:read",
      })),
    };
    const answer = await server.request("POST", "/assignments/bulk?preview=true", { body });
    expect(answer.body["impact"]).toMatchObject({
      gains: [{ people: 2 }],
      notes: [
        "eve@acme.example: has never signed in. It counts from the first sign-in on.",
        "eve@elsewhere.example: cannot sign in. No sign-in provider allows the domain.",
      ],
    });
  });

  test("says what is given already, beside what is new", async () => {
    await create({ email: "bea@acme.example", scope: "contracts:read" });
    const body = {
      create: ["contracts:read", "contracts:write"].map((scope) => ({ email: "bea@acme.example", scope })),
    };
    const answer = await server.request("POST", "/assignments/bulk?preview=true", { body });
    expect(answer.body["impact"]).toEqual({
      ...none,
      gains: [{ scope: "contracts:write", people: 1, sample: ["bea@acme.example"], groups: [] }],
      notes: ["bea@acme.example (contracts:read): already given. Nothing changes for them."],
    });
  });

  test("refuses what the change itself would refuse", async () => {
    expect((await create({ email: "a@acme.example", scope: "nothing:here" }, "?preview=true")).status).toBe(
      400,
    );
    expect((await create({ email: "a@acme.example", scope: "contracts:read" }, "?preview=1")).status).toBe(
      400,
    );
  });
});

describe("an assignment that ends", () => {
  const inSeconds = (seconds: number) => new Date(server.clock() + seconds * 1000).toISOString();
  const wanted = { email: "bea@acme.example", scope: "contracts:read" };
  const types = async (count: number) =>
    (await server.audit())
      .filter(({ type }) => type.startsWith("assignment."))
      .slice(-count)
      .map(({ type }) => type);

  test("says when, and so does its event", async () => {
    const expiresAt = inSeconds(3600);
    const created = await create({ ...wanted, expiresAt });
    expect(created).toMatchObject({ status: 201, body: { expiresAt } });
    expect((await create(wanted)).status).toBe(201);
    expect(await types(3)).toEqual(["assignment.created", "assignment.removed", "assignment.created"]);
    expect((await create({ ...wanted, expiresAt })).status).toBe(409);
  });

  test.each([
    { name: "over already", expiresAt: () => inSeconds(-1) },
    { name: "over now", expiresAt: () => inSeconds(0) },
    { name: "without an offset", expiresAt: () => "2099-01-01T00:00:00" },
    { name: "no moment", expiresAt: () => "tomorrow" },
    { name: "a number", expiresAt: () => 1 },
  ])("is refused when its end is $name", async ({ expiresAt }) => {
    const { status, body } = await create({ ...wanted, expiresAt: expiresAt() });
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "expiresAt" }] });
  });

  test("that is over makes room for a new one, and for the removal of its permission", async () => {
    await create({ ...wanted, expiresAt: inSeconds(3600) });
    const over = () =>
      server.database.query("UPDATE assignments SET expires_at = now() WHERE scope_key = 'contracts:read'");
    await over();
    expect((await create({ ...wanted, expiresAt: inSeconds(60) })).status).toBe(201);
    expect(await types(2)).toEqual(["assignment.expired", "assignment.created"]);
    await over();
    const { body } = await server.request("GET", "/scopes/contracts%3Aread");
    expect(body).toMatchObject({ assignments: 0 });
    const version = Number(body["version"]);
    expect((await server.request("DELETE", "/scopes/contracts%3Aread", { version })).status).toBe(204);
    const at = new Date(server.clock());
    await server.context.store.scopes.save({ key: "contracts:read", description: "Read", system: false }, at);
  });

  test("does not take the place of the last administrator's", async () => {
    const { store } = server.context;
    const [own] = await store.assignments.listPeopleByScope("authz:administer", 1);
    const rules = await store.assignments.listByEmail(own?.email ?? "");
    const id = rules.find(({ scope }) => scope === "authz:administer")?.id ?? "";
    const replacement = { email: own?.email, scope: "authz:administer", expiresAt: inSeconds(3600) };
    const body = { create: [replacement], remove: [id] };
    const refused = await server.request("POST", "/assignments/bulk", { body });
    expect(refused).toMatchObject({ status: 409, body: { error: "last_administrator" } });
  });
});
