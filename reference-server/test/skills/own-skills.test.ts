import { afterAll, beforeAll, expect, test } from "vitest";
import { listVisibleSkills } from "../../src/skills/visible-skills.js";
import { skillDocument } from "../../src/me/documents.js";
import { createTestServer, type TestServer } from "../support/server.js";
import { personRecord } from "../support/records.js";
import type { Skill } from "@authz/skills";

const skill = (id: string, change: Partial<Skill> = {}): Skill => ({
  id,
  title: `Title of ${id}`,
  requiredScopes: [],
  visibility: "DEFAULT",
  content: `# ${id}`,
  ...change,
});

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
  const { store } = server.context;
  const at = new Date(server.clock());
  await store.scopes.save({ key: "contracts:read", description: "Read", system: false }, at);
  const id = "5f0d3c1e-2b4a-4c6d-8e7f-112233445566";
  await store.resources.save(
    {
      id,
      key: "contracts",
      name: "Contracts",
      resource: "https://contracts.acme.example/api",
      authorizationServer: "https://contracts.acme.example",
      clientId: "authz-cli",
      requestPrefixes: ["https://contracts.acme.example/api"],
      supportedScopes: ["contracts:read"],
      enabled: true,
      skillDiscovery: true,
      allowsBearer: false,
    },
    at,
  );
  await store.skillCatalogs.saveSuccess({ resourceId: id, items: [skill("onboarding")], at, refreshAt: at });
  await store.ownSkills.save(skill("onboarding", { description: "First day", tags: ["start"] }), at);
  await store.ownSkills.save(skill("approve", { requiredScopes: ["contracts:write"] }), at);
  const hidden = { requiredScopes: ["contracts:write"], visibility: "HIDDEN_IF_UNALLOWED" } as const;
  await store.ownSkills.save(skill("board", hidden), at);
});
afterAll(() => server.close());

test("the skills of the installation and those of resources are one list, and no ids collide", async () => {
  const visible = await listVisibleSkills(server.context.store, personRecord(["contracts:read"]));
  expect(visible.map(({ id, allowed }) => ({ id, allowed }))).toEqual([
    { id: "installation.approve", allowed: false },
    { id: "installation.onboarding", allowed: true },
    { id: "contracts.onboarding", allowed: true },
  ]);
  expect(visible.slice(1, 2).map(skillDocument)).toEqual([
    {
      id: "installation.onboarding",
      title: "Title of onboarding",
      description: "First day",
      tags: ["start"],
      requiredScopes: [],
      allowed: true,
      resource: "installation",
      content: "# onboarding",
    },
  ]);
});

test("a hidden skill of the installation appears to those who hold all its scopes", async () => {
  const ids = async (scopes: readonly string[]) =>
    (await listVisibleSkills(server.context.store, personRecord(scopes))).map(({ id }) => id);
  expect(await ids(["contracts:write"])).toContain("installation.board");
  expect(await ids(["contracts:read"])).not.toContain("installation.board");
});

test("no resource can take the prefix of the installation's skills", async () => {
  const rename = "UPDATE resources SET key = 'installation'";
  await expect(server.database.query(rename)).rejects.toThrow("resources_key_not_reserved");
});

test("a skill is stored, replaced and removed", async () => {
  const { ownSkills } = server.context.store;
  const later = new Date(server.clock() + 1000);
  await ownSkills.save(skill("temporary"), later);
  await ownSkills.save(skill("temporary", { title: "Another title" }), later);
  expect(await ownSkills.find("temporary")).toEqual(skill("temporary", { title: "Another title" }));
  expect(await ownSkills.remove("temporary")).toBe(true);
  expect(await ownSkills.remove("temporary")).toBe(false);
});
