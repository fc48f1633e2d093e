import { underMissingKey } from "../../support/connectors.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usualHeaders } from "../../../src/forwarding/request-headers.js";
import { type Connecting, type Person, startConnecting } from "../../connectors/connecting.js";

let connecting: Connecting;
let ada: Person;

beforeAll(async () => {
  connecting = await startConnecting();
  ({ ada } = connecting);
});

afterAll(() => connecting.close());

describe("/api/me/connections", () => {
  it("lists every enabled connector, connected or not", async () => {
    const { status, headers, body } = await ada.call("GET", "");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      items: [
        {
          connector: "notes",
          name: "Notes",
          kind: "oauth2",
          state: "not_connected",
          grantedScopes: [],
          offeredScopes: connecting.connector.scopes,
          requestPrefixes: [connecting.thirdParty.api],
          requestHeaders: usualHeaders,
          methods: ["GET", "POST"],
          requiredScopes: ["authz:login"],
          missingScopes: [],
        },
      ],
    });
    await connecting.change({ enabled: false });
    expect((await ada.call("GET", "")).body).toEqual({ items: [] });
    expect((await ada.call("POST", "/notes/attempts")).body).toMatchObject({ error: "not_found" });
    await connecting.change();
  });

  it("shows what is connected", async () => {
    await ada.connect();
    const { body } = await ada.call("GET", "/notes");
    expect(body).toMatchObject({
      state: "connected",
      account: { label: "ada@private.example" },
      connectedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(body).not.toHaveProperty("lastUsedAt");
    expect(body).not.toHaveProperty("reason");
    expect((await connecting.fred.call("GET", "/notes")).body).toMatchObject({ state: "not_connected" });
  });

  it("refuses an attempt at once when the connector's secret does not open", async () => {
    const { query } = connecting.system.database;
    const secret = await query("SELECT client_secret FROM connectors WHERE key = 'notes'");
    await query(
      `UPDATE connectors SET client_secret = ${underMissingKey("client_secret")} WHERE key = 'notes'`,
    );
    const { status, body } = await ada.call("POST", "/notes/attempts");
    expect([status, body]).toMatchObject([503, { error: "connector_key_unavailable" }]);
    await query("UPDATE connectors SET client_secret = $1 WHERE key = 'notes'", [
      secret[0]?.["client_secret"],
    ]);
    expect((await ada.call("POST", "/notes/attempts")).status).toBe(201);
  });

  it("needs the permissions that the connector asks for", async () => {
    await connecting.change({ requiredScopes: ["authz:login", "contracts:write"] });
    expect((await ada.call("GET", "/notes")).body).toMatchObject({ missingScopes: ["contracts:write"] });
    const { status, body } = await ada.call("POST", "/notes/attempts");
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope", scope: "contracts:write" },
    });
    await connecting.change();
  });

  it.each([
    { name: "a scope that is not offered", body: { scopes: ["notes:admin"] }, error: "invalid_scope" },
    { name: "something else", body: { scopes: ["notes:read"], connector: "x" }, error: "invalid_request" },
    { name: "no list", body: { scopes: "notes:read" }, error: "invalid_request" },
    { name: "no object", body: ["notes:read"], error: "invalid_request" },
  ])("refuses an attempt with $name", async ({ body, error }) => {
    const answer = await ada.call("POST", "/notes/attempts", body);
    expect({ status: answer.status, error: answer.body["error"] }).toEqual({ status: 400, error });
  });

  it("ticks on the page what the client asked for, and always what is required", async () => {
    const { url } = await ada.begin(["notes:share"]);
    const { visit } = await ada.ask(url);
    expect(visit.html).toMatch(/name="scope notes:share" value="on" checked/);
    expect(visit.html).toMatch(/name="scope notes:write" value="on">/);
    expect(visit.html).toMatch(/checked disabled>\s*<span>Read notes/);
  });

  it.each(["/notes/attempts/x", "/notes/attempts/00000000-0000-4000-8000-000000000000", "/x%00y"])(
    "answers 404 for %s",
    async (path) => {
      const { status, body } = await ada.call("GET", path);
      expect({ status, error: body["error"] }).toEqual({ status: 404, error: "not_found" });
    },
  );

  it("refuses requests without a token", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/notes"],
      ["DELETE", "/notes"],
      ["POST", "/notes/attempts"],
    ] as const) {
      const url = `${connecting.system.issuer}/api/me/connections${path}`;
      expect((await fetch(url, { method })).status).toBe(401);
    }
  });

  it("answers 429 for too many attempts", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await connecting.fred.call("POST", "/notes/attempts")).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
  });
});
