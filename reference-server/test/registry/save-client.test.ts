import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyRegistry } from "../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../src/registry/apply/registry-file.js";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
let first: string;
let second: string;
beforeAll(async () => {
  server = await createTestServer();
  const pairs = await Promise.all([generateEs256KeyPair(), generateEs256KeyPair()]);
  [first = "", second = ""] = pairs.map(({ publicJwk }, index) =>
    JSON.stringify({ kid: `key-${index}`, ...publicJwk }),
  );
});
afterAll(() => server.close());

async function apply(content: string) {
  const { store, credentials, connectorVault } = server.context;
  const file = parseRegistryFile(content, {
    allowInsecureLoopback: true,
    issuer: "https://auth.acme.example",
  });
  return await applyRegistry(file, { store, credentials, connectorVault, at: new Date(server.clock()) });
}

const scopes = `scopes: [{ key: "contracts:read", description: Read }, { key: "contracts:write", description: Write }]`;
const machine = (change: { keys?: string; scopes?: string } = {}) => `
${scopes}
machineClients:
  - id: nightly-export
    name: Nightly export
    keys: [${change.keys ?? first}]
    scopes: [${change.scopes ?? '"contracts:read"'}]`;

describe("registering", () => {
  test("a machine stores it with its scopes, once, and says what changed later", async () => {
    const { store } = server.context;
    expect((await apply(machine())).at(-1)).toEqual({
      type: "client.created",
      data: { id: "nightly-export", type: "machine" },
    });
    expect(await store.clients.find("nightly-export")).toMatchObject({
      type: "machine",
      dpopBound: true,
      keys: [{ kid: "key-0" }],
    });
    expect(await store.clients.listMachineScopes("nightly-export")).toEqual(["contracts:read"]);
    expect(await apply(machine())).toEqual([]);

    expect(await apply(machine({ keys: `${first}, ${second}` }))).toEqual([
      { type: "client.changed", data: { id: "nightly-export", fields: ["keys"] } },
    ]);
    expect(await apply(machine({ keys: second, scopes: '"contracts:write"' }))).toEqual([
      { type: "client.changed", data: { id: "nightly-export", fields: ["keys", "scopes"] } },
    ]);
    expect(await store.clients.listMachineScopes("nightly-export")).toEqual(["contracts:write"]);
  });

  test("a client of people stores it", async () => {
    const change = await apply(`
clients:
  - { id: acme-tool, name: Acme tool, type: public, redirectUris: ["http://127.0.0.1/done"], dpopBound: false }`);
    expect(change).toEqual([{ type: "client.created", data: { id: "acme-tool", type: "public" } }]);
    expect(await server.context.store.clients.find("acme-tool")).toMatchObject({
      dpopBound: false,
      keys: [],
    });
  });

  test("a client has a ceiling for as long as the file says so", async () => {
    const tool = (ceiling: string) => `
${scopes}
clients:
  - { id: limited-tool, name: Limited tool, type: public, redirectUris: []${ceiling} }`;
    await apply(tool(`, ceiling: ["contracts:write", "contracts:read", "contracts:read"]`));
    const { store } = server.context;
    const both = { limited: true, ceiling: ["contracts:read", "contracts:write"] };
    expect(await store.clients.find("limited-tool")).toMatchObject(both);
    expect(await apply(tool(`, ceiling: ["contracts:read", "contracts:write"]`))).toEqual([]);
    expect(await apply(tool(""))).toEqual([
      { type: "client.changed", data: { id: "limited-tool", fields: ["ceiling"] } },
    ]);
    expect(await store.clients.find("limited-tool")).toMatchObject({ limited: false, ceiling: [] });
  });

  test("an app that registered itself is not replaced", async () => {
    const { store } = server.context;
    await apply(`clients: [{ id: own-tool, name: Own tool, type: public, redirectUris: [] }]`);
    const found = await store.clients.find("own-tool");
    if (found === undefined) throw new Error("It was registered.");
    await store.clients.save({ ...found, source: "dynamic_registration" }, new Date());
    await expect(
      apply(`clients: [{ id: own-tool, name: Mine, type: public, redirectUris: [] }]`),
    ).rejects.toThrow(/There is already a client "own-tool"/);
  });

  test.each([
    {
      name: "the built-in client",
      content: `clients: [{ id: authz-cli, name: Mine, type: public, redirectUris: [] }]`,
      words: "part of every installation",
    },
    {
      name: "a machine as a client of people",
      content: `clients: [{ id: nightly-export, name: Mine, type: public, redirectUris: [] }]`,
      words: "already a machine client",
    },
    {
      name: "one id twice",
      content: `clients: [{ id: a, name: A, type: public, redirectUris: [] }, { id: a, name: B, type: public, redirectUris: [] }]`,
      words: '"a" appears twice',
    },
  ])("is refused for $name", async ({ content, words }) => {
    await expect(apply(content)).rejects.toThrow(words);
  });

  test("is refused with a scope that nobody has registered", async () => {
    await expect(apply(machine({ scopes: '"invoices:read"' }))).rejects.toThrow(
      'machineClients[0].scopes: "invoices:read" is not a known scope',
    );
  });
});
