import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore, type OpenStore, type Store } from "../../src/store/store.js";
import type { Database } from "../../src/store/postgres/database.js";
import { createAssignmentStore, type GroupAssignment } from "../../src/store/assignments.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { explain } from "../support/explain.js";
import { stampEvent } from "../support/stamp.js";

const email = "ada@acme.example";
const at = new Date("2026-11-20T12:00:00Z");
const scopes = ["contracts:approve", "contracts:read", "contracts:write"];
const ids = { hr: randomUUID(), legal: randomUUID(), empty: randomUUID(), off: randomUUID() };

let database: TestDatabase;
let store: OpenStore;

/** Two directories with 3,000 rules, one without any, and one that is switched off. */
beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ stampEvent, postgresUrl: database.url });
  for (const key of scopes) await store.scopes.save({ key, description: key, system: false }, at);
  for (const [key, id] of Object.entries(ids)) {
    const url = "https://directory.acme.example";
    const named = { id, key, name: key.toUpperCase(), enabled: key !== "off" };
    await store.groupProviders.save({ ...named, type: "directory", url, secret: Buffer.of(1) }, at);
  }
  const rules = Array.from({ length: 3000 }, (_, index) => {
    const providerId = index % 3 === 0 ? ids.legal : ids.hr;
    const group = { providerId, key: `g${index}` };
    return { id: randomUUID(), group, scope: scopes[index % scopes.length] ?? "" };
  });
  for (let from = 0; from < rules.length; from += 1000)
    await store.assignments.insertAllMissing(rules.slice(from, from + 1000), at);
  const own = { id: randomUUID(), email, scope: "contracts:read" };
  const off = { id: randomUUID(), group: { providerId: ids.off, key: "g1" }, scope: "contracts:read" };
  await store.assignments.insertAllMissing([own, off], at);
  await database.query("ANALYZE assignments");
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const groupsOf = (found: readonly GroupAssignment[]) =>
  found.map(({ group, scope }) => `${group.provider.key} ${group.key} ${scope}`);

describe("the rules of a person, where directories have thousands,", () => {
  test("are those of the address, and the names of the directories to ask", async () => {
    const { rules, directories } = await store.assignments.listFor({ userId: randomUUID(), email });
    const own = { id: expect.any(String) as string, email, scope: "contracts:read", expiresAt: null };
    expect(rules).toEqual([own]);
    expect([...directories].sort()).toEqual([ids.hr, ids.legal].sort());
  });

  test("come with the groups that the directories named, of those that are enabled", async () => {
    const found = await store.assignments.listOfGroups([
      { providerId: ids.hr, keys: ["g1", "g2", "g3", "nobody"] },
      { providerId: ids.legal, keys: ["g1", "g3"] },
      { providerId: ids.off, keys: ["g1"] },
    ]);
    expect(groupsOf(found).sort()).toEqual([
      "hr g1 contracts:read",
      "hr g2 contracts:write",
      "legal g3 contracts:approve",
    ]);
  });

  test("are a few for each scope, of a directory that does not answer", async () => {
    const found = await store.assignments.sampleByScope([ids.hr, ids.off], 2);
    expect(groupsOf(found)).toEqual([
      "hr g1 contracts:read",
      "hr g10 contracts:read",
      "hr g1001 contracts:write",
      "hr g1004 contracts:write",
    ]);
  });

  test.each<{ name: string; work: (assignments: Store["assignments"]) => Promise<unknown> }>([
    { name: "to begin with", work: (rules) => rules.listFor({ userId: randomUUID(), email }) },
    {
      name: "for the groups that were named",
      work: (rules) => rules.listOfGroups([{ providerId: ids.hr, keys: ["g1", "g2"] }]),
    },
    { name: "without an answer", work: (rules) => rules.sampleByScope([ids.hr], 5) },
  ])("are found in an index: $name", async ({ work }) => {
    const steps = await explain(database.url, await statementOf(work), "generic");
    const ofRules = steps.filter(({ table }) => table === "assignments");
    expect(ofRules.map(({ index }) => index)).not.toContain(undefined);
    expect(ofRules).not.toEqual([]);
  });
});

/** The prepared statement that a method of the store sends. */
async function statementOf(
  work: (assignments: Store["assignments"]) => Promise<unknown>,
): Promise<{ text: string; values: readonly string[] }> {
  let sent = { text: "", values: [] as readonly unknown[] };
  const connection = {
    query: async (statement: typeof sent) => {
      sent = statement;
      return { rows: [] };
    },
  };
  const client = { acquireConnection: async () => connection, releaseConnection: async () => undefined };
  await work(createAssignmentStore({ client } as unknown as Database));
  const texts = sent.values.map((value) => (Array.isArray(value) ? `{${value.join(",")}}` : String(value)));
  return { text: sent.text, values: texts };
}
