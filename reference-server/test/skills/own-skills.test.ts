import { afterAll, beforeAll, expect, test } from "vitest";
import { findVisibleSkill, listVisibleSkills } from "../../src/skills/visible-skills.js";
import { skillDocument } from "../../src/person/skills.js";
import { createTestServer, type TestServer } from "../support/server.js";
import { personRecord, resourceRecord } from "../support/records.js";
import type { CatalogSkill as Skill } from "@authz/skills";

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
  await store.scopes.save({ key: "contracts:write", description: "Write", system: false }, at);
  const id = "5f0d3c1e-2b4a-4c6d-8e7f-112233445566";
  await store.resources.save(
    resourceRecord({ id, supportedScopes: ["contracts:read"], skillDiscovery: true }),
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
  const visible = await listVisibleSkills(server.context.store, personRecord(["contracts:read"]), new Date());
  expect(visible.skills.map(({ id, lacks }) => ({ id, lacks }))).toEqual([
    { id: "installation.approve", lacks: ["contracts:write"] },
    { id: "installation.onboarding", lacks: [] },
    { id: "contracts.onboarding", lacks: [] },
  ]);
});

const find = (id: string, scopes: readonly string[] = []) =>
  findVisibleSkill(id, server.context.store, personRecord(scopes));

test("one skill has its text, of every publisher", async () => {
  const found = await find("installation.onboarding");
  expect(found && skillDocument(found)).toEqual({
    id: "installation.onboarding",
    title: "Title of onboarding",
    description: "First day",
    tags: ["start"],
    requiredScopes: [],
    allowed: true,
    resource: "installation",
    content: "# onboarding",
  });
  expect(await find("contracts.onboarding")).toMatchObject({
    publisherName: "Contracts",
    skill: { content: "# onboarding" },
  });
});

test.each([
  "installation.board",
  "installation.unknown",
  "contracts.unknown",
  "unknown.onboarding",
  "onboarding",
  ".onboarding",
  "contracts.",
  "contracts.onboarding.",
  "contracts.\0",
  "",
])("there is no skill %j for somebody without permissions", async (id) => {
  expect(await find(id)).toBeUndefined();
});

test("one skill is not found where lists do not have it either", async () => {
  const { resources } = server.context.store;
  const contracts = await resources.findByKey("contracts");
  if (contracts === undefined) throw new Error("The resource is missing.");
  const at = new Date(server.clock());
  for (const change of [{ enabled: false }, { skillDiscovery: false }]) {
    await resources.save({ ...contracts, ...change }, at);
    expect(await find("contracts.onboarding")).toBeUndefined();
  }
  await resources.save(contracts, at);
  expect(await find("contracts.onboarding")).toBeDefined();
});

test("a hidden skill of the installation appears to those who hold all its scopes", async () => {
  const ids = async (scopes: readonly string[]) =>
    (await listVisibleSkills(server.context.store, personRecord(scopes), new Date())).skills.map(
      ({ id }) => id,
    );
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
