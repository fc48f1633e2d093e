import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyRegistry } from "../../../src/registry/apply/apply-registry.js";
import { RegistryError } from "../../../src/registry/apply/registry-error.js";
import { parseRegistryFile } from "../../../src/registry/apply/registry-file.js";
import { createCredentialVault } from "../../../src/encryption-keys/open-vaults.js";
import { providerSecretRow } from "../../../src/platform/vault/rows.js";
import type { Store } from "../../../src/store/store.js";
import { createTestServer, type TestServer } from "../../support/server.js";

const registry = `
installation: { name: Acme }
providers:
  - key: acme
    name: Acme
    issuer: http://127.0.0.1:3010
    clientId: authz
    clientSecret: very-secret
    scopes: [openid, profile, email]
    allowedEmailDomains: [Acme.example]
scopes:
  - { key: "contracts:read", description: Read contracts }
  - { key: "contracts:write", description: Change contracts }
resources:
  - key: contracts
    name: Contracts
    resource: http://127.0.0.1:3101/api
    authorizationServer: http://127.0.0.1:3101
    clientId: authz-cli
    requestPrefixes: [http://127.0.0.1:3101/api]
    scopes: ["contracts:write", "contracts:read"]
    skillDiscovery: true
assignments:
  - { email: Ada@acme.example, scopes: ["authz:login", "contracts:read"] }
`;

let server: TestServer;
let store: Store;
let at: Date;
beforeAll(async () => {
  server = await createTestServer();
  store = server.context.store;
});
beforeEach(() => {
  server.clock.advance(60);
  at = new Date(server.clock());
});
afterAll(() => server.close());

function parse(content: string) {
  return parseRegistryFile(content, { allowInsecureLoopback: true, issuer: "https://auth.acme.example" });
}

function apply(content: string, credentials = server.context.credentials) {
  return applyRegistry(parse(content), {
    store,
    credentials,
    connectorVault: server.context.connectorVault,
    at,
  });
}

async function audited() {
  const rows = await store.auditEvents.read({ afterId: "0", limit: 1000 });
  return rows.filter((row) => Date.parse(row.at) === at.getTime());
}

describe.sequential("a registry file with an end", () => {
  const bob = (end: string) => `
scopes: [{ key: "reports:read", description: Read reports }]
assignments: [{ email: bob@acme.example, scopes: ["reports:read"]${end} }]`;
  const until = (seconds: number) =>
    `, expiresAt: "${new Date(server.clock() + seconds * 1000).toISOString()}"`;
  const typesOf = async (content: string) =>
    (await apply(content)).map(({ type }) => type).filter((type) => type.startsWith("assignment."));

  test("gives until then, changes the end, and gives nothing when it is over", async () => {
    const day = bob(until(86_400));
    expect(await typesOf(day)).toEqual(["assignment.created"]);
    expect(await typesOf(day)).toEqual([]);
    expect(await typesOf(bob(until(3600)))).toEqual(["assignment.removed", "assignment.created"]);
    expect(await typesOf(bob(""))).toEqual(["assignment.removed", "assignment.created"]);
    expect(await typesOf(bob(until(-1)))).toEqual(["assignment.removed"]);
    expect(await typesOf(bob(until(-1)))).toEqual([]);
  });

  test("is refused when the end is no moment", () => {
    expect(() => parse(bob(", expiresAt: tomorrow"))).toThrow("assignments[0].expiresAt: must be a moment");
  });
});

describe.sequential("a registry file", () => {
  test("creates what it lists, and audits each record", async () => {
    const changes = await apply(registry);

    const types = [
      "installation.changed",
      "provider.created",
      "provider.test_skipped",
      "scope.created",
      "scope.created",
      "resource.created",
      "assignment.created",
      "assignment.created",
    ];
    expect(changes.map(({ type }) => type)).toEqual(types);
    expect((await audited()).map(({ type, actorType }) => `${actorType} ${type}`)).toEqual(
      types.map((type) => `operator ${type}`),
    );
    expect(await store.settings.get()).toMatchObject({ installationName: "Acme" });
    expect(await store.resources.findByIdentifier("http://127.0.0.1:3101/api")).toMatchObject({
      key: "contracts",
      supportedScopes: ["contracts:read", "contracts:write"],
      enabled: true,
    });
    const assignments = await store.assignments.listByEmail("ada@acme.example");
    expect(assignments.map(({ scope }) => scope)).toEqual(["authz:login", "contracts:read"]);
  });

  test("keeps the client secret encrypted, bound to its row, and out of the audit trail", async () => {
    const [provider] = await store.identityProviders.listEnabled();
    if (!provider?.clientSecret) throw new Error("the provider or its secret is missing");
    const { credentials } = server.context;
    expect(await credentials.open(provider.clientSecret, providerSecretRow(provider.id))).toBe("very-secret");
    expect(provider.allowedEmailDomains).toEqual(["acme.example"]);
    expect(JSON.stringify(await store.auditEvents.read({ afterId: "0", limit: 1000 }))).not.toContain(
      "very-secret",
    );
    expect(
      await server.database.query(
        "SELECT * FROM identity_providers WHERE client_secret::text LIKE '%secret%'",
      ),
    ).toEqual([]);
  });

  test("changes nothing the second time", async () => {
    const before = await server.database.query("SELECT * FROM resources, identity_providers, settings");
    expect(await apply(registry)).toEqual([]);
    expect(await audited()).toEqual([]);
    expect(await server.database.query("SELECT * FROM resources, identity_providers, settings")).toEqual(
      before,
    );
  });

  test("changes only what differs, and names the fields", async () => {
    const changed = registry
      .replace("clientSecret: very-secret", "clientSecret: another-secret")
      .replace("name: Contracts", "name: Contracts archive")
      .replace('["contracts:write", "contracts:read"]', '["contracts:read"]')
      .replace("Read contracts", "Read every contract")
      .replace('["authz:login", "contracts:read"]', '["authz:login", "contracts:write"]');

    expect(await apply(changed)).toEqual([
      { type: "provider.changed", data: { key: "acme", fields: ["clientSecret"] } },
      { type: "provider.test_skipped", data: { key: "acme" } },
      { type: "scope.changed", data: { key: "contracts:read", fields: ["description"] } },
      { type: "resource.changed", data: { key: "contracts", fields: ["name", "supportedScopes"] } },
      { type: "assignment.removed", data: { email: "ada@acme.example", scope: "contracts:read" } },
      { type: "assignment.created", data: { email: "ada@acme.example", scope: "contracts:write" } },
    ]);
    await apply(registry);
  });

  test("repairs a secret that was stored with another encryption key", async () => {
    await apply(registry, createCredentialVault(Buffer.alloc(32, 99)));
    expect(await apply(registry)).toEqual([
      { type: "provider.changed", data: { key: "acme", fields: ["clientSecret"] } },
      { type: "provider.test_skipped", data: { key: "acme" } },
    ]);
  });

  test("leaves alone what it does not list", async () => {
    expect(await apply("assignments: []")).toEqual([]);
    expect(await apply("")).toEqual([]);
    expect(await store.resources.findByKey("contracts")).toBeDefined();
  });

  test("is applied by ten processes at the same time as if by one", async () => {
    const more = `scopes: [{ key: "race:run", description: Run }]\nassignments: [{ email: grace@acme.example, scopes: ["race:run"] }]`;
    const changes = await Promise.all(Array.from({ length: 10 }, () => apply(more)));
    expect(changes.flat().map(({ type }) => type)).toEqual(["scope.created", "assignment.created"]);
  });

  test.each([
    {
      name: "an unknown scope",
      content: 'assignments: [{ email: a@b.example, scopes: ["no:such"] }]',
      problem: 'assignments[0].scopes: "no:such"',
    },
    {
      name: "a system scope",
      content: 'scopes: [{ key: "authz:login", description: Mine }]',
      problem: "belongs to the server itself",
    },
    {
      name: "the identifier of another resource",
      content: registry.replace("key: contracts\n", "key: other\n"),
      problem: 'already belongs to the service "contracts"',
    },
  ])("that refers to $name is refused as a whole", async ({ content, problem }) => {
    const withName = content.includes("installation")
      ? content.replace("Acme", "Refused")
      : `${content}\ninstallation: { name: Refused }`;
    await expect(apply(withName)).rejects.toThrow(RegistryError);
    await expect(apply(withName)).rejects.toThrow(problem);
    expect(await store.settings.get()).toMatchObject({ installationName: "Acme" });
    expect(await audited()).toEqual([]);
  });
});

describe("a malformed file is refused with the place:", () => {
  test.each([
    { name: "no YAML", content: "a: [", problem: "neither YAML nor JSON" },
    { name: "a list", content: "[]", problem: "file: " },
    { name: "an unknown section", content: "users: []", problem: "users: is not known here" },
    {
      name: "an unknown member",
      content: registry.replace("clientId: authz\n", "clientId: authz\n    secret: x\n"),
      problem: "providers[0].secret: is not known here",
    },
    {
      name: "a missing member",
      content: registry.replace("    clientSecret: very-secret\n", ""),
      problem: "providers[0].clientSecret",
    },
    {
      name: "a bad scope key",
      content: 'scopes: [{ key: "contracts", description: x }]',
      problem: "scopes[0].key",
    },
    {
      name: "a key twice",
      content: 'scopes: [{ key: "a:b", description: x }, { key: "a:b", description: y }]',
      problem: '"a:b" appears twice',
    },
    {
      name: "a bad address",
      content: "assignments: [{ email: ada, scopes: [] }]",
      problem: "assignments[0].email",
    },
    {
      name: "an address in two spellings",
      content: "assignments: [{ email: a@b.example, scopes: [] }, { email: A@b.example, scopes: [] }]",
      problem: "appears twice",
    },
    {
      name: "plain http",
      content: registry.replace("http://127.0.0.1:3010", "http://idp.example"),
      problem: "providers[0].issuer",
    },
    {
      name: "an origin with a path",
      content: registry.replace(
        "authorizationServer: http://127.0.0.1:3101",
        "authorizationServer: http://127.0.0.1:3101/",
      ),
      problem: "resources[0].authorizationServer",
    },
    {
      name: "an identifier below this server itself",
      content: registry.replace(
        "resource: http://127.0.0.1:3101/api",
        "resource: https://auth.acme.example/api",
      ),
      problem: "resources[0].resource: must not be below https://auth.acme.example",
    },
    {
      name: "a prefix with a query",
      content: registry.replace("[http://127.0.0.1:3101/api]", '["http://127.0.0.1:3101/api?a=b"]'),
      problem: "resources[0].requestPrefixes[0]",
    },
  ])("$name", ({ content, problem }) => {
    expect(() => parse(content)).toThrow(RegistryError);
    expect(() => parse(content)).toThrow(problem);
  });

  test("plain http on loopback in production", () => {
    expect(() =>
      parseRegistryFile(registry, { allowInsecureLoopback: false, issuer: "https://auth.acme.example" }),
    ).toThrow("must be an https: URL");
  });

  test("every problem at once", () => {
    expect(() => parse('scopes: [{ key: x, description: "" }]\nother: 1')).toThrow(
      /scopes\[0\]\.key.*scopes\[0\]\.description.*other/s,
    );
  });
});

describe.sequential("calls for agents are what the file says:", () => {
  const service = (more: string) => registry.replace("skillDiscovery: true", `skillDiscovery: true${more}`);
  const off = service("\n    agentCalls: false");
  const on = service("\n    agentCalls: true");
  const changed = (data: object) => [{ type: "resource.changed", data }];

  test("to a service they are switched off, and on again, once each", async () => {
    await apply(registry);
    const calls = async (content: string) => {
      const changes = await apply(content);
      return { changes, agentCalls: (await store.resources.findByKey("contracts"))?.agentCalls };
    };
    const change = changed({ key: "contracts", fields: ["agentCalls"] });
    expect(await calls(off)).toEqual({ changes: change, agentCalls: false });
    expect(await calls(off)).toEqual({ changes: [], agentCalls: false });
    expect(await calls(on)).toEqual({ changes: change, agentCalls: true });
    expect(await calls(on)).toEqual({ changes: [], agentCalls: true });
    await apply(off);
    expect(await calls(registry)).toEqual({ changes: change, agentCalls: true });
  });

  test("the address for agents is switched off, and on again, once each, and stays as it is otherwise", async () => {
    const agents = async () => {
      const found = await store.resources.findByKey("agents");
      return found && { name: found.name, enabled: found.enabled, allowsBearer: found.allowsBearer };
    };
    expect(await agents()).toEqual({ name: "Agents", enabled: true, allowsBearer: true });
    const closed = "agents: { enabled: false, allowsBearer: false }";
    expect(await apply(closed)).toEqual(changed({ key: "agents", fields: ["enabled", "allowsBearer"] }));
    expect((await audited()).map(({ type, actorType }) => `${actorType} ${type}`)).toEqual([
      "operator resource.changed",
    ]);
    expect(await apply(closed)).toEqual([]);
    expect(await apply(registry)).toEqual([]);
    expect(await agents()).toEqual({ name: "Agents", enabled: false, allowsBearer: false });
    expect(await apply("agents: { enabled: true, name: Helpers }")).toEqual(
      changed({ key: "agents", fields: ["name", "enabled"] }),
    );
    expect(await agents()).toEqual({ name: "Helpers", enabled: true, allowsBearer: false });
    expect(await apply("agents: { name: Agents, allowsBearer: true }")).toHaveLength(1);
    expect(await apply("agents: {}")).toEqual([]);
  });

  test.each([
    { name: "its address", content: "agents: { resource: https://a.example }", problem: "agents.resource" },
    { name: "its permission", content: 'agents: { scopes: ["a:b"] }', problem: "agents.scopes" },
    { name: "no name", content: 'agents: { name: "" }', problem: "agents.name" },
    { name: "a word for a switch", content: 'agents: { enabled: "no" }', problem: "agents.enabled" },
    {
      name: "a service with its key",
      content: registry.replace("key: contracts\n", "key: agents\n"),
      problem: "resources[0].key",
    },
  ])("of the address, $name is refused", ({ content, problem }) => {
    expect(() => parse(content)).toThrow(problem);
  });
});

test("hosts of apps and the policy are what the file says, and stay as they are when it says nothing", async () => {
  const file = `
apps: { trust: any, dynamicRegistration: true }
appHosts:
  - { host: claude.ai, name: Claude }
  - { host: bad.example, name: Bad, allowed: false }
`;
  const changes = await apply(file);
  expect(changes.map(({ type }) => type)).toEqual([
    "installation.changed",
    "app_host.changed",
    "app_host.changed",
  ]);
  expect(await apply(file)).toEqual([]);
  expect(await apply("apps: { trust: listed }")).toEqual([
    { type: "installation.changed", data: { appTrust: { from: "any", to: "listed" } } },
  ]);
  expect(await store.settings.get()).toMatchObject({ appTrust: "listed", dynamicRegistration: true });
  expect(await store.appHosts.describe("bad.example")).toMatchObject({ name: "Bad", allowed: false });
  expect(await store.appHosts.describe("claude.ai")).toMatchObject({ name: "Claude", allowed: true });
  for (const content of [
    "apps: { trust: all }",
    "appHosts: [{ host: https://claude.ai, name: Claude }]",
    "appHosts: [{ host: claude.ai, name: A }, { host: claude.ai, name: B }]",
  ])
    expect(() => parse(content)).toThrow(RegistryError);
});
