import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyRegistry } from "../../../src/registry/apply/apply-registry.js";
import { RegistryError } from "../../../src/registry/apply/registry-error.js";
import { parseRegistryFile } from "../../../src/registry/apply/registry-file.js";
import { createCredentialVault } from "../../../src/encryption-keys/open-vaults.js";
import { groupProviderSecretRow } from "../../../src/platform/vault/rows.js";
import type { Store } from "../../../src/store/store.js";
import { createTestServer, type TestServer } from "../../support/server.js";

const registry = `
providers:
  - { key: acme, name: Acme, issuer: http://127.0.0.1:3010, clientId: authz, clientSecret: s3cret, scopes: [openid] }
groupProviders:
  - { key: acme-groups, name: Acme groups, type: claim, provider: acme }
  - { key: hr, name: HR, type: directory, url: http://127.0.0.1:3020/authz, secret: very-secret }
scopes:
  - { key: "contracts:read", description: Read }
  - { key: "contracts:write", description: Write }
skills:
  - { id: first-day, title: First day, requiredScopes: ["contracts:read"], visibility: DEFAULT, content: "# Hello" }
assignments:
  - { group: { provider: acme-groups, key: Sales Süd }, scopes: ["contracts:read"] }
  - { group: { provider: hr, key: managers }, scopes: ["contracts:read", "contracts:write"] }
`;

let server: TestServer;
let store: Store;
beforeAll(async () => {
  server = await createTestServer();
  store = server.context.store;
});
beforeEach(() => server.clock.advance(60));
afterAll(() => server.close());

const parse = (content: string) =>
  parseRegistryFile(content, { allowInsecureLoopback: true, issuer: "https://auth.acme.example" });
const apply = (content: string, credentials = server.context.credentials) =>
  applyRegistry(parse(content), {
    store,
    credentials,
    connectorVault: server.context.connectorVault,
    at: new Date(server.clock()),
  });

describe.sequential("a registry file with groups and skills", () => {
  test("creates what it lists, and says so in the audit trail", async () => {
    const changes = await apply(registry);
    expect(changes.slice(2)).toEqual([
      { type: "group_provider.created", data: { key: "acme-groups", source: "claim" } },
      { type: "group_provider.created", data: { key: "hr", source: "directory" } },
      { type: "scope.created", data: { key: "contracts:read" } },
      { type: "scope.created", data: { key: "contracts:write" } },
      { type: "skill.created", data: { id: "first-day" } },
      {
        type: "assignment.created",
        data: { group: { provider: "acme-groups", key: "Sales Süd" }, scope: "contracts:read" },
      },
      {
        type: "assignment.created",
        data: { group: { provider: "hr", key: "managers" }, scope: "contracts:read" },
      },
      {
        type: "assignment.created",
        data: { group: { provider: "hr", key: "managers" }, scope: "contracts:write" },
      },
    ]);
    expect(await apply(registry)).toEqual([]);
  });

  test("keeps the secret of a directory encrypted, bound to its row", async () => {
    const hr = await store.groupProviders.findByKey("hr");
    if (hr?.type !== "directory") throw new Error("the directory is missing");
    expect(await server.context.credentials.open(hr.secret, groupProviderSecretRow(hr.id))).toBe(
      "very-secret",
    );
    const everywhere = "SELECT 1 FROM audit_events WHERE data::text LIKE '%very-secret%'";
    expect(await server.database.query(everywhere)).toEqual([]);
  });

  test("changes only what differs", async () => {
    const changed = registry
      .replace("secret: very-secret", "secret: another")
      .replace("name: Acme groups", "name: Groups of Acme")
      .replace("title: First day", "tags: [start], title: Your first day")
      .replace('["contracts:read", "contracts:write"]', '["contracts:write"]');
    expect(await apply(changed)).toEqual([
      { type: "group_provider.changed", data: { key: "acme-groups", fields: ["name"] } },
      { type: "group_provider.changed", data: { key: "hr", fields: ["secret"] } },
      { type: "skill.changed", data: { id: "first-day", fields: ["title", "tags"] } },
      {
        type: "assignment.removed",
        data: { group: { provider: "hr", key: "managers" }, scope: "contracts:read" },
      },
    ]);
    expect((await apply(registry)).map(({ type }) => type)).toContain("skill.changed");
    expect((await store.ownSkills.find("first-day"))?.tags).toBeUndefined();
  });

  test("repairs the secret of a directory that was stored with another encryption key", async () => {
    await apply(registry, createCredentialVault(Buffer.alloc(32, 99)));
    expect(await apply(registry)).toContainEqual({
      type: "group_provider.changed",
      data: { key: "hr", fields: ["secret"] },
    });
  });

  test("can turn a provider into one without a secret, and back", async () => {
    const bare = registry.replace("clientSecret: s3cret", "tokenEndpointAuthMethod: none");
    expect(await apply(bare)).toEqual([
      {
        type: "provider.changed",
        data: { key: "acme", fields: ["tokenEndpointAuthMethod", "clientSecret"] },
      },
      { type: "provider.test_skipped", data: { key: "acme" } },
    ]);
    expect(await store.identityProviders.findByKey("acme")).toMatchObject({
      clientSecret: null,
      tokenEndpointAuthMethod: "none",
    });
    await apply(registry);
  });

  test.each([
    {
      name: "a group provider that does not exist",
      content: "assignments: [{ group: { provider: nobody, key: x }, scopes: [] }]",
      problem: '"nobody" is not the key of a group provider',
    },
    {
      name: "a provider that does not exist",
      content: "groupProviders: [{ key: x, name: X, type: claim, provider: nobody }]",
      problem: '"nobody" is not the key of a sign-in provider',
    },
    {
      name: "a provider whose groups another one takes",
      content: "groupProviders: [{ key: second, name: X, type: claim, provider: acme }]",
      problem: 'already belong to "acme-groups"',
    },
    {
      name: "a group provider of another type",
      content: "groupProviders: [{ key: hr, name: X, type: claim, provider: acme }]",
      problem: 'is of type "directory"',
    },
    {
      name: "a scope that a skill needs and nobody knows",
      content: 'skills: [{ id: x, title: X, requiredScopes: ["no:such"], visibility: DEFAULT, content: x }]',
      problem: 'skills[0].requiredScopes: "no:such" is not a known scope',
    },
  ])("is refused when it refers to $name", async ({ content, problem }) => {
    await expect(apply(content)).rejects.toThrow(RegistryError);
    await expect(apply(content)).rejects.toThrow(problem);
  });

  test("is refused when a skill of the installation has files, which only services publish", () => {
    const skill = { id: "x", title: "X", requiredScopes: [], visibility: "DEFAULT", content: "x" };
    const files = [{ path: "a.md", content: "b" }];
    expect(() => parse(JSON.stringify({ skills: [{ ...skill, files }] }))).toThrow(
      "skills[0].files: is for services only; a skill of the installation has no files",
    );
  });

  test("is refused when the installation would have more than 500 skills", async () => {
    const skills = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        id: `skill-${from + index}`,
        title: "x",
        requiredScopes: [],
        visibility: "DEFAULT",
        content: "x",
      }));
    for (const from of [0, 100, 200, 300]) await apply(JSON.stringify({ skills: skills(from) }));
    await expect(apply(JSON.stringify({ skills: skills(400) }))).rejects.toThrow(
      "The installation already has 500 skills",
    );
    expect(await store.ownSkills.count()).toBe(401);
  });
});

describe("a malformed file is refused with the place:", () => {
  test.each([
    {
      name: "an assignment to nobody",
      content: "assignments: [{ scopes: [] }]",
      problem: "assignments[0]: must name either an email or a group",
    },
    {
      name: "an assignment to a person and a group",
      content: "assignments: [{ email: a@b.example, group: { provider: hr, key: x }, scopes: [] }]",
      problem: "assignments[0]: must name either an email or a group",
    },
    {
      name: "a group twice",
      content:
        "assignments: [{ group: { provider: hr, key: x }, scopes: [] }, { group: { provider: hr, key: x }, scopes: [] }]",
      problem: "assignments[1].group",
    },
    {
      name: "a group without a name",
      content: 'assignments: [{ group: { provider: hr, key: "" }, scopes: [] }]',
      problem: "assignments[0].group.key",
    },
    {
      name: "a directory without a secret",
      content: registry.replace(", secret: very-secret", ""),
      problem: "groupProviders[1].secret",
    },
    {
      name: "a directory that reads the claim",
      content: registry.replace("secret: very-secret", "secret: x, provider: acme"),
      problem: "groupProviders[1].provider: is not known here",
    },
    {
      name: "an unknown type",
      content: registry.replace("type: claim", "type: ldap"),
      problem: "groupProviders[0].type",
    },
    {
      name: "a client without a secret",
      content: registry.replace(", clientSecret: s3cret", ""),
      problem: "providers[0].clientSecret: is missing",
    },
    {
      name: "a secret that is not used",
      content: registry.replace(
        "clientSecret: s3cret",
        "clientSecret: s3cret, tokenEndpointAuthMethod: none",
      ),
      problem: "providers[0].clientSecret: must be left out",
    },
    {
      name: "a metadata address that is none",
      content: registry.replace("clientId: authz", "clientId: authz, discoveryUrl: http://127.0.0.1:3010"),
      problem: "providers[0].discoveryUrl",
    },
    {
      name: "the reserved key",
      content: `resources: [{ key: installation, name: X, resource: https://x.example/api,
        authorizationServer: https://x.example, clientId: x, requestPrefixes: [https://x.example/api], scopes: [] }]`,
      problem: 'resources[0].key: "installation" is reserved',
    },
    {
      name: "a skill without a title",
      content: registry.replace("title: First day, ", ""),
      problem: "skills[0].title: ",
    },
    {
      name: "a skill with a bad id",
      content: registry.replace("id: first-day", "id: First day"),
      problem: "skills[0].id: ",
    },
  ])("$name", ({ content, problem }) => {
    expect(() => parse(content)).toThrow(RegistryError);
    expect(() => parse(content)).toThrow(problem);
  });
});
