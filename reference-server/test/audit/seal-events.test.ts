import { createHash, randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { exportEvents, exportSeals } from "../../src/audit/export-events.js";
import { recordAudit, toAuditRow } from "../../src/audit/record.js";
import { createSealer, type Sealer } from "../../src/audit/sealer.js";
import { verifyAuditChain } from "../../src/audit/verify-chain.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { eventKey, stampEvent } from "../support/stamp.js";
import { withStore } from "../support/store.js";

const at = new Date("2026-11-20T12:00:00Z");
const sealKey = Buffer.alloc(32, 3);
let database: TestDatabase;
let store: OpenStore;
let now = at.getTime();
const log: Record<string, unknown>[] = [];
const writers: Client[] = [];

withStore("all", (opened) => {
  ({ database, store } = opened);
});
afterEach(async () => {
  await Promise.all(writers.splice(0).map((client) => client.end()));
});

function newSealer(): Sealer {
  const write = (fields: Record<string, unknown>) => void log.push(fields);
  return createSealer({
    store,
    openSealKey: async () => sealKey,
    eventKey,
    clock: () => now,
    log: { info: write, warn: write },
  });
}

const event = { type: "scope.created", outcome: "success", actor: { type: "operator" }, at } as const;

async function record(key: string): Promise<void> {
  await recordAudit(store, { ...event, data: { key } });
}

/** A transaction of somebody else that has stored an event and has not ended. */
async function openWriter(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  writers.push(client);
  await client.query("BEGIN");
  await client.query(
    `INSERT INTO audit_events (at, type, version, outcome, actor_type, data, mac)
     VALUES ($1, 'scope.created', 1, 'success', 'operator', '{"key":"late"}', $2)`,
    [at, stampEvent(toAuditRow({ ...event, data: { key: "late" } }))],
  );
  return client;
}

async function sealed(): Promise<string[]> {
  const last = await store.auditSeals.last();
  const events = await store.auditEvents.read({
    afterId: "0",
    throughId: last?.lastEventId ?? "0",
    limit: 1000,
  });
  return events.map(({ data }) => String(data["key"]));
}

test("a round seals what was stored before it", async () => {
  await record("first");
  await record("second");
  await newSealer().run();
  expect(await sealed()).toEqual(["first", "second"]);
  expect(await store.auditSeals.last()).toMatchObject({ id: 1, firstEventId: "1", eventCount: 2 });
});

test("a round without news adds nothing", async () => {
  const sealer = newSealer();
  await sealer.run();
  await sealer.run();
  expect(await store.auditSeals.list({ afterId: 0, limit: 10 })).toHaveLength(1);
});

test("an event that is committed late is waited for, and sealed in its place", async () => {
  const sealer = newSealer();
  const writer = await openWriter();
  await record("after the late one");

  await sealer.run();
  expect(await sealed()).toEqual(["first", "second"]);
  await writer.query("COMMIT");
  await sealer.run();

  expect(await sealed()).toEqual(["first", "second", "late", "after the late one"]);
});

test("what is rolled back leaves a gap that no seal minds", async () => {
  const sealer = newSealer();
  const writer = await openWriter();
  await record("after the gap");
  await sealer.run();
  await writer.query("ROLLBACK");
  await sealer.run();

  expect((await sealed()).at(-1)).toBe("after the gap");
  const seals = await store.auditSeals.list({ afterId: 0, limit: 10 });
  expect(seals.slice(1).map(({ firstEventId }) => BigInt(firstEventId) - 1n)).toEqual(
    seals.slice(0, -1).map(({ lastEventId }) => BigInt(lastEventId)),
  );
});

test("a writer that began after the fence is not waited for", async () => {
  const sealer = newSealer();
  const first = await openWriter();
  await sealer.run();
  await openWriter();
  await first.query("COMMIT");
  await sealer.run();
  expect((await sealed()).at(-1)).toBe("late");
});

test("a writer that does not end is named in the log, once", async () => {
  const sealer = newSealer();
  await openWriter();
  await sealer.run();
  now += 301_000;
  log.length = 0;
  await sealer.run();
  await sealer.run();
  expect(log).toEqual([{ code: "AUDIT_SEAL_DELAYED", transactions: [expect.stringMatching(/^\d+\/\d+$/)] }]);
});

test("several processes make one chain, however their rounds fall together", async () => {
  const sealers = Array.from({ length: 4 }, newSealer);
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([...sealers.map((sealer) => sealer.run()), record(`round ${round}`)]);
  }
  await Promise.all(sealers.map((sealer) => sealer.run()));
  await Promise.all(sealers.map((sealer) => sealer.run()));

  const seals = await store.auditSeals.list({ afterId: 0, limit: 100 });
  expect(seals.map(({ id }) => id)).toEqual(seals.map((_, index) => index + 1));
  expect(seals.slice(1).map(({ previousDigest }) => previousDigest)).toEqual(
    seals.slice(0, -1).map(({ digest }) => digest),
  );
  expect((await sealed()).at(-1)).toBe("round 9");
});

test("transactions that overlap, commit late or roll back leave a chain without a fault", async () => {
  const sealers = [newSealer(), newSealer()];
  const written = new AbortController();
  const sealing = sealers.map(async (sealer) => {
    while (!written.signal.aborted) await sealer.run();
  });
  const write = async (writer: number) => {
    for (let round = 0; round < 25; round += 1) {
      await store
        .transaction(async (transaction) => {
          await recordAudit(transaction, { ...event, data: { key: `${writer}.${round}` } });
          // Others take ids and commit meanwhile.
          for (let wait = 0; wait < (writer + round) % 5; wait += 1)
            await transaction.users.find(randomUUID());
          if ((writer * 7 + round) % 4 === 0) throw new Error("rolled back");
        })
        .catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: 5 }, (_, writer) => write(writer)));
  written.abort();
  await Promise.all(sealing);
  const last = newSealer();
  await last.run();

  const [stored] = await database.query<{ count: number }>("SELECT count(*)::integer FROM audit_events");
  const report = await verifyAuditChain(store, { sealKey });
  expect(report).toMatchObject({ faults: [], unsealedEvents: 0, sealedEvents: stored?.count });
});

test("the head goes to the log at most once a minute", async () => {
  const sealer = newSealer();
  log.length = 0;
  for (const key of ["a", "b"]) {
    await record(key);
    await sealer.run();
  }
  expect(log).toEqual([
    {
      code: "AUDIT_SEALED",
      id: expect.any(Number) as number,
      lastEventId: expect.any(String) as string,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
  ]);
});

test("an auditor recomputes a seal from the exported lines alone", async () => {
  const lines: string[] = [];
  for await (const line of exportEvents(store)) lines.push(line);
  const seals: Record<string, string | number>[] = [];
  for await (const line of exportSeals(store))
    seals.push(JSON.parse(line) as Record<string, string | number>);

  for (const { digest, mac, ...content } of seals) {
    const covered = lines.filter((line) => {
      const id = Number((JSON.parse(line) as { id: string }).id);
      return id >= Number(content["firstEventId"]) && id <= Number(content["lastEventId"]);
    });
    const eventsDigest = createHash("sha256").update(covered.map((line) => `${line}\n`).join(""));
    expect(eventsDigest.digest("hex")).toBe(content["eventsDigest"]);
    const sorted = Object.fromEntries(
      Object.entries(content).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
    expect(createHash("sha256").update(JSON.stringify(sorted)).digest("hex")).toBe(digest);
    expect(mac).toMatch(/^[0-9a-f]{64}$/);
  }
  expect(seals.length).toBeGreaterThan(5);
});

test.each(["UPDATE audit_seals SET event_count = 1", "DELETE FROM audit_seals", "TRUNCATE audit_seals"])(
  "the database refuses %s",
  async (statement) => {
    await expect(database.query(statement)).rejects.toThrow("audit_seals is append-only");
  },
);
