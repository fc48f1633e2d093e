import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDefaultRecords } from "../../src/registry/default-records.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer();
  for (const key of ["contracts:read", "contracts:write"]) {
    await server.context.store.scopes.save(
      { key, description: key, system: false },
      new Date(server.clock()),
    );
  }
  await server.signIn("Bea", ["contracts:read", "contracts:write"]);
  await server.signIn("Carl", ["contracts:read"]);
});
afterAll(() => server.close());

const draft = (key: string, change: object = {}) => ({
  key,
  name: `Service ${key}`,
  resource: `https://${key}.example/api`,
  authorizationServer: `https://${key}.example`,
  clientId: "authz-cli",
  requestPrefixes: [`https://${key}.example/api`],
  supportedScopes: ["contracts:write", "contracts:read", "contracts:read"],
  ...change,
});
const create = (body: object, query = "") => server.request("POST", `/resources${query}`, { body });

describe("a resource", () => {
  test("has each scope and each header once, in order and in lower case", async () => {
    const created = await create(draft("contracts"));
    expect(created.body).toMatchObject({ supportedScopes: ["contracts:read", "contracts:write"] });
    const body = { requestHeaders: ["X-Two", "x-two"] };
    const changed = await server.request("PATCH", "/resources/contracts", { body, version: 1 });
    expect(changed.body).toMatchObject({ requestHeaders: ["x-two"], version: 2 });
  });

  test.each([
    { name: "the key", change: { key: "taken" }, path: "key" },
    {
      name: "the identifier",
      change: { resource: "https://taken.example/api", requestPrefixes: ["https://x.example"] },
      path: "resource",
    },
    {
      name: "a prefix",
      change: { requestPrefixes: ["https://x.example", "https://taken.example/api"] },
      path: "requestPrefixes.1",
    },
    {
      name: "a prefix, written otherwise,",
      change: { requestPrefixes: ["https://TAKEN.example:443/api/"] },
      path: "requestPrefixes.0",
    },
  ])("cannot take $name of another one", async ({ change, path }) => {
    await create(draft("taken"));
    const { status, body } = await create(draft("other", change));
    expect([status, body["error"]]).toEqual([409, "already_exists"]);
    expect(body["fields"]).toMatchObject([{ path }]);
  });

  test.each([
    {
      name: "an unknown scope",
      change: { supportedScopes: ["contracts:read", "no:scope"] },
      path: "supportedScopes.1",
    },
    { name: "a reserved key", change: { key: "installation" }, path: "key" },
    { name: "an address without TLS", change: { resource: "http://bad.example/api" }, path: "resource" },
    {
      name: "credentials in an address",
      change: { requestPrefixes: ["https://a:b@bad.example"] },
      path: "requestPrefixes.0",
    },
    {
      name: "a header that is never sent on",
      change: { requestHeaders: ["x-one", "X-Forwarded-User"] },
      path: "requestHeaders.1",
    },
    { name: "a header with an underscore", change: { requestHeaders: ["x_user"] }, path: "requestHeaders.0" },
    { name: "no prefix", change: { requestPrefixes: [] }, path: "requestPrefixes" },
    {
      name: "an issuer with a path",
      change: { authorizationServer: "https://bad.example/a" },
      path: "authorizationServer",
    },
    {
      name: "an identifier below this server itself",
      change: { resource: "http://127.0.0.1:3000/api" },
      path: "resource",
    },
    { name: "an id of its own", change: { id: "1" }, path: "id" },
  ])("with $name is refused", async ({ change, path }) => {
    const { status, body } = await create(draft("bad", change));
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect(body["fields"]).toMatchObject([{ path }]);
  });
});

describe("the resource for agents", () => {
  const path = "/resources/agents";

  test("is there from the beginning, at the address of this server", async () => {
    const { issuer } = server.context.config;
    const { body } = await server.request("GET", path);
    expect(body).toMatchObject({
      name: "Agents",
      resource: `${issuer}/mcp`,
      authorizationServer: issuer,
      supportedScopes: ["authz:agents"],
      enabled: true,
      allowsBearer: true,
      builtIn: true,
    });
  });

  test("can be named, switched off and kept from Bearer tokens", async () => {
    const body = { name: "Agent hosts", enabled: false, allowsBearer: false };
    const changed = await server.request("PATCH", path, { body, version: 1 });
    expect([changed.status, changed.body]).toMatchObject([200, body]);
    const back = await server.request("PATCH", path, {
      body: { name: "Agents", enabled: true, allowsBearer: true },
      version: 2,
    });
    expect(back.status).toBe(200);
  });

  test.each([
    { name: "an address elsewhere", body: { resource: "https://elsewhere.example/mcp" } },
    { name: "other prefixes", body: { requestPrefixes: ["https://elsewhere.example"] } },
    { name: "other scopes", body: { supportedScopes: ["contracts:read"] } },
    { name: "skills of its own", body: { skillDiscovery: true } },
  ])("does not get $name", async ({ body }) => {
    const refused = await server.request("PATCH", path, { body, version: 3 });
    expect([refused.status, refused.body["error"]]).toEqual([409, "in_use"]);
  });

  test("is not removed, and nothing else gets its key", async () => {
    const removed = await server.request("DELETE", path, { version: 3 });
    expect([removed.status, removed.body["error"]]).toEqual([409, "in_use"]);
    const taken = await create({ ...draft("other"), key: "agents" });
    expect([taken.status, taken.body["fields"]]).toMatchObject([400, [{ path: "key" }]]);
  });

  test("follows the server to another address, and stays as it is otherwise", async () => {
    const { store, config } = server.context;
    const at = new Date(server.clock());
    const before = await store.resources.findByKey("agents");
    await createDefaultRecords(store, { issuer: "https://moved.example", at });
    expect(await store.resources.findByKey("agents")).toEqual({
      ...before,
      resource: "https://moved.example/mcp",
      authorizationServer: "https://moved.example",
      requestPrefixes: ["https://moved.example/mcp"],
    });
    await createDefaultRecords(store, { issuer: config.issuer, at });
    expect(await store.resources.findByKey("agents")).toEqual(before);
  });
});

describe("a preview", () => {
  const read = {
    scope: "contracts:read",
    people: 2,
    sample: ["bea@acme.example", "carl@acme.example"],
    groups: [],
  };
  const write = { scope: "contracts:write", people: 1, sample: ["bea@acme.example"], groups: [] };

  test("says who can use a service once it is registered, and stores nothing", async () => {
    const { status, body } = await create(draft("soon"), "?preview=true");
    expect([status, body]).toEqual([
      200,
      { impact: { gains: [read, write], losses: [], notes: [], resource: "Service soon" } },
    ]);
    expect((await server.request("GET", "/resources/soon")).status).toBe(404);
  });

  test("says who can no longer use it when scopes go, and when it is disabled or removed", async () => {
    await create(draft("shrinking"));
    const path = "/resources/shrinking?preview=true";
    const narrow = { body: { supportedScopes: ["contracts:read"] }, version: 1 };
    const shrunk = await server.request("PATCH", path, narrow);
    expect(shrunk.body["impact"]).toEqual({
      gains: [],
      losses: [write],
      notes: [],
      resource: "Service shrinking",
    });
    const off = await server.request("PATCH", path, { body: { enabled: false }, version: 1 });
    expect(off.body["impact"]).toEqual({
      gains: [],
      losses: [read, write],
      notes: [],
      resource: "Service shrinking",
    });
    const gone = await server.request("DELETE", path, { version: 1 });
    expect(gone.body).toEqual(off.body);
    expect((await server.request("DELETE", path, { version: 7 })).status).toBe(412);
  });
});

describe("the list", () => {
  test.each([
    { query: "q=need", keys: ["needle"] },
    { query: "q=service%20hay", keys: ["hay"] },
    { query: "q=needle.example", keys: ["needle"] },
    { query: "enabled=false", keys: ["off"] },
    { query: "scope=contracts:write&q=off", keys: [] },
    { query: "sort=-key&limit=2&q=service", keys: ["taken", "shrinking"] },
  ])("?$query", async ({ query, keys }) => {
    await create(draft("needle"));
    await create(draft("hay"));
    await create(draft("off", { enabled: false, supportedScopes: ["contracts:read"] }));
    const { body } = await server.request("GET", `/resources?${query}`);
    expect((body["items"] as { key: string }[]).map(({ key }) => key)).toEqual(keys);
  });
});

describe("explain", () => {
  test("says by which assignment, and links to it", async () => {
    await create(draft("explained", { supportedScopes: ["contracts:read", "contracts:write"] }));
    const { body } = await server.request("GET", "/explain?email=Carl@acme.example&resource=explained");
    expect(body).toMatchObject({
      person: { id: expect.any(String) as string, email: "carl@acme.example", name: "Carl", enabled: true },
      resource: { key: "explained", name: "Service explained" },
      allowed: false,
      granted: [{ scope: "contracts:read", by: [{ type: "email", email: "carl@acme.example" }] }],
      missing: [
        {
          scope: "contracts:write",
          reason: "not_assigned",
          undecided: [],
          remedies: [{ type: "assign", email: "carl@acme.example", scope: "contracts:write" }],
        },
      ],
      login: { allowed: false, missing: [{ scope: "authz:login" }] },
    });
    const [granted] = body["granted"] as { by: { assignmentId: string }[] }[];
    const link = `/assignments/${granted?.by[0]?.assignmentId ?? ""}`;
    expect((await server.request("GET", link)).body).toMatchObject({ email: "carl@acme.example" });
  });

  test.each([
    {
      query: "email=nobody@acme.example&resource=off&scope=contracts:read",
      remedy: { type: "enable_resource", resource: "off" },
    },
    {
      query: "email=bea@acme.example&resource=off&scope=contracts:write",
      remedy: { type: "enable_resource", resource: "off" },
    },
    {
      query: "email=bea@acme.example&resource=explained&scope=authz:login",
      remedy: { type: "support_scope", resource: "explained", scope: "authz:login" },
    },
  ])("?$query names what to do", async ({ query, remedy }) => {
    const { body } = await server.request("GET", `/explain?${query}`);
    expect(body).toMatchObject({ allowed: false, missing: [{ remedies: [remedy] }] });
  });

  test("says that a disabled person has to be enabled", async () => {
    const { user } = await server.signIn("Dora", ["contracts:read"]);
    await server.context.store.users.setEnabled(user.id, false, new Date(server.clock()));
    const { body } = await server.request(
      "GET",
      "/explain?email=dora@acme.example&scope=contracts:read&scope=authz:login",
    );
    expect(body).toMatchObject({
      missing: [
        { reason: "user_disabled", remedies: [{ type: "enable_person", userId: user.id }] },
        { reason: "user_disabled" },
      ],
    });
  });

  test.each([
    { query: "email=a@acme.example&resource=nowhere", path: "resource" },
    { query: "email=a@acme.example&scope=no:scope", path: "scope" },
    { query: "scope=contracts:read", path: "email" },
  ])("?$query is refused", async ({ query, path }) => {
    const { status, body } = await server.request("GET", `/explain?${query}`);
    expect([status, body["fields"]]).toMatchObject([400, [{ path }]]);
  });
});

describe("the rules of a resource", () => {
  const rules = [
    { methods: ["DELETE"], scopes: ["contracts:write"], ask: "self", say: "Contracts cannot be restored." },
    { methods: ["POST"], when: "body.amount > 1000", refuse: "Ask the finance team." },
    { default: "allow" },
  ];

  test("are stored in order, shown, and audited when they change", async () => {
    await create(draft("ruled"));
    const changed = await server.request("PATCH", "/resources/ruled", { body: { rules }, version: 1 });
    expect(changed.body).toMatchObject({ rules, version: 2 });
    const [, second, last] = rules;
    const body = { rules: [second, last] };
    expect((await server.request("PATCH", "/resources/ruled", { body, version: 2 })).body).toMatchObject(
      body,
    );
    const events = (await server.audit()).filter(({ type }) => type === "rules.changed");
    expect(events.map(({ data }) => data)).toEqual([
      { resource: "ruled", rules: 3, added: 3, removed: 0 },
      { resource: "ruled", rules: 2, added: 0, removed: 1 },
    ]);
  });

  test.each([
    ["rules.0.scopes", { scopes: ["other:write"], ask: "self" }, "is not a scope that the service supports"],
    ["rules.0.ask", { ask: "group:okta:finance" }, 'names the group provider "okta", which does not exist'],
    ["rules.0.when", { when: "amount > 1", ask: "self" }, "Unknown variable: amount"],
  ])("are refused at %s", async (path, rule, expected) => {
    const { status, body } = await create(draft("refused", { rules: [rule, { default: "allow" }] }));
    expect(status).toBe(400);
    const [field] = body["fields"] as { path: string; message: string }[];
    expect(field?.path).toBe(path);
    expect(field?.message).toContain(expected);
  });

  test("are no member of the server's own address for agents", async () => {
    const { version } = (await server.request("GET", "/resources/agents")).body as { version: number };
    const { body } = await server.request("PATCH", "/resources/agents", {
      body: { rules: [{ default: "allow" }] },
      version,
    });
    expect(body["error"]).toBe("in_use");
  });
});
