import { randomUUID } from "node:crypto";
import type { CatalogSkill as Skill } from "@authz/skills";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findVisibleSkill, listVisibleSkills } from "../../src/skills/visible-skills.js";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { personRecord } from "../support/records.js";
import { stampEvent } from "../support/stamp.js";

const at = new Date("2026-11-20T12:00:00Z");
const resourceId = randomUUID();
let database: TestDatabase;
let store: OpenStore;

const skill = (id: string, change: Partial<Skill> = {}): Skill => ({
  id,
  title: `Title of ${id}`,
  requiredScopes: [],
  visibility: "DEFAULT",
  content: `# ${id}`,
  ...change,
});
const full = skill("full", {
  description: "All of it",
  tags: ["a", "b"],
  requiredScopes: ["a:read", "b:read"],
});
const hidden = skill("hidden", { visibility: "HIDDEN_IF_UNALLOWED", tags: [], requiredScopes: ["a:read"] });

async function open(created: Promise<TestDatabase>): Promise<void> {
  database = await created;
  store = openStore({ postgresUrl: database.url, stampEvent });
}

const insertResource = `
  INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes, covers, enabled, skill_discovery)
  VALUES ('${resourceId}', 'contracts', 'Contracts', 'https://c.example/api', 'https://c.example', 'authz-cli', '{}', '{}', true, true)`;

const save = (items: readonly Skill[]) =>
  store.skillCatalogs.saveSuccess({ resourceId, items, at, refreshAt: at });
const load = async () => (await store.skillCatalogs.find(resourceId))?.items;

afterEach(async () => {
  await store.close();
  await database.drop();
});

describe("a catalog that is saved", () => {
  beforeEach(async () => {
    await open(createTestDatabase());
    await database.query(insertResource);
  });

  test("is read as it was, in its own order", async () => {
    await save([full, skill("a"), hidden]);
    expect(await load()).toEqual([full, skill("a"), hidden]);
  });

  test("replaces the one before: what is gone, what is new, what has another text or place", async () => {
    await save([full, skill("gone"), hidden]);
    const later = [hidden, skill("new"), { ...full, content: "# other" }];
    await save(later);
    expect(await load()).toEqual(later);
    await save([]);
    expect(await load()).toEqual([]);
  });

  test("leaves rows alone that did not change", async () => {
    await save([full, hidden]);
    const rows = () => database.query("SELECT id, xmin::text FROM catalog_skills ORDER BY id");
    const before = await rows();
    await save([full, hidden]);
    expect(await rows()).toEqual(before);
  });

  test("goes with its resource", async () => {
    await save([full]);
    await database.query("DELETE FROM resources");
    expect(await database.query("SELECT FROM catalog_skills")).toEqual([]);
  });
});

describe("texts", () => {
  beforeEach(async () => {
    await open(createTestDatabase());
    await database.query(insertResource);
    await save([full, hidden]);
    await store.ownSkills.save(skill("own"), at);
  });

  /** The database itself then refuses whatever reads a text. */
  async function forbidTexts(tables: readonly string[]): Promise<void> {
    for (const table of tables) {
      const columns = await database.query<{ name: string }>(
        `SELECT string_agg(quote_ident(column_name), ', ') AS name FROM information_schema.columns
         WHERE table_name = $1 AND column_name NOT IN ('content', 'items')`,
        [table],
      );
      await database.query(
        `REVOKE SELECT ON ${table} FROM authz_test_owner; GRANT SELECT (${columns[0]?.name}) ON ${table} TO authz_test_owner`,
      );
    }
  }

  test("are not read by any list", async () => {
    await forbidTexts(["catalog_skills", "skill_catalogs", "skills"]);
    const visible = await listVisibleSkills(store, personRecord(["authz:login"]), new Date());
    expect(visible.skills.map(({ id }) => id)).toEqual(["installation.own", "contracts.full"]);
    const all = { sort: "id", descending: false, limit: 10, q: undefined, after: undefined } as const;
    const own = await store.ownSkills.listPage(all);
    expect(own.items.map((item) => item.skill.id)).toEqual(["own"]);
    await expect(load()).rejects.toThrow("permission denied");
  });

  test("of other publishers are not read with one skill", async () => {
    await forbidTexts(["catalog_skills", "skill_catalogs"]);
    expect(await findVisibleSkill("installation.own", store, personRecord())).toMatchObject({
      skill: { content: "# own" },
    });
    await expect(findVisibleSkill("contracts.full", store, personRecord())).rejects.toThrow(
      "permission denied",
    );
  });
});
