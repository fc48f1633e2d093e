import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/store/postgres/database.js";
import { createRotation, type Rotation } from "../../src/store/redemptions.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { stampEvent } from "../support/stamp.js";

const userId = randomUUID();
const disabledUserId = randomUUID();
const now = new Date("2026-11-20T12:00:00Z");
const later = new Date("2026-12-20T12:00:00Z");
let database: TestDatabase;
let pool: Database;
beforeAll(async () => {
  database = await createTestDatabase(now);
  pool = openDatabase({ postgresUrl: database.url });
  await database.query(`INSERT INTO clients (id, name, redirect_uris) VALUES ('authz-cli', 'CLI', '{}')`);
  await database.query(
    `INSERT INTO users (id, email, enabled) VALUES ($1, 'a@acme.example', true), ($2, 'b@acme.example', false)`,
    [userId, disabledUserId],
  );
});
afterAll(async () => {
  await pool.destroy();
  await database.drop();
});

/** A rotation that is right in every respect. */
async function rotation(change: Partial<Rotation> = {}): Promise<Rotation> {
  const grantId = randomUUID();
  const usedHash = randomBytes(32);
  await database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
     VALUES ($1, $2, 'authz-cli', 'jkt', '{openid}', $3, '{}', $3, $4)`,
    [grantId, userId, now, later],
  );
  await database.query(
    "INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
    [usedHash, grantId, now, later],
  );
  const tokenId = randomUUID();
  return {
    once: [{ key: randomUUID(), expiresAt: later.getTime() / 1000 }],
    basis: { clientId: "authz-cli", grantId, userId, resourceId: null, assignmentIds: [], machineScopes: [] },
    audit: {
      at: now,
      type: "token.issued",
      version: 1,
      outcome: "success",
      actorType: "user",
      actorId: userId,
      subject: userId,
      clientId: "authz-cli",
      requestId: "request",
      data: { tokenId, grantId, note: "quotes \" ' \\ and ünïcode" },
    },
    now,
    usedHash,
    next: { hash: randomBytes(32), grantId, createdAt: now, expiresAt: later, usedAt: null },
    ...change,
  };
}

/** What is stored of a rotation: the token's successor, the used token, the proofs, the event. */
async function storedOf({ next, usedHash, once, audit }: Rotation) {
  const [row] = await database.query<Record<"next" | "used" | "proofs" | "events", number>>(
    `SELECT (SELECT count(*)::integer FROM refresh_tokens WHERE hash = $1 AND expires_at = $6) AS next,
       (SELECT count(*)::integer FROM refresh_tokens WHERE hash = $2 AND used_at IS NOT NULL) AS used,
       (SELECT count(*)::integer FROM dpop_replays WHERE key = ANY ($3)) AS proofs,
       (SELECT count(*)::integer FROM audit_events WHERE data = $4::jsonb AND at = $5 AND request_id = 'request') AS events`,
    [next.hash, usedHash, once.map(({ key }) => key), JSON.stringify(audit.data), now, next.expiresAt],
  );
  return row;
}

const everything = { next: 1, used: 1, proofs: 1, events: 1 };
const nothing = { next: 0, used: 0, proofs: 0, events: 0 };

interface Case {
  readonly name: string;
  readonly change: (rotation: Rotation) => Rotation | Promise<Rotation>;
  readonly outcome: "lost" | "replayed";
}

const cases: readonly Case[] = [
  { name: "an unknown token", change: (right) => ({ ...right, usedHash: randomBytes(32) }), outcome: "lost" },
  {
    name: "an expired token",
    change: (right) => ({ ...right, now: new Date("2027-01-01") }),
    outcome: "lost",
  },
  {
    name: "a revoked grant",
    async change(right) {
      await database.query("UPDATE grants SET revoked_at = now() WHERE id = $1", [right.basis.grantId]);
      return right;
    },
    outcome: "lost",
  },
  {
    name: "a disabled user",
    change: (right) => ({ ...right, basis: { ...right.basis, userId: disabledUserId } }),
    outcome: "lost",
  },
  {
    name: "an unknown client",
    change: (right) => ({ ...right, basis: { ...right.basis, clientId: "nobody" } }),
    outcome: "lost",
  },
  {
    name: "an assignment that is gone",
    change: (right) => ({ ...right, basis: { ...right.basis, assignmentIds: [randomUUID()] } }),
    outcome: "lost",
  },
  {
    name: "a machine scope that is gone",
    change: (right) => ({ ...right, basis: { ...right.basis, machineScopes: ["a:b"] } }),
    outcome: "lost",
  },
  {
    name: "a proof that was accepted before",
    async change(right) {
      const earlier = await rotation();
      await createRotation(pool, stampEvent)(earlier);
      return { ...right, once: earlier.once };
    },
    outcome: "replayed",
  },
  {
    name: "a proof that has expired by the clock of the database, although no use is recorded",
    change: (right) => ({ ...right, once: [{ key: randomUUID(), expiresAt: now.getTime() / 1000 }] }),
    outcome: "replayed",
  },
];

describe.each(cases)("among others, $name", ({ change, outcome }) => {
  test(`is ${outcome} and stores nothing, while the others are stored`, async () => {
    const rotate = createRotation(pool, stampEvent);
    const wrong = await change(await rotation());
    const others = await Promise.all(Array.from({ length: 5 }, () => rotation()));
    const before = await storedOf(wrong);
    const all = [...others.slice(0, 3), wrong, ...others.slice(3)];
    const outcomes = await Promise.all(all.map(rotate));

    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "stored",
      "stored",
      "stored",
      outcome,
      "stored",
      "stored",
    ]);
    expect(await storedOf(wrong)).toEqual(before);
    for (const other of others) expect(await storedOf(other)).toEqual(everything);
  });
});

test("each kind of wrong rotation is refused by itself as well", async () => {
  for (const { change, outcome } of cases) {
    const wrong = await change(await rotation());
    expect((await createRotation(pool, stampEvent)(wrong)).kind).toBe(outcome);
  }
});

test("of rotations of one token in one statement one is stored", async () => {
  const rotate = createRotation(pool, stampEvent);
  const filler = await Promise.all([rotation(), rotation()]);
  const first = await rotation();
  const same = Array.from({ length: 4 }, () => ({
    ...first,
    once: [{ key: randomUUID(), expiresAt: later.getTime() / 1000 }],
  }));
  const outcomes = await Promise.all([...filler, ...same].map(rotate));
  expect(outcomes.map(({ kind }) => kind).filter((kind) => kind === "stored")).toHaveLength(3);
  const [row] = await database.query(
    "SELECT count(*)::integer AS all, count(used_at)::integer AS used FROM refresh_tokens WHERE grant_id = $1",
    [first.basis.grantId],
  );
  expect(row).toEqual({ all: 2, used: 1 });
});

test("of rotations with one proof one is stored, whichever statement they come in", async () => {
  const once = [{ key: randomUUID(), expiresAt: later.getTime() / 1000 }];
  const rotations = await Promise.all(Array.from({ length: 9 }, () => rotation({ once })));
  // Three processes.
  const processes = [
    createRotation(pool, stampEvent),
    createRotation(pool, stampEvent),
    createRotation(pool, stampEvent),
  ];
  const outcomes = await Promise.all(rotations.map(async (one, index) => await processes[index % 3]?.(one)));
  expect(outcomes.filter((outcome) => outcome?.kind === "stored")).toHaveLength(1);
  const stored = await Promise.all(rotations.map(storedOf));
  expect(stored.filter((row) => row?.events === 1)).toHaveLength(1);
  expect(stored.filter((row) => row?.next === 1)).toHaveLength(1);
});

test("a statement that meets another process gives each rotation its own outcome", async () => {
  const rotate = createRotation(pool, stampEvent);
  const contested = { key: randomUUID(), expiresAt: later.getTime() / 1000 };
  const others = await Promise.all(Array.from({ length: 4 }, () => rotation()));
  const second = await rotation({ once: [contested] });
  const elsewhere = await pool.transaction();
  await elsewhere.raw("INSERT INTO dpop_replays (key, expires_at) VALUES (?, now())", [contested.key]);
  const outcomes = Promise.all([...others, second].map(rotate));
  const blocked =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => database.query(blocked)).not.toHaveLength(0);
  await elsewhere.commit();

  expect((await outcomes).map(({ kind }) => kind).slice(0, 4)).toEqual([
    "stored",
    "stored",
    "stored",
    "stored",
  ]);
  expect((await outcomes)[4]?.kind).not.toBe("stored");
  expect(await storedOf(second)).toEqual({ ...nothing, proofs: 1 });
});
