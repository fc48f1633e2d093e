import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectorKeys } from "../../src/admin/connector-keys/schemas.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { storeConnection } from "../support/connections.js";
import { createServer, type Server } from "../../src/server.js";
import { createLog } from "../../src/platform/http/log.js";
import { loadConfig } from "../../src/config/config.js";
import { testEnvironment } from "../support/environment.js";

const first = Buffer.alloc(32, 7).toString("base64");
const second = Buffer.alloc(32, 8).toString("base64");
const notes = {
  key: "notes",
  kind: "oauth2",
  name: "Notes",
  authorizationEndpoint: "https://login.notes.example/authorize",
  tokenEndpoint: "https://login.notes.example/token",
  clientId: "authz",
  clientSecret: "a very secret text",
  requestPrefixes: ["https://api.notes.example/v1"],
};
const github = { key: "github", kind: "github", name: "GitHub", clientId: "x", clientSecret: "y" };

let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer({ AUTHZ_CONNECTOR_KEK: first });
});
afterAll(() => server.close());

/** Another process of the same installation, with other keys. */
async function besides<T>(
  keys: Readonly<Record<string, string | undefined>>,
  work: (other: AdminServer) => Promise<T>,
): Promise<T> {
  const { database, clock } = server;
  const config = loadConfig(testEnvironment({ POSTGRES_URL: database.url, ...keys }));
  const log = createLog("silent", { write: () => undefined });
  const process: Server = await createServer(config, { log, clock });
  const request: AdminServer["request"] = async (method, path, { body, version, headers } = {}) => {
    const answer = await process.app.inject({
      method: method as "GET",
      url: `/api/admin/v1${path}`,
      headers: {
        ...server.ada.headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(version !== undefined && { "if-match": `"${version}"` }),
        ...(headers as Record<string, string> | undefined),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const json = answer.body === "" ? {} : answer.json<Record<string, unknown>>();
    return { status: answer.statusCode, headers: answer.headers, body: json, text: answer.body };
  };
  try {
    return await work({ ...server, ...process, request });
  } finally {
    await process.close();
  }
}

const show = async (process: AdminServer) =>
  (await process.request("GET", "/connector-keys")).body as unknown as ConnectorKeys;

describe("without a key that seals", () => {
  test.each<{
    name: string;
    key: string | undefined;
    state: string;
    english: RegExp;
    german: RegExp;
  }>([
    {
      name: "there is none",
      key: undefined,
      state: "not_configured",
      english: /AUTHZ_CONNECTOR_KEK is not set\. Generate one with authz-server secrets/,
      german: /AUTHZ_CONNECTOR_KEK ist nicht gesetzt\. Erzeugen Sie einen mit authz-server secrets/,
    },
    {
      name: "it is too short",
      key: "c2hvcnQ=",
      state: "malformed",
      english: /AUTHZ_CONNECTOR_KEK cannot be used: .* authz-server secrets prints a key/,
      german: /nicht zu gebrauchen: AUTHZ_CONNECTOR_KEK .* authz-server secrets gibt einen/,
    },
  ])(
    "a connector is refused when $name, and nothing of it is stored",
    async ({ key, state, english, german }) => {
      await besides({ AUTHZ_CONNECTOR_KEK: key }, async (other) => {
        expect(await show(other)).toMatchObject({
          state,
          problem: expect.stringMatching(english) as unknown,
          activeKeyId: null,
        });
        const publicClient = { ...notes, clientSecret: undefined, tokenEndpointAuthMethod: "none" };
        for (const body of [notes, publicClient]) {
          const refused = await other.request("POST", "/connectors", { body });
          expect([refused.status, refused.body["error"]]).toEqual([409, "connector_key_unavailable"]);
          expect(refused.body["error_description"]).toMatch(english);
          expect(refused.text).not.toContain(key ?? "a very secret text");
        }
        const inGerman = await other.request("POST", "/connectors", {
          body: notes,
          headers: { "accept-language": "de" },
        });
        expect(inGerman.body["error_description"]).toMatch(german);
        const rewrap = await other.request("POST", "/connector-keys/rewraps");
        expect([rewrap.status, rewrap.body["error"]]).toEqual([409, "connector_key_unavailable"]);
        expect((await other.request("GET", "/connectors/notes")).status).toBe(404);
      });
      expect(await server.database.query("SELECT count(*)::integer AS rows FROM connectors")).toEqual([
        { rows: 0 },
      ]);
      expect(await server.audit("connector.created")).toEqual([]);
    },
  );
});

test("a key is shown with what it has sealed, and never itself", async () => {
  await server.request("POST", "/connectors", { body: notes });
  await server.request("POST", "/connectors", { body: github });
  const now = new Date(server.clock());
  await storeConnection(server.context, { connector: "notes", userId: server.ada.user.id, now });
  const keys = await show(server);
  expect(keys).toEqual({
    state: "ready",
    problem: null,
    activeKeyId: expect.stringMatching(/^env:[0-9a-f]{16}$/) as unknown,
    keys: [{ keyId: keys.activeKeyId, active: true, readable: true, connectors: 2, connections: 1 }],
  });
  expect(JSON.stringify(keys)).not.toContain(first);
});

test("what is sealed with a key that is missing is shown as not readable, and can still be administered", async () => {
  await besides({ AUTHZ_CONNECTOR_KEK: second }, async (other) => {
    expect((await other.request("GET", "/connectors/notes")).body).toMatchObject({
      hasClientSecret: true,
      keyReadable: false,
    });
    expect((await other.request("GET", "/connections")).body["items"]).toMatchObject([
      { keyReadable: false },
    ]);
    const { keys } = await show(other);
    expect(
      keys.map(({ active, readable, connectors, connections }) => [
        active,
        readable,
        connectors,
        connections,
      ]),
    ).toEqual([
      [true, true, 0, 0],
      [false, false, 2, 1],
    ]);
    const rewrap = await other.request("POST", "/connector-keys/rewraps");
    expect(rewrap.body).toEqual({ rewrapped: 0, remaining: 0, unreadable: 3 });
    const renamed = await other.request("PATCH", "/connectors/github", { body: { name: "Hub" }, version: 1 });
    expect(renamed.body).toMatchObject({ name: "Hub", keyReadable: false, version: 2 });
    const repaired = await other.request("PATCH", "/connectors/github", {
      body: { clientSecret: "y" },
      version: 2,
    });
    expect(repaired.body).toMatchObject({ keyReadable: true, version: 3 });
  });
});

test("data keys are sealed again with the active key, a batch per call, and audited", async () => {
  const keys = { AUTHZ_CONNECTOR_KEK: second, AUTHZ_CONNECTOR_KEK_PREVIOUS: first };
  await besides(keys, async (other) => {
    const batches = [];
    for (let remaining = 1; remaining > 0 && batches.length < 5; ) {
      const { status, body } = await other.request("POST", "/connector-keys/rewraps");
      expect(status).toBe(200);
      remaining = Number(body["remaining"]);
      batches.push(Number(body["rewrapped"]));
    }
    expect(batches.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect((await show(other)).keys).toMatchObject([{ active: true, connectors: 2, connections: 1 }]);
  });
  const events = await server.audit("connector_key.rewrapped");
  expect(events.map(({ actor_id: actor, data }) => [actor, data["connectors"], data["connections"]])).toEqual(
    [
      [server.ada.user.id, 1, 0],
      [server.ada.user.id, 0, 1],
    ],
  );
});
