import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyArchive } from "../../src/audit/archive/read-archive.js";
import { removeArchived } from "../../src/audit/archive/remove-archived.js";
import { writeArchive } from "../../src/audit/archive/write-archive.js";
import { indexEvents } from "../../src/audit/index-events.js";
import { recordAudit } from "../../src/audit/record.js";
import { createSealer } from "../../src/audit/sealer.js";
import { judgeArchives } from "../../src/audit/verdict.js";
import { verifyAuditChain } from "../../src/audit/verify-chain.js";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { eventKey, stampEvent, testSecret } from "../support/stamp.js";

const sealKey = testSecret;
const firstDay = Date.parse("2026-11-01T12:00:00Z");
const day = 24 * 3600 * 1000;
const silent = { info: () => undefined, warn: () => undefined };
let database: TestDatabase;
let store: OpenStore;
let folder: string;
let now: number;

let original: TestDatabase;
beforeAll(async () => {
  original = await createTestDatabase();
  store = openStore({ postgresUrl: original.url, stampEvent });
  await createTrail();
  await store.close();
});
afterAll(() => original.drop());

beforeEach(async () => {
  database = await original.copy();
  store = openStore({ postgresUrl: database.url, stampEvent });
  folder = await mkdtemp(join(tmpdir(), "authz-archive-"));
  now = firstDay + 9 * day;
});
afterEach(async () => {
  await store.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

const sealer = () =>
  createSealer({ store, openSealKey: async () => sealKey, eventKey, clock: () => now, log: silent });

async function record(key: string): Promise<void> {
  const at = new Date(now);
  await recordAudit(store, {
    type: "scope.created",
    outcome: "success",
    actor: { type: "operator" },
    at,
    data: { key },
  });
}

/** Ten days with a seal over two events each. */
async function createTrail(): Promise<void> {
  const own = sealer();
  for (let index = 0; index < 10; index += 1) {
    now = firstDay + index * day;
    await record(`a:${index}`);
    await record(`b:${index}`);
    await own.run();
  }
  await indexEvents(store);
}

async function archive(name: string, days: number): Promise<string> {
  const file = join(folder, name);
  await writeArchive({ file, before: new Date(firstDay + days * day - 1), sealKey }, store);
  return file;
}

const remove = (file: string) => removeArchived(file, { store, sealKey, clock: () => now });
const verify = (digest?: string) =>
  verifyAuditChain(store, { sealKey, ...(digest !== undefined && { digest }) });
const count = async (table: string) =>
  (await database.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table}`))[0]?.count;

/** What somebody does who owns the database and removes its protection first. */
async function tamper(statement: string): Promise<void> {
  await database.query(`SET session_replication_role = replica; ${statement}`);
}

test("archived events are removed, and the rest of the chain is intact, also when it grows", async () => {
  const file = await archive("one.ndjson", 4);
  const { last } = await verifyArchive(file, { sealKey });

  expect(await remove(file)).toEqual({ events: 8, seals: 4 });

  expect(await count("audit_seals")).toBe(6);
  expect(await count("audit_events WHERE id <= 8")).toBe(0);
  expect(await count("audit_search WHERE event_id <= 8")).toBe(0);
  await record("later");
  await sealer().run();
  const archived = { id: 4, digest: last.digest.toString("hex") };
  expect(await verify(archived.digest)).toMatchObject({
    faults: [],
    seals: 7,
    sealedEvents: 14,
    archive: archived,
    containsDigest: true,
  });
});

test("removing is an event, which names the archive", async () => {
  const file = await archive("one.ndjson", 4);
  const { sha256, last } = await verifyArchive(file, { sealKey });
  await remove(file);
  const events = await store.auditEvents.read({ afterId: "0", limit: 100 });
  const digest = last.digest.toString("hex");
  expect(events.at(-1)).toMatchObject({
    type: "audit.removed",
    actorType: "operator",
    data: { events: 8, seals: 4, throughEvent: "8", throughSeal: 4, digest, archive: sha256 },
  });
});

test("the events of an archive are the lines of an export, byte for byte", async () => {
  const lines = (await readFile(await archive("one.ndjson", 2), "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object).includes("mac"))).toEqual([
    false,
    false,
    true,
    false,
    false,
    true,
  ]);
});

test("archives follow each other, to the last seal and beyond", async () => {
  await remove(await archive("one.ndjson", 3));
  now += 30 * day;
  await sealer().run();
  await indexEvents(store);
  now += 3 * day;
  const two = await archive("two.ndjson", 60);
  await remove(two);
  const files = [join(folder, "one.ndjson"), two];
  const { text, exitCode } = await judgeArchives(files, { sealKey });
  expect(exitCode).toBe(0);
  expect(text).toContain("The chain of archives is intact.");
  expect((await judgeArchives(files.toReversed(), { sealKey })).exitCode).toBe(2);

  await record("after everything was archived");
  await sealer().run();
  expect(await verify()).toMatchObject({ faults: [], seals: 1, archive: { id: 11 } });
});

test("an interrupted removal continues where it stopped", async () => {
  await remove(await archive("one.ndjson", 2));
  now = firstDay + 9 * day;
  const all = join(folder, "all.ndjson");
  const first = await readFile(join(folder, "one.ndjson"), "utf8");
  const rest = await readFile(await archive("rest.ndjson", 5), "utf8");
  await writeFile(all, first + rest);
  expect(await remove(all)).toEqual({ events: 6, seals: 3 });
  await expect(remove(all)).rejects.toThrow("was removed already");
  expect((await verify()).faults).toEqual([]);
});

describe("an archive is not intact with", () => {
  const edits: readonly { name: string; edit: (lines: string[]) => string[]; found: string }[] = [
    {
      name: "an edited event",
      edit: ([one = "", ...rest]) => [one.replace("a:0", "x:0"), ...rest],
      found: "events_changed",
    },
    { name: "a missing event", edit: ([, ...rest]) => rest, found: "events_missing" },
    { name: "one event more", edit: ([one = "", ...rest]) => [one, one, ...rest], found: "events_added" },
    {
      name: "a missing part",
      edit: (lines) => lines.filter((_, index) => index < 3 || index > 5),
      found: "seal_missing",
    },
    {
      name: "an edited seal",
      edit: (lines) => lines.map((line) => line.replace('"unproven":[]', '"unproven":["1"]')),
      found: "seal_changed",
    },
    {
      name: "a seal by another key",
      edit: (lines) => lines.map((line) => line.replace(/"mac":"../, '"mac":"00')),
      found: "seal_forged",
    },
  ];
  test.each(edits)("$name, and nothing is removed", async ({ edit, found }) => {
    const file = await archive("one.ndjson", 4);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    await writeFile(file, `${edit(lines).join("\n")}\n`);
    const { faults } = await verifyArchive(file, { sealKey });
    expect(faults.map(({ kind }) => kind)).toContain(found);
    await expect(remove(file)).rejects.toThrow("is not intact");
    expect(await count("audit_events")).toBe(20);
  });

  test("an end that was cut off in the middle of a seal", async () => {
    const file = await archive("one.ndjson", 4);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    await writeFile(file, `${lines.slice(0, -1).join("\n")}\n`);
    await expect(verifyArchive(file, { sealKey })).rejects.toThrow("it does not end with a seal");
  });

  test.each(["", "no JSON\n", '{"eventsDigest":1}\n', "null\n"])(
    "what is no archive: %j",
    async (content) => {
      const file = join(folder, "none.ndjson");
      await writeFile(file, content);
      await expect(verifyArchive(file, { sealKey })).rejects.toThrow(file);
    },
  );
});

describe("nothing is removed", () => {
  test.each([
    {
      name: "that the database has otherwise",
      change: "UPDATE audit_events SET subject = 'x' WHERE id = 3",
      message: "differ between the seals 1 and 4",
    },
    {
      name: "when somebody put an event between",
      change: `INSERT INTO audit_events (id, at, type, version, outcome, actor_type, data)
        OVERRIDING SYSTEM VALUE SELECT -5, at, type, version, outcome, actor_type, data FROM audit_events WHERE id = 1`,
      message: "differ between the seals 1 and 4",
    },
    {
      name: "when a seal was made anew",
      change: "UPDATE audit_seals SET digest = sha256('x') WHERE id = 2",
      message: "differ between the seals 1 and 4",
    },
  ])("$name", async ({ change, message }) => {
    const file = await archive("one.ndjson", 4);
    await tamper(change);
    const before = await count("audit_events");
    await expect(remove(file)).rejects.toThrow(message);
    expect(await count("audit_events")).toBe(before);
    expect(await store.auditArchive.find()).toBeUndefined();
  });

  test("of the last two days", async () => {
    await expect(remove(await archive("one.ndjson", 10))).rejects.toThrow("Those stay");
  });

  test("before older events were", async () => {
    const lines = (await readFile(await archive("one.ndjson", 4), "utf8")).split("\n");
    const later = join(folder, "later.ndjson");
    await writeFile(later, lines.slice(3).join("\n"));
    await expect(remove(later)).rejects.toThrow("begins after seal 1");
  });

  test("by SQL that goes past the archive", async () => {
    await remove(await archive("one.ndjson", 4));
    await expect(database.query("DELETE FROM audit_events WHERE id = 9")).rejects.toThrow("append-only");
    await expect(database.query("DELETE FROM audit_seals WHERE id = 5")).rejects.toThrow("append-only");
    await expect(database.query("TRUNCATE audit_events")).rejects.toThrow("append-only");
  });
});

test("a trail that was tampered with is not archived, and no file is left", async () => {
  await tamper("UPDATE audit_events SET subject = 'x' WHERE id = 3");
  await expect(archive("one.ndjson", 4)).rejects.toThrow("Seal 2: events were edited.");
  await expect(readFile(join(folder, "one.ndjson"))).rejects.toThrow("ENOENT");
});

test("a file that is there is not written over", async () => {
  const file = await archive("one.ndjson", 2);
  const content = await readFile(file, "utf8");
  await expect(archive("one.ndjson", 3)).rejects.toThrow("it exists already");
  expect(await readFile(file, "utf8")).toBe(content);
});

test("a beginning that was cut off does not pass for archived", async () => {
  await tamper(`
    INSERT INTO audit_archive (seal_id, last_event_id, digest, mac)
      SELECT id, last_event_id, digest, mac FROM audit_seals WHERE id = 5;
    DELETE FROM audit_events WHERE id <= 10; DELETE FROM audit_seals WHERE id <= 5`);
  expect((await verify()).faults.map(({ kind }) => kind)).toEqual(["archive_forged"]);
});
