import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyRegistry } from "../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../src/registry/apply/registry-file.js";
import { createExplainCommand } from "../../src/commands/explain.js";
import { ExplainError } from "../../src/permissions/explain.js";
import { pauseSeconds } from "../../src/permissions/groups/directories.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../support/directory.js";
import { runCommand } from "../support/run-command.js";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
let directory: TestDirectory;
beforeAll(async () => {
  server = await createTestServer();
  directory = await startTestDirectory();
  const registry = parseRegistryFile(
    `
    groupProviders:
      - { key: hr, name: HR, type: directory, url: "${directory.url}", secret: ${directorySecret} }
    scopes:
      - { key: "contracts:read", description: Read }
      - { key: "contracts:write", description: Write }
      - { key: "contracts:sign", description: Sign }
      - { key: "invoices:read", description: Invoices }
    resources:
      - key: contracts
        name: Contracts
        resource: https://contracts.acme.example/api
        authorizationServer: https://contracts.acme.example
        clientId: authz-cli
        requestPrefixes: [https://contracts.acme.example/api]
        scopes: ["contracts:read", "contracts:write", "contracts:sign"]
    assignments:
      - { email: ada@acme.example, scopes: ["authz:login", "contracts:read"] }
      - { group: { provider: hr, key: staff }, scopes: ["contracts:read"] }
      - { group: { provider: hr, key: managers }, scopes: ["contracts:write"] }
    `,
    { allowInsecureLoopback: true, issuer: "https://auth.acme.example" },
  );
  const { store, credentials, connectorVault } = server.context;
  await applyRegistry(registry, { store, credentials, connectorVault, at: new Date(server.clock()) });
  directory.groups.set("ada@acme.example", ["staff"]);
  directory.groups.set("bruno@acme.example", ["managers"]);
});
afterAll(async () => {
  await directory.close();
  await server.close();
});

/** Runs `authz-server explain …` and returns what it prints. */
async function explain(...args: string[]): Promise<string> {
  return (await runCommand(createExplainCommand, server.context, ...args)).text;
}

describe("authz-server explain", () => {
  test("says in words which assignment grants a scope, and what would grant a missing one", async () => {
    const scopes = ["contracts:read", "contracts:write", "contracts:sign", "invoices:read"];
    const text = await explain(
      "--email",
      "Ada@Acme.example",
      "--resource",
      "contracts",
      "--scope",
      ...scopes,
    );
    expect(text).toBe(
      [
        "ada@acme.example at Contracts (contracts)",
        "  has never signed in with this address, so no sign-in provider has named any groups",
        "contracts:read: granted",
        "  by the assignment to ada@acme.example",
        "  by the assignment to the group staff of HR (hr)",
        "contracts:write: missing",
        "  no assignment grants it",
        "  would be granted by an assignment to ada@acme.example",
        "  would be granted by membership in the group managers of HR (hr)",
        "contracts:sign: missing",
        "  no assignment grants it",
        "  would be granted by an assignment to ada@acme.example",
        "invoices:read: missing",
        "  the resource does not support this scope",
        "",
      ].join("\n"),
    );
  });

  test("mentions the permission without which nothing is issued", async () => {
    const text = await explain(
      "--email",
      "bruno@acme.example",
      "--resource",
      "contracts",
      "--scope",
      "contracts:write",
    );
    expect(text).toContain(
      "contracts:write: granted\n  by the assignment to the group managers of HR (hr)\n",
    );
    expect(text).toContain("authz:login: missing\n");
    const login = await explain("--email", "bruno@acme.example", "--scope", "authz:login");
    expect(login).toContain("bruno@acme.example at this server\n");
    expect(login.match(/authz:login: missing/g)).toHaveLength(1);
  });

  test("answers the same as JSON", async () => {
    const scope = ["--resource", "contracts", "--scope", "contracts:write", "--json"];
    expect(JSON.parse(await explain("--email", "ada@acme.example", ...scope))).toMatchObject({
      person: { email: "ada@acme.example", name: null, id: null, enabled: true },
      resource: { key: "contracts", name: "Contracts" },
      allowed: false,
      granted: [],
      missing: [
        {
          scope: "contracts:write",
          reason: "not_assigned",
          wouldBeGrantedBy: { type: "email", email: "ada@acme.example", scope: "contracts:write" },
          groups: [{ key: "managers", provider: { key: "hr", name: "HR" } }],
        },
      ],
      login: { allowed: true },
    });
  });

  test("says when a directory cannot answer", async () => {
    directory.answer = (response) => void response.writeHead(503).end();
    server.clock.advance(60);
    const text = await explain(
      "--email",
      "bruno@acme.example",
      "--resource",
      "contracts",
      "--scope",
      "contracts:write",
    );
    directory.answer = undefined;
    server.clock.advance(pauseSeconds);
    expect(text).toContain(
      "contracts:write: unknown\n  the group managers of HR (hr) would grant it, but the directory cannot say who is in it now\n",
    );
  });

  test.each([
    {
      name: "an unknown resource",
      args: ["--resource", "nothing", "--scope", "contracts:read"],
      problem: 'no service with the key "nothing"',
    },
    { name: "an unknown scope", args: ["--scope", "contracts:raed"], problem: "no scope contracts:raed" },
  ])("refuses $name instead of calling it missing", async ({ args, problem }) => {
    const asking = explain("--email", "ada@acme.example", ...args);
    await expect(asking).rejects.toThrow(ExplainError);
    await expect(asking).rejects.toThrow(problem);
  });
});
