import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdminServer } from "../support/admin.js";
import { type ConnectorAdmin, createConnectorAdmin, notesConnector } from "../support/admin-connectors.js";

let admin: ConnectorAdmin;
let server: AdminServer;
beforeAll(async () => {
  admin = await createConnectorAdmin();
  ({ server } = admin);
});
afterAll(() => server.close());

describe("a new connector is refused", () => {
  const forClient = "clientSecret";
  beforeAll(async () => {
    await admin.post(notesConnector);
  });

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
    const answer = await admin.post({ ...notesConnector, key: "refused", ...change });
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
    const { status, body } = await admin.post(graph);
    expect(status).toBe(400);
    const fields = body["fields"] as { path: string; message: string }[];
    expect(fields.map(({ path }) => path)).toEqual(["issuer", "authorizationEndpoint", "tokenEndpoint"]);
    expect(fields[0]?.message).toBe("has a placeholder in braces; replace it with your own value");
  });

  test("in German words for German callers", async () => {
    const { body } = await server.request("POST", "/connectors", {
      body: {
        ...notesConnector,
        key: "refused",
        authorizationParameters: { state: "x" },
        requestPrefixes: ["https://a.example/"],
      },
      headers: { "accept-language": "de" },
    });
    expect(body["fields"]).toEqual([
      { path: "authorizationParameters.state", message: "ist ein Parameter, den der Server selbst setzt" },
      { path: "requestPrefixes.0", message: "muss in Normalform geschrieben sein: https://a.example" },
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
      const created = await admin.post({
        ...filled,
        key: `new-${kind}`,
        kind,
        name: kind,
        clientId: "x",
        clientSecret: "y",
      });
      expect(created.body).toMatchObject({ ...filled, key: `new-${kind}` });
      expect((await admin.remove(`new-${kind}`, 1)).status).toBe(204);
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
    const created = await admin.post({ ...body, requestPrefixes: ["https://github.acme.example/api/v3"] });
    expect(created.body).toMatchObject({
      ...own,
      revocationEndpoint: null,
      accountEndpoint: null,
      issuer: null,
    });
    expect((await admin.remove("enterprise", 1)).status).toBe(204);
  });
});
