import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyRegistry } from "../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../src/registry/apply/registry-file.js";
import { InstallFileError } from "../../src/set-up/installation.js";
import { readInstallFile } from "../../src/set-up/install-file.js";
import { install } from "../../src/set-up/store-installation.js";
import { createTestServer, type TestServer } from "../support/server.js";

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "authz-install-"));
  server = await createTestServer();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const options = { allowInsecureLoopback: false };

const complete = {
  installation: { name: "Acme" },
  administrator: { email: "Ada@acme.example" },
  provider: {
    name: "Acme accounts",
    issuer: "https://id.acme.example",
    clientId: "authz",
    clientSecret: "s3cret",
  },
};

async function read(content: unknown) {
  const path = join(folder, "install.yaml");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return await readInstallFile(path, options);
}

describe("an installation file", () => {
  test("needs little, and takes the secret from a file beside it", async () => {
    await writeFile(join(folder, "secret"), "from a file\n");
    const { clientSecret: _secret, ...provider } = complete.provider;
    const installation = await read({ ...complete, provider: { ...provider, clientSecretFile: "secret" } });
    expect(installation).toMatchObject({
      administratorEmail: "ada@acme.example",
      provider: {
        clientSecret: "from a file",
        scopes: ["openid", "profile", "email"],
        allowedEmailDomains: [],
      },
    });
  });

  const { provider } = complete;
  test.each([
    ["is no YAML", "a: [", "neither YAML nor JSON"],
    ["is empty", "", "administrator: "],
    ["has an unknown member", { ...complete, skill: 1 }, "skill"],
    ["has a member in the wrong place", { ...complete, provider: { ...provider, enabled: true } }, "enabled"],
    [
      "has no secret",
      { ...complete, provider: { ...provider, clientSecret: undefined } },
      "provider.clientSecret: is missing",
    ],
    [
      "has two secrets",
      { ...complete, provider: { ...provider, clientSecretFile: "secret" } },
      "provider.clientSecret: is given twice",
    ],
    [
      "has a secret file that is not there",
      { ...complete, provider: { ...provider, clientSecret: undefined, clientSecretFile: "gone" } },
      "ENOENT",
    ],
    [
      "has an issuer without TLS",
      { ...complete, provider: { ...provider, issuer: "http://id.acme.example" } },
      "provider.issuer: must be an https: URL",
    ],
    ["has no email address", { ...complete, administrator: { email: "ada" } }, "administrator.email: "],
  ])("that %s is refused, with its place", async (_name, content, problem) => {
    await expect(read(content)).rejects.toThrow(InstallFileError);
    await expect(read(content)).rejects.toThrow(problem);
  });

  test("of the documentation is complete, but for the secret's file", async () => {
    const page = await readFile(new URL("../../../docs/operate/set-up.md", import.meta.url), "utf8");
    const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    await writeFile(join(folder, "secret"), "s3cret");
    const here = example.replace("/run/secrets/oidc-client-secret", join(folder, "secret"));
    expect(await read(here)).toMatchObject({ provider: { allowedEmailDomains: ["acme.example"] } });
  });

  test("that is not there is refused", async () => {
    await expect(readInstallFile(join(folder, "gone.yaml"), options)).rejects.toThrow("ENOENT");
  });
});

describe("an installation without a browser", () => {
  test("is stored once, and the second time changes nothing", async () => {
    const { store, credentials } = server.context;
    const installation = await read(complete);
    const at = new Date(server.clock());
    expect(await store.installation.state()).toBe("empty");
    const results = await Promise.all([1, 2, 3].map(() => install(installation, { store, credentials, at })));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await store.installation.state()).toBe("installed");
    const provider = await store.identityProviders.findByKey("acme-accounts");
    expect(provider).toMatchObject({ issuer: "https://id.acme.example", buttonLabel: null, enabled: true });
    expect(
      await credentials.open(provider?.clientSecret ?? Buffer.of(), `identity_providers/${provider?.id}`),
    ).toBe("s3cret");
    const scopes = (await store.assignments.listByEmail("ada@acme.example")).map(({ scope }) => scope);
    expect(scopes).toEqual(["authz:administer", "authz:agents", "authz:login"]);
    const events = await server.database.query<{ type: string; actor_type: string }>(
      "SELECT type, actor_type FROM audit_events WHERE type <> 'defaults.created' ORDER BY id",
    );
    expect(new Set(events.map(({ actor_type: actor }) => actor))).toEqual(new Set(["operator"]));
    expect(events.map(({ type }) => type)).toEqual([
      "installation.changed",
      "provider.created",
      "provider.test_skipped",
      "assignment.created",
      "assignment.created",
      "assignment.created",
      "installation.completed",
    ]);
  });
});

describe("a registry file", () => {
  test("that brings a provider and an administrator closes the set-up, in this order or the other", async () => {
    const fresh = await createTestServer();
    try {
      const { store, credentials, connectorVault } = fresh.context;
      const apply = async (content: object) => {
        const file = parseRegistryFile(JSON.stringify(content), {
          ...options,
          issuer: "https://auth.acme.example",
        });
        const changes = await applyRegistry(file, {
          store,
          credentials,
          connectorVault,
          at: new Date(fresh.clock()),
        });
        return changes.map(({ type }) => type);
      };
      const provider = { ...complete.provider, key: "acme", scopes: ["openid"] };
      expect(await apply({ providers: [provider] })).not.toContain("installation.completed");
      expect(await store.installation.state()).toBe("incomplete");
      const assignments = [{ email: "ada@acme.example", scopes: ["authz:administer"] }];
      expect(await apply({ assignments })).toContain("installation.completed");
      expect(await store.installation.state()).toBe("installed");
      expect(await install(await read(complete), { store, credentials, at: new Date(fresh.clock()) })).toBe(
        false,
      );
    } finally {
      await fresh.close();
    }
  });
});
