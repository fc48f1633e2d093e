import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectorRow } from "../../src/connectors/keys/envelope.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { storeConnection } from "../support/connections.js";

const kek = Buffer.alloc(32, 7).toString("base64");
let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer({ AUTHZ_CONNECTOR_KEK: kek });
  const at = new Date(server.clock());
  const { scopes } = server.context.store;
  await scopes.save({ key: "notes:use", description: "Use notes", system: false }, at);
  await scopes.save({ key: "notes:more", description: "Use more of notes", system: false }, at);
});
afterAll(() => server.close());

const secret = "a very secret text";
const notes = () => ({
  key: "notes",
  kind: "oauth2",
  name: "Notes",
  authorizationEndpoint: "https://login.notes.example/authorize",
  tokenEndpoint: "https://login.notes.example/token",
  clientId: "authz",
  clientSecret: secret,
  scopes: [
    { scope: "notes:read", required: true },
    { scope: "notes:write", byDefault: false },
  ],
  requiredScopes: ["notes:use"],
  requestPrefixes: ["https://api.notes.example/v1"],
  pathTemplates: ["/v1/notes/{note}"],
});
const post = (body: object) => server.request("POST", "/connectors", { body });
const show = async (key: string) => (await server.request("GET", `/connectors/${key}`)).body;
const patch = (key: string, body: object, version: number, preview = false) =>
  server.request("PATCH", `/connectors/${key}${preview ? "?preview=true" : ""}`, { body, version });
const remove = (key: string, version: number) => server.request("DELETE", `/connectors/${key}`, { version });
const connect = (connector: string, userId: string) =>
  storeConnection(server.context, { connector, userId, now: new Date(server.clock()) });
const shownConnections = async (query: string) =>
  (await server.request("GET", `/connections?${query}`)).body["items"] as Record<string, unknown>[];

async function storedSecret(key: string): Promise<string | null> {
  const { store, connectorVault } = server.context;
  const found = await store.connectors.findByKey(key);
  if (found === undefined || found.clientSecret === null) return null;
  return await connectorVault.open(found.clientSecret, connectorRow(found.id));
}

/** Everything that was answered, recorded or logged must not have it. */
async function expectNowhere(text: string): Promise<void> {
  expect(JSON.stringify(await server.audit())).not.toContain(text);
  expect(JSON.stringify(server.log)).not.toContain(text);
  const rows = await server.database.query("SELECT c::text AS row FROM connectors c");
  expect(JSON.stringify(rows)).not.toContain(text);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(text).toString("hex"));
}

describe("a connector", () => {
  test("is added with a secret that never comes back, and with what its kind suggests", async () => {
    const { status, body, text, headers } = await post(notes());
    expect([status, headers["etag"]]).toEqual([201, '"1"']);
    expect(body).toEqual({
      key: "notes",
      kind: "oauth2",
      name: "Notes",
      issuer: null,
      authorizationEndpoint: "https://login.notes.example/authorize",
      tokenEndpoint: "https://login.notes.example/token",
      revocationEndpoint: null,
      accountEndpoint: null,
      tokenEndpointAuthMethod: "client_secret_basic",
      authorizationParameters: {},
      clientId: "authz",
      hasClientSecret: true,
      keyReadable: true,
      scopes: [
        { scope: "notes:read", description: null, required: true, byDefault: true },
        { scope: "notes:write", description: null, required: false, byDefault: false },
      ],
      requiredScopes: ["notes:use"],
      requestPrefixes: ["https://api.notes.example/v1"],
      methods: ["GET", "HEAD"],
      pathTemplates: ["/v1/notes/{note}"],
      limits: {
        requestBytes: 10_485_760,
        responseBytes: 10_485_760,
        timeoutSeconds: 30,
        requestsPerMinute: 600,
      },
      enabled: true,
      connections: { connected: 0, reconnectRequired: 0, disconnecting: 0 },
      callbackUrl: "http://127.0.0.1:3000/connections/callback/notes",
      createdAt: "2026-11-20T12:00:00.000Z",
      updatedAt: "2026-11-20T12:00:00.000Z",
      version: 1,
    });
    expect(text).not.toContain(secret);
    expect(await storedSecret("notes")).toBe(secret);
    const events = await server.audit("connector.created");
    expect(events.map(({ data }) => data)).toEqual([{ key: "notes", kind: "oauth2" }]);
    expect(events[0]).toMatchObject({ actor_id: server.ada.user.id, request_id: expect.any(String) });
  });

  test("keeps its secret when something else changes, and says what did", async () => {
    const change = { name: "Notes EU", limits: { timeoutSeconds: 60 }, methods: ["GET", "HEAD", "POST"] };
    const { body } = await patch("notes", change, 1);
    expect(body).toMatchObject({
      ...change,
      limits: { timeoutSeconds: 60, requestBytes: 10_485_760 },
      version: 2,
    });
    expect(await storedSecret("notes")).toBe(secret);
    const [event] = await server.audit("connector.changed");
    expect(event?.data).toEqual({ key: "notes", fields: ["name", "methods", "limits"] });
  });

  test("is as it was when a change says what is there already", async () => {
    const { body } = await patch("notes", { name: "Notes EU", clientSecret: secret }, 2);
    expect(body).toMatchObject({ version: 2 });
    expect(await server.audit("connector.changed")).toHaveLength(1);
  });

  test("gets another secret, and the trail says that it did", async () => {
    const { body, text } = await patch("notes", { clientSecret: "the next secret" }, 2);
    expect(body).toMatchObject({ hasClientSecret: true, version: 3 });
    expect(text).not.toContain("the next secret");
    expect(await storedSecret("notes")).toBe("the next secret");
    const events = await server.audit("connector.changed");
    expect(events.at(-1)?.data).toEqual({ key: "notes", fields: ["clientSecret"] });
    await expectNowhere("the next secret");
    await expectNowhere(secret);
  });

  test.each<{ name: string; change: object; message: RegExp }>([
    {
      name: "at another token endpoint",
      change: { tokenEndpoint: "https://evil.example/token" },
      message: /for another address/,
    },
    {
      name: "at another revocation endpoint",
      change: { revocationEndpoint: "https://evil.example/revoke" },
      message: /for another address/,
    },
    {
      name: "at another account endpoint",
      change: { accountEndpoint: "https://evil.example/me" },
      message: /for another address/,
    },
    {
      name: "that is sent in another way",
      change: { tokenEndpointAuthMethod: "client_secret_post" },
      message: /in another way/,
    },
  ])("$name needs its secret again", async ({ change, message }) => {
    const refused = await patch("notes", change, 3);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      fields: [{ path: "clientSecret", message: expect.stringMatching(message) as unknown }],
    });
    expect(await show("notes")).toMatchObject({ version: 3 });
  });

  test("moves with its secret given again", async () => {
    const moved = { tokenEndpoint: "https://login.notes.example/v2/token", clientSecret: secret };
    const { body } = await patch("notes", moved, 3);
    expect(body).toMatchObject({ tokenEndpoint: moved.tokenEndpoint, version: 4 });
    expect(await storedSecret("notes")).toBe(secret);
  });

  test("loses its secret when it becomes a public client, and needs one to come back", async () => {
    const without = await patch("notes", { tokenEndpointAuthMethod: "none" }, 4);
    expect(without.body).toMatchObject({ hasClientSecret: false, keyReadable: true, version: 5 });
    expect(await storedSecret("notes")).toBeNull();
    const { status, body } = await patch("notes", { tokenEndpointAuthMethod: "client_secret_basic" }, 5);
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "clientSecret" }] });
    const change = { tokenEndpointAuthMethod: "client_secret_basic", clientSecret: secret };
    expect((await patch("notes", change, 5)).body).toMatchObject({ hasClientSecret: true, version: 6 });
  });

  test("is not changed from an old version, and the answer has it as it is", async () => {
    const { status, body, text } = await patch("notes", { name: "Old", clientSecret: "x" }, 1);
    expect(status).toBe(412);
    expect(body).toMatchObject({ error: "version_conflict", current: { key: "notes", version: 6 } });
    expect(text).not.toMatch(/clientSecret"|ciphertext|wrapped/);
    expect(await storedSecret("notes")).toBe(secret);
  });

  test("is changed by one of several who saw the same version", async () => {
    const answers = await Promise.all(
      ["A", "B", "C", "D"].map((name) => patch("notes", { name, clientSecret: `secret ${name}` }, 6)),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 412, 412, 412]);
    const { name, version } = await show("notes");
    expect(version).toBe(7);
    expect(await storedSecret("notes")).toBe(`secret ${String(name)}`);
  });

  test("is added once when several add it at the same time", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => post({ ...notes(), key: "same" })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ error: "already_exists", fields: [{ path: "key" }] });
    expect((await remove("same", 1)).status).toBe(204);
    expect((await remove("same", 1)).status).toBe(404);
    const [event] = await server.audit("connector.removed");
    expect(event?.data).toEqual({ key: "same", kind: "oauth2" });
  });

  test("is found by its name, its key and its kind", async () => {
    const found = async (query: string) =>
      ((await server.request("GET", `/connectors?${query}`)).body["items"] as { key: string }[]).map(
        ({ key }) => key,
      );
    await post({
      key: "github",
      kind: "github",
      name: "GitHub",
      clientId: "x",
      clientSecret: "y",
      enabled: false,
    });
    expect(await found("sort=key")).toEqual(["github", "notes"]);
    expect(await found("sort=-key")).toEqual(["notes", "github"]);
    expect(await found("q=hub")).toEqual(["github"]);
    expect(await found("enabled=false")).toEqual(["github"]);
    const first = (await server.request("GET", "/connectors?limit=1&sort=key")).body;
    expect(await found(`limit=1&sort=key&cursor=${String(first["nextCursor"])}`)).toEqual(["notes"]);
  });

  test("keeps a scope that it requires from being removed", async () => {
    const scope = await server.request("GET", "/scopes/notes:use");
    const version = Number(scope.body["version"]);
    const { status, body } = await server.request("DELETE", "/scopes/notes:use", { version });
    expect(status).toBe(409);
    expect(body["error_description"]).toBe(
      '"notes:use" is in use by the connector notes. Take it away there first.',
    );
  });
});

describe("a new connector is refused", () => {
  const forClient = "clientSecret";
  test.each<{ name: string; change: object; path: string }>([
    { name: "with a key that is taken", change: { key: "notes" }, path: "key" },
    { name: "without a secret", change: { clientSecret: undefined }, path: forClient },
    {
      name: "with a secret that it does not use",
      change: { tokenEndpointAuthMethod: "none" },
      path: forClient,
    },
    { name: "of an unknown kind", change: { kind: "dropbox" }, path: "kind" },
    { name: "without endpoints of its own", change: { tokenEndpoint: undefined }, path: "tokenEndpoint" },
    {
      name: "without a place to send requests to",
      change: { requestPrefixes: undefined },
      path: "requestPrefixes",
    },
    {
      name: "with an address of this server",
      change: { requestPrefixes: ["http://127.0.0.1:3000/api"] },
      path: "requestPrefixes.0",
    },
    {
      name: "with a permission that is not there",
      change: { requiredScopes: ["nothing:here"] },
      path: "requiredScopes.0",
    },
    {
      name: "with a parameter of the protocol",
      change: { authorizationParameters: { state: "x" } },
      path: "authorizationParameters.state",
    },
    {
      name: "with a limit that is too low",
      change: { limits: { timeoutSeconds: 0 } },
      path: "limits.timeoutSeconds",
    },
    { name: "with a limit that is not known", change: { limits: { bytes: 1 } }, path: "limits.bytes" },
    { name: "with a member that is not known", change: { id: "x" }, path: "id" },
    { name: "with a NUL in its name", change: { name: "a\0b" }, path: "name" },
  ])("$name", async ({ change, path }) => {
    const answer = await post({ ...notes(), key: "refused", ...change });
    expect([400, 409]).toContain(answer.status);
    expect(answer.body).toMatchObject({ fields: [{ path }] });
    expect((await server.request("GET", "/connectors/refused")).status).toBe(404);
  });

  test("with a tenant that nobody filled in", async () => {
    const graph = {
      key: "refused",
      kind: "microsoft-graph",
      name: "Graph",
      clientId: "x",
      clientSecret: "y",
    };
    const { status, body } = await post(graph);
    expect(status).toBe(400);
    const fields = body["fields"] as { path: string; message: string }[];
    expect(fields.map(({ path }) => path)).toEqual(["issuer", "authorizationEndpoint", "tokenEndpoint"]);
    expect(fields[0]?.message).toBe("has a placeholder in braces; put your own value there");
  });

  test("in German words for German callers", async () => {
    const { body } = await server.request("POST", "/connectors", {
      body: {
        ...notes(),
        key: "refused",
        authorizationParameters: { state: "x" },
        requestPrefixes: ["https://a.example/"],
      },
      headers: { "accept-language": "de" },
    });
    expect(body["fields"]).toEqual([
      { path: "authorizationParameters.state", message: "ist ein Parameter, den der Server selbst setzt" },
      { path: "requestPrefixes.0", message: "muss so dastehen, wie verglichen wird: https://a.example" },
    ]);
  });
});

describe("kinds", () => {
  test("are suggested in the language of the caller, and each can be saved as it is", async () => {
    const { body } = await server.request("GET", "/connector-kinds");
    const german = await server.request("GET", "/connector-kinds", { headers: { "accept-language": "de" } });
    const kinds = body["items"] as {
      kind: string;
      registration: string;
      defaults: Record<string, unknown>;
    }[];
    expect(kinds.map(({ kind }) => kind)).toEqual([
      "google",
      "microsoft-graph",
      "atlassian",
      "github",
      "slack",
      "oauth2",
    ]);
    expect((german.body["items"] as typeof kinds)[0]?.registration).not.toBe(kinds[0]?.registration);
    for (const { kind, defaults } of kinds.filter(({ kind: name }) => name !== "oauth2")) {
      const filled = JSON.parse(JSON.stringify(defaults).replaceAll("{tenant id}", "tenant")) as object;
      const created = await post({
        ...filled,
        key: `new-${kind}`,
        kind,
        name: kind,
        clientId: "x",
        clientSecret: "y",
      });
      expect(created.body).toMatchObject({ ...filled, key: `new-${kind}` });
      expect((await remove(`new-${kind}`, 1)).status).toBe(204);
    }
  });

  test("give no address of their own to a connector that has others", async () => {
    const own = {
      authorizationEndpoint: "https://github.acme.example/login/oauth/authorize",
      tokenEndpoint: "https://github.acme.example/login/oauth/access_token",
    };
    const body = {
      key: "enterprise",
      kind: "github",
      name: "GitHub",
      clientId: "x",
      clientSecret: "y",
      ...own,
    };
    const created = await post({ ...body, requestPrefixes: ["https://github.acme.example/api/v3"] });
    expect(created.body).toMatchObject({
      ...own,
      revocationEndpoint: null,
      accountEndpoint: null,
      issuer: null,
    });
    expect((await remove("enterprise", 1)).status).toBe(204);
  });
});

describe("with people who are connected", () => {
  const at = async () => Number((await show("people"))["version"]);
  let dora: string;
  beforeAll(async () => {
    await post({ ...notes(), key: "people" });
    dora = (await server.signIn("Dora", ["authz:login"])).user.id;
    await connect("people", server.ada.user.id);
    await connect("people", dora);
  });

  test("a preview says what a change means for them, and stores nothing", async () => {
    const change = {
      clientId: "another",
      enabled: false,
      requestPrefixes: ["https://api.notes.example/v1", "https://files.notes.example"],
      methods: ["GET", "HEAD", "DELETE"],
      requiredScopes: ["notes:use", "notes:more"],
      scopes: [{ scope: "notes:read" }, { scope: "notes:write", required: true }],
    };
    const events = (await server.audit()).length;
    const { status, body } = await patch("people", change, 1, true);
    expect(status).toBe(200);
    expect(body).toEqual({
      impact: {
        gains: [],
        losses: [],
        notes: [
          "2 people have an account connected here.",
          "2 people could no longer use the connected account; it stays connected.",
          "2 people have to connect again: the tokens belong to another client.",
          "Agents could send requests with people's accounts to https://files.notes.example as well.",
          "Nothing is sent to https://files.notes.example for whoever is connected now, until that person connects again.",
          "Agents could use DELETE as well.",
          "Whoever does not have notes:more could no longer use the connected account.",
          "notes:write: would be required. Whoever has left it out has to connect again.",
        ],
      },
    });
    expect(await show("people")).toMatchObject({ version: 1, clientId: "authz" });
    expect(await server.audit()).toHaveLength(events);
  });

  test("another client id asks everybody to connect again, whatever is being refreshed", async () => {
    const { store } = server.context;
    const [first] = await store.connections.listOwn(dora);
    const change = { clientId: "another" };
    const { body } = await patch("people", change, await at());
    expect(body).toMatchObject({ connections: { connected: 0, reconnectRequired: 2, disconnecting: 0 } });
    const items = await shownConnections("connector=people");
    expect(items.map(({ state, reason }) => [state, reason])).toEqual([
      ["reconnect_required", "client_changed"],
      ["reconnect_required", "client_changed"],
    ]);
    const event = (await server.audit("connector.changed")).at(-1);
    expect(event?.data).toEqual({ key: "people", fields: ["clientId"], reconnect: 2 });
    if (first === undefined) throw new Error("Dora is not connected.");
    const late = await store.connections.finishRefresh({
      ...first,
      state: "connected",
      reason: null,
      now: new Date(server.clock()),
    });
    expect(late).toBe(false);
  });

  test("another token endpoint does the same, another revocation endpoint does not", async () => {
    await connect("people", dora);
    const same = { revocationEndpoint: "https://login.notes.example/revoke", clientSecret: secret };
    const kept = await patch("people", same, await at());
    expect(kept.body).toMatchObject({ connections: { connected: 1, reconnectRequired: 1 } });
    const other = { tokenEndpoint: "https://login.notes.example/v2/token", clientSecret: secret };
    const moved = await patch("people", other, await at());
    expect(moved.body).toMatchObject({ connections: { connected: 0, reconnectRequired: 2 } });
  });

  test("it cannot be removed", async () => {
    const { status, body } = await remove("people", await at());
    expect(status).toBe(409);
    expect(body).toEqual({
      error: "in_use",
      error_description:
        '2 people have an account connected at "people". Disconnect everybody first, or disable the connector instead.',
    });
  });

  test("everybody is disconnected at once, audited, and removing waits until that is done", async () => {
    const preview = await server.request("POST", "/connectors/people/disconnections?preview=true");
    expect(preview.body).toMatchObject({
      impact: { notes: [expect.stringMatching(/^2 accounts would/) as unknown] },
    });
    const { status, body } = await server.request("POST", "/connectors/people/disconnections");
    expect([status, body]).toEqual([202, { connections: 2 }]);
    expect(await show("people")).toMatchObject({ connections: { disconnecting: 2 } });
    const again = await server.request("POST", "/connectors/people/disconnections");
    expect(again.body).toEqual({ connections: 0 });
    const events = await server.audit("connector.disconnected");
    expect(events.map(({ data }) => data)).toEqual([{ key: "people", connections: 2 }]);
    const refused = await remove("people", await at());
    expect(refused.body["error_description"]).toMatch(/^2 accounts are still being disconnected/);
  });
});
