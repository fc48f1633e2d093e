import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectorRow } from "../../src/platform/vault/rows.js";
import type { AdminServer } from "../support/admin.js";
import {
  type ConnectorAdmin,
  connectorSecret,
  createConnectorAdmin,
  notesConnector,
} from "../support/admin-connectors.js";

const secret = connectorSecret;
let admin: ConnectorAdmin;
let server: AdminServer;
beforeAll(async () => {
  admin = await createConnectorAdmin();
  ({ server } = admin);
});
afterAll(() => server.close());

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
  test("is added with a secret that never comes back", async () => {
    const { text } = await admin.post(notesConnector);
    expect(text).not.toContain(secret);
    expect(await storedSecret("notes")).toBe(secret);
  });

  test("keeps its secret when something else changes, and says what did", async () => {
    const change = { name: "Notes EU", limits: { timeoutSeconds: 60 }, methods: ["GET", "HEAD", "POST"] };
    const { body } = await admin.patch("notes", change, 1);
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
    const { body } = await admin.patch("notes", { name: "Notes EU", clientSecret: secret }, 2);
    expect(body).toMatchObject({ version: 2 });
    expect(await server.audit("connector.changed")).toHaveLength(1);
  });

  test("gets another secret, and the trail says that it did", async () => {
    const { body, text } = await admin.patch("notes", { clientSecret: "the next secret" }, 2);
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
    const refused = await admin.patch("notes", change, 3);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      fields: [{ path: "clientSecret", message: expect.stringMatching(message) as unknown }],
    });
    expect(await admin.show("notes")).toMatchObject({ version: 3 });
  });

  test("moves with its secret given again", async () => {
    const moved = { tokenEndpoint: "https://login.notes.example/v2/token", clientSecret: secret };
    const { body } = await admin.patch("notes", moved, 3);
    expect(body).toMatchObject({ tokenEndpoint: moved.tokenEndpoint, version: 4 });
    expect(await storedSecret("notes")).toBe(secret);
  });

  test("loses its secret when it becomes a public client, and needs one to come back", async () => {
    const without = await admin.patch("notes", { tokenEndpointAuthMethod: "none" }, 4);
    expect(without.body).toMatchObject({ hasClientSecret: false, keyReadable: true, version: 5 });
    expect(await storedSecret("notes")).toBeNull();
    const { status, body } = await admin.patch(
      "notes",
      { tokenEndpointAuthMethod: "client_secret_basic" },
      5,
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "clientSecret" }] });
    const change = { tokenEndpointAuthMethod: "client_secret_basic", clientSecret: secret };
    expect((await admin.patch("notes", change, 5)).body).toMatchObject({ hasClientSecret: true, version: 6 });
  });

  test("is not changed from an old version, and the answer has it as it is", async () => {
    const { status, body, text } = await admin.patch("notes", { name: "Old", clientSecret: "x" }, 1);
    expect(status).toBe(412);
    expect(body).toMatchObject({ error: "version_conflict", current: { key: "notes", version: 6 } });
    expect(text).not.toMatch(/clientSecret"|ciphertext|wrapped/);
    expect(await storedSecret("notes")).toBe(secret);
  });

  test("is changed by one of several who saw the same version", async () => {
    const answers = await Promise.all(
      ["A", "B", "C", "D"].map((name) => admin.patch("notes", { name, clientSecret: `secret ${name}` }, 6)),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 412, 412, 412]);
    const { name, version } = await admin.show("notes");
    expect(version).toBe(7);
    expect(await storedSecret("notes")).toBe(`secret ${String(name)}`);
  });

  test("is added once when several add it at the same time", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => admin.post({ ...notesConnector, key: "same" })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ error: "already_exists", fields: [{ path: "key" }] });
    expect((await admin.remove("same", 1)).status).toBe(204);
    expect((await admin.remove("same", 1)).status).toBe(404);
    const [event] = await server.audit("connector.removed");
    expect(event?.data).toEqual({ key: "same", kind: "oauth2" });
  });

  test("is found by its name, its key and its kind", async () => {
    const found = async (query: string) =>
      ((await server.request("GET", `/connectors?${query}`)).body["items"] as { key: string }[]).map(
        ({ key }) => key,
      );
    await admin.post({
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
      '"notes:use" is in use by the connector notes. Remove it there first.',
    );
  });
});
