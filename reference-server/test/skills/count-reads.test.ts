import { expect, test } from "vitest";
import { createSkillReadCounter } from "../../src/skills/count-reads.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { createTestClock } from "../support/server.js";
import { withStore } from "../support/store.js";

let database: TestDatabase;
let store: OpenStore;
const clock = createTestClock();
const warnings: unknown[] = [];
const log = { warn: (fields: unknown) => void warnings.push(fields) };

withStore("all", (opened) => {
  ({ database, store } = opened);
});

const stored = () => store.auditSearch.topSkills({ from: new Date("2026-11-20T00:00:00Z"), limit: 10 });

test("reads are added up in memory and in the database, those of all processes together", async () => {
  const [one, other] = [
    createSkillReadCounter({ store, clock, log }),
    createSkillReadCounter({ store, clock, log }),
  ];
  for (const id of ["contracts.list", "contracts.list", "installation.start"]) one.count(id);
  other.count("contracts.list");
  expect(await stored()).toEqual([]);
  await Promise.all([one.flush(), other.flush()]);
  await one.flush();
  expect(await stored()).toEqual([
    { skillId: "contracts.list", count: 3 },
    { skillId: "installation.start", count: 1 },
  ]);
});

test("a counter that stops stores what it has, and one that cannot keeps it for the next time", async () => {
  const counter = createSkillReadCounter({ store, clock, log });
  counter.count("installation.start");
  await database.refuseConnections();
  await expect(counter.flush()).rejects.toThrow("The database is away");
  await database.allowConnections();
  await counter.stop();
  expect((await stored()).find(({ skillId }) => skillId === "installation.start")?.count).toBe(2);
  expect(warnings).toEqual([]);
});
