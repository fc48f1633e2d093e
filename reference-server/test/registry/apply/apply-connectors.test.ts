import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyRegistry } from "../../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../../src/registry/apply/registry-file.js";
import { RegistryError } from "../../../src/registry/apply/registry-error.js";
import { loadConfig } from "../../../src/config/config.js";
import { createConnectorVault } from "../../../src/encryption-keys/open-vaults.js";
import { connectorRow } from "../../../src/platform/vault/rows.js";
import type { Store } from "../../../src/store/store.js";
import { storeConnection } from "../../support/connections.js";
import { testEnvironment } from "../../support/environment.js";
import { createTestServer, type TestServer } from "../../support/server.js";

const kek = Buffer.alloc(32, 7).toString("base64");
const registry = `
scopes:
  - { key: "notes:use", description: Use notes }
connectors:
  - key: notes
    kind: oauth2
    name: Notes
    authorizationEndpoint: http://127.0.0.1:3020/auth
    tokenEndpoint: http://127.0.0.1:3020/token
    authorizationParameters: { prompt: consent, access_type: offline }
    clientId: authz
    clientSecret: very-secret
    scopes: [{ scope: "notes:read", required: true }]
    requiredScopes: ["notes:use"]
    requestPrefixes: [http://127.0.0.1:3020/api]
    methods: [GET, POST]
    limits: { requestsPerMinute: 60 }
  - key: github
    kind: github
    name: GitHub
    clientId: hub
    clientSecret: also-secret
    enabled: false
`;

let server: TestServer;
let store: Store;
beforeAll(async () => {
  server = await createTestServer({ AUTHZ_CONNECTOR_KEK: kek });
  store = server.context.store;
});
beforeEach(() => server.clock.advance(60));
afterAll(() => server.close());

const parse = (content: string) =>
  parseRegistryFile(content, { allowInsecureLoopback: true, issuer: "https://auth.acme.example" });
const apply = (content: string, connectorVault = server.context.connectorVault) =>
  applyRegistry(parse(content), {
    store,
    credentials: server.context.credentials,
    connectorVault,
    at: new Date(server.clock()),
  });

/** The keys of a server with another key, or none. */
function otherVault(key: string | undefined) {
  const { connectorKeys } = loadConfig(testEnvironment({ AUTHZ_CONNECTOR_KEK: key }));
  return createConnectorVault(connectorKeys, { clock: server.clock });
}

async function secretOf(key: string): Promise<string> {
  const found = await store.connectors.findByKey(key);
  if (found === undefined || found.clientSecret === null) throw new Error("no secret");
  return await server.context.connectorVault.open(found.clientSecret, connectorRow(found.id));
}

test("a server without a connector key refuses the file, says what to set, and stores nothing", async () => {
  await expect(apply(registry, otherVault(undefined))).rejects.toThrow(
    /connectors\[0\]: .*AUTHZ_CONNECTOR_KEK is not set\. Generate one with authz-server secrets/,
  );
  expect(await store.connectors.count()).toBe(0);
  expect(await store.scopes.findAll(["notes:use"])).toEqual([]);
});

test("connectors are added, and the second time nothing changes", async () => {
  const changes = await apply(registry);
  expect(changes).toEqual([
    { type: "scope.created", data: { key: "notes:use" } },
    { type: "connector.created", data: { key: "notes", kind: "oauth2" } },
    { type: "connector.created", data: { key: "github", kind: "github" } },
  ]);
  expect(await secretOf("notes")).toBe("very-secret");
  const before = await store.connectors.findByKey("notes");
  expect(await apply(registry)).toEqual([]);
  expect(await store.connectors.findByKey("notes")).toEqual(before);
});

test("what a file leaves out is as the kind suggests", async () => {
  expect(await store.connectors.findByKey("github")).toMatchObject({
    tokenEndpoint: "https://github.com/login/oauth/access_token",
    requestPrefixes: ["https://api.github.com"],
    methods: ["GET", "HEAD"],
    limits: { timeoutSeconds: 30, requestsPerMinute: 600 },
    requiredScopes: [],
    enabled: false,
  });
});

test("each change is one event that names its members, never a secret", async () => {
  const changed = registry
    .replace("very-secret", "another-secret")
    .replace("methods: [GET, POST]", "methods: [GET]")
    .replace("requestsPerMinute: 60", "requestsPerMinute: 61");
  expect(await apply(changed)).toEqual([
    { type: "connector.changed", data: { key: "notes", fields: ["methods", "limits", "clientSecret"] } },
  ]);
  expect(await secretOf("notes")).toBe("another-secret");
  const events = await server.database.query("SELECT data::text FROM audit_events");
  expect(JSON.stringify(events)).not.toMatch(/very-secret|another-secret|also-secret/);
  await apply(registry);
});

test("another client asks everybody to connect again", async () => {
  const user = "11111111-2222-4333-8444-555555555555";
  await server.database.query("INSERT INTO users (id, email) VALUES ($1, 'ada@acme.example')", [user]);
  const now = new Date(server.clock());
  await storeConnection(server.context, { connector: "notes", userId: user, now });
  await apply(registry.replace("clientId: authz", "clientId: other"));
  expect(await store.connections.listOwn(user)).toMatchObject([
    { state: "reconnect_required", reason: "client_changed" },
  ]);
  await apply(registry);
});

test("a secret that no longer opens is stored again, with the key that is there", async () => {
  const vault = otherVault(Buffer.alloc(32, 8).toString("base64"));
  const changes = await apply(registry, vault);
  expect(changes).toEqual([
    { type: "connector.changed", data: { key: "notes", fields: ["clientSecret"] } },
    { type: "connector.changed", data: { key: "github", fields: ["clientSecret"] } },
  ]);
  expect(await apply(registry, vault)).toEqual([]);
  await expect(secretOf("notes")).rejects.toThrow(/AUTHZ_CONNECTOR_KEK_PREVIOUS/);
  await apply(registry);
});

describe("a file is refused", () => {
  test.each<{ name: string; change: (content: string) => string; problem: string }>([
    {
      name: "with another kind for a connector",
      change: (content) => content.replace("kind: github", "kind: slack"),
      problem: 'connectors[1]: "github" is of kind "github". Choose another key for the new one.',
    },
    {
      name: "with a permission that is not there",
      change: (content) => content.replace('requiredScopes: ["notes:use"]', 'requiredScopes: ["a:b"]'),
      problem: 'connectors[0].requiredScopes: "a:b" is not a known scope',
    },
  ])("$name", async ({ change, problem }) => {
    const error = await apply(change(registry)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RegistryError);
    expect((error as RegistryError).problems).toEqual([problem]);
  });

  test.each<{ name: string; content: string; problem: string }>([
    {
      name: "with a key twice",
      content: registry.replace("key: github", "key: notes"),
      problem: 'connectors[1].key: "notes" appears twice',
    },
    {
      name: "without a secret",
      content: registry.replace("    clientSecret: very-secret\n", ""),
      problem: "connectors[0].clientSecret: is missing",
    },
    {
      name: "with a limit that is too high",
      content: registry.replace("requestsPerMinute: 60", "requestsPerMinute: 1000000"),
      problem: "connectors[0].limits.requestsPerMinute",
    },
    {
      name: "with a parameter of the protocol",
      content: registry.replace("prompt: consent", "redirect_uri: x"),
      problem:
        "connectors[0].authorizationParameters.redirect_uri: is a parameter that the server sets itself",
    },
    {
      name: "with several mistakes, each of them",
      content: registry
        .replace("    clientSecret: very-secret\n", "")
        .replace("    clientSecret: also-secret\n", ""),
      problem: "connectors[1].clientSecret: is missing",
    },
  ])("$name", ({ content, problem }) => {
    expect(() => parse(content)).toThrow(problem);
  });
});
