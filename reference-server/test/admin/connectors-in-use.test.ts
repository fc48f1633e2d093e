import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdminServer } from "../support/admin.js";
import {
  type ConnectorAdmin,
  connectorSecret,
  createConnectorAdmin,
  notesConnector,
} from "../support/admin-connectors.js";
import { storeConnection } from "../support/connections.js";

let admin: ConnectorAdmin;
let server: AdminServer;
beforeAll(async () => {
  admin = await createConnectorAdmin();
  ({ server } = admin);
});
afterAll(() => server.close());

const connect = (connector: string, userId: string) =>
  storeConnection(server.context, { connector, userId, now: new Date(server.clock()) });
const shownConnections = async (query: string) =>
  (await server.request("GET", `/connections?${query}`)).body["items"] as Record<string, unknown>[];

describe("with people who are connected", () => {
  const at = async () => Number((await admin.show("people"))["version"]);
  let dora: string;
  beforeAll(async () => {
    await admin.post({ ...notesConnector, key: "people" });
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
    const { status, body } = await server.request("PATCH", "/connectors/people?preview=true", {
      body: change,
      version: 1,
    });
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
          "For people who are connected now, nothing is sent to https://files.notes.example until they connect again.",
          "Agents could use DELETE as well.",
          "People without notes:more could no longer use their connected account.",
          "notes:write: would be required. Anyone who left it out has to connect again.",
        ],
      },
    });
    expect(await admin.show("people")).toMatchObject({ version: 1, clientId: "authz" });
    expect(await server.audit()).toHaveLength(events);
  });

  test("another client id asks everybody to connect again, whatever is being refreshed", async () => {
    const { store } = server.context;
    const [first] = await store.connections.listOwn(dora);
    const change = { clientId: "another" };
    const { body } = await admin.patch("people", change, await at());
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
    const same = { revocationEndpoint: "https://login.notes.example/revoke", clientSecret: connectorSecret };
    const kept = await admin.patch("people", same, await at());
    expect(kept.body).toMatchObject({ connections: { connected: 1, reconnectRequired: 1 } });
    const other = { tokenEndpoint: "https://login.notes.example/v2/token", clientSecret: connectorSecret };
    const moved = await admin.patch("people", other, await at());
    expect(moved.body).toMatchObject({ connections: { connected: 0, reconnectRequired: 2 } });
  });

  test("it cannot be removed", async () => {
    const { status, body } = await admin.remove("people", await at());
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
    expect(await admin.show("people")).toMatchObject({ connections: { disconnecting: 2 } });
    const again = await server.request("POST", "/connectors/people/disconnections");
    expect(again.body).toEqual({ connections: 0 });
    const events = await server.audit("connector.disconnected");
    expect(events.map(({ data }) => data)).toEqual([{ key: "people", connections: 2 }]);
    const refused = await admin.remove("people", await at());
    expect(refused.body["error_description"]).toMatch(/^2 accounts are still being disconnected/);
  });
});
