import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/store/postgres/database.js";
import { type TestStore, withStore } from "../support/store.js";

let opened: TestStore;
withStore("each", (one) => void (opened = one));

const userId = randomUUID();
const otherId = randomUUID();
const resourceId = randomUUID();

beforeEach(async () => {
  await query(`INSERT INTO users (id, email) VALUES ($1, 'ada@acme.example'), ($2, 'bruno@acme.example')`, [
    userId,
    otherId,
  ]);
  await query(
    `INSERT INTO clients (id, name, redirect_uris) VALUES ('app', 'App', '{}'), ('other', 'Other', '{}')`,
  );
  await query(
    `INSERT INTO clients (id, name, type, redirect_uris) VALUES ('robot', 'Robot', 'machine', '{}')`,
  );
  await query(
    `INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes)
     VALUES ($1, 'contracts', 'Contracts', 'https://c.example/api', 'https://c.example', 'app', '{https://c.example/api}')`,
    [resourceId],
  );
});

const query = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  opened.database.query<Row>(text, values);

/** Draws for a grant that began half an hour ago. */
async function insertGrant(change: Record<string, unknown> = {}): Promise<number> {
  const grant = {
    id: randomUUID(),
    user_id: userId,
    client_id: "app",
    jkt: "jkt",
    scopes: [],
    auth_time: ago(1800),
    amr: [],
    created_at: ago(1800),
    expires_at: ago(-86_400),
    ...change,
  };
  const places = Object.keys(grant).map((_, at) => `$${at + 1}`);
  const [row] = await query<{ status_index: number }>(
    `INSERT INTO grants (${Object.keys(grant).join(", ")}) VALUES (${places.join(", ")}) RETURNING status_index`,
    Object.values(grant),
  );
  return row?.status_index ?? -1;
}

/** Draws for a token without a grant that was issued a minute ago. */
async function insertToken(): Promise<number> {
  const [row] = await query<{ drawn: number }>("SELECT draw_status_entry($1, $2, $3, 'app') AS drawn", [
    randomUUID(),
    ago(-240),
    userId,
  ]);
  await query(
    "UPDATE status_entries SET drawn_at = drawn_at - interval '1 minute' WHERE user_id IS NOT NULL",
  );
  return row?.drawn ?? -1;
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

async function readEnded(): Promise<{ capacity: number; ended: readonly number[]; everything: boolean }> {
  const { indexes, ...list } = await opened.store.statusList.readEnded();
  const ended = new Set<number>();
  for (let at = 0; at < indexes.length; at += 4) ended.add(indexes.readUInt32BE(at));
  return { ...list, ended: [...ended] };
}

const stop = (columns: Record<string, string | undefined>, minutes: number, stopped = true) =>
  query(
    `INSERT INTO stops (user_id, client_id, resource_id, stopped, not_before, set_at) VALUES ($1, $2, $3, $4, $5, $5)`,
    [
      columns["user"] ?? null,
      columns["client"] ?? null,
      columns["service"] ?? null,
      stopped,
      ago(minutes * 60),
    ],
  );

type Holder = "grant" | "token" | "machine";

interface End {
  readonly name: string;
  readonly end: () => Promise<unknown>;
  readonly lists: readonly Holder[];
}

const ends: readonly End[] = [
  { name: "nothing", end: () => query("SELECT 1"), lists: [] },
  {
    name: "the grant was revoked",
    end: () => query("UPDATE grants SET revoked_at = $1", [ago(3500)]),
    lists: ["grant"],
  },
  {
    name: "the grant was revoked more than an hour ago",
    end: () => query("UPDATE grants SET revoked_at = $1", [ago(3700)]),
    lists: [],
  },
  { name: "the grant's row was removed", end: () => query("DELETE FROM grants"), lists: ["grant"] },
  {
    name: "the grant expired",
    end: () => query("UPDATE grants SET expires_at = $1", [ago(1)]),
    lists: [],
  },
  {
    name: "the person was disabled",
    end: () => query("UPDATE users SET enabled = false, updated_at = $1", [ago(3500)]),
    lists: ["grant", "token"],
  },
  {
    name: "the person was disabled more than an hour ago",
    end: () => query("UPDATE users SET enabled = false, updated_at = $1", [ago(3700)]),
    lists: [],
  },
  {
    name: "another person was disabled",
    end: () => query("UPDATE users SET enabled = false WHERE id = $1", [otherId]),
    lists: [],
  },
  {
    name: "the person was paused",
    end: () => query("UPDATE users SET paused_at = $1, pause_reason = 'presence'", [ago(3500)]),
    lists: ["grant", "token"],
  },
  {
    name: "the person was paused more than an hour ago",
    end: () => query("UPDATE users SET paused_at = $1, pause_reason = 'presence'", [ago(3700)]),
    lists: [],
  },
  {
    name: "the person's row was removed",
    end: async () => {
      await query("DELETE FROM grants");
      await query("DELETE FROM users WHERE id = $1", [userId]);
    },
    lists: ["grant", "token"],
  },
  {
    name: "the app was switched off",
    end: () => query("UPDATE clients SET enabled = false, updated_at = now() WHERE id = 'app'"),
    lists: ["grant", "token"],
  },
  {
    name: "the app's host is no longer allowed",
    end: () => query("UPDATE clients SET trusted = false, updated_at = now() WHERE id = 'app'"),
    lists: ["grant", "token"],
  },
  {
    name: "the app was switched off more than an hour ago",
    end: () => query("UPDATE clients SET enabled = false, updated_at = $1 WHERE id = 'app'", [ago(3700)]),
    lists: [],
  },
  {
    name: "the app's row was removed",
    end: () => query("DELETE FROM clients WHERE id = 'app'"),
    lists: ["grant", "token"],
  },
  {
    name: "another app was switched off",
    end: () => query("UPDATE clients SET enabled = false, updated_at = now() WHERE id = 'other'"),
    lists: [],
  },
  {
    name: "the machine was switched off",
    end: () => query("UPDATE clients SET enabled = false, updated_at = now() WHERE id = 'robot'"),
    lists: ["machine"],
  },
  {
    name: "the machine's row was removed",
    end: () => query("DELETE FROM clients WHERE id = 'robot'"),
    lists: ["machine"],
  },
  { name: "the person is stopped", end: () => stop({ user: userId }, 59), lists: ["grant", "token"] },
  {
    name: "the person has been stopped for more than an hour",
    end: () => stop({ user: userId }, 61),
    lists: [],
  },
  { name: "another person is stopped", end: () => stop({ user: otherId }, 1), lists: [] },
  { name: "the app is stopped", end: () => stop({ client: "app" }, 1), lists: ["grant", "token"] },
  { name: "the machine is stopped", end: () => stop({ client: "robot" }, 1), lists: ["machine"] },
  {
    name: "the person's app is stopped",
    end: () => stop({ user: userId, client: "app" }, 1),
    lists: ["grant", "token"],
  },
  {
    name: "the person's other app is stopped",
    end: () => stop({ user: userId, client: "other" }, 1),
    lists: [],
  },
  {
    name: "the app of another person is stopped",
    end: () => stop({ user: otherId, client: "app" }, 1),
    lists: [],
  },
  {
    name: "the service of the grant is stopped",
    end: () => stop({ service: resourceId }, 1),
    lists: ["grant"],
  },
  {
    name: "the person was stopped and started again after they began",
    end: () => stop({ user: userId }, 0, false),
    lists: ["grant", "token"],
  },
  {
    name: "the person was stopped and started again before they began",
    end: () => stop({ user: userId }, 45, false),
    lists: [],
  },
  {
    name: "everything was stopped and started again after they began",
    end: () => stop({}, 0, false),
    lists: ["grant", "token"],
  },
  {
    name: "everything was stopped and started again before they began",
    end: () => stop({}, 45, false),
    lists: [],
  },
  // A machine's next token has the same entry.
  {
    name: "the machine was stopped and started again",
    end: () => stop({ client: "robot" }, 0, false),
    lists: [],
  },
];

describe("an entry is invalid when", () => {
  test.each(ends)("$name: $lists", async ({ end, lists }) => {
    const [machine] = await query<{ index: number }>(
      "SELECT status_index AS index FROM clients WHERE id = 'robot'",
    );
    const held: Record<Holder, number> = {
      grant: await insertGrant({ resource_id: resourceId }),
      token: await insertToken(),
      machine: machine?.index ?? -1,
    };
    await insertGrant({ user_id: otherId, client_id: "other" });
    await end();
    const { ended, everything } = await readEnded();
    const listed = (Object.keys(held) as Holder[]).filter((holder) => ended.includes(held[holder]));
    expect({ listed, everything }).toEqual({ listed: lists, everything: false });
  });

  test("everything is stopped, for an hour, without naming any", async () => {
    await insertGrant();
    await stop({}, 59);
    expect(await readEnded()).toMatchObject({ everything: true, ended: [] });
    await query("UPDATE stops SET not_before = $1", [ago(3700)]);
    expect(await readEnded()).toMatchObject({ everything: false, ended: [] });
  });
});

describe("the entry of a new holder", () => {
  test("is its own, for all that draw at the same time", async () => {
    await query("UPDATE status_list SET capacity = 64");
    const pools = Array.from({ length: 8 }, () => openDatabase({ postgresUrl: opened.database.url }));
    const insert = `INSERT INTO grants (id, user_id, client_id, scopes, auth_time, amr, created_at, expires_at)
      VALUES (gen_random_uuid(), '${userId}', 'app', '{}', now(), '{}', now(), now() + interval '1 day')`;
    try {
      await Promise.all(
        pools.map(async (pool) => {
          for (let round = 0; round < 250; round += 1) await pool.raw(insert);
        }),
      );
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
    }
    const rows = await query<{ index: number }>("SELECT status_index AS index FROM grants");
    const { capacity } = await readEnded();
    const drawn = rows.map(({ index }) => index);
    expect(new Set(drawn).size).toBe(2000);
    // It doubles when a quarter to a half of the entries are taken.
    expect(capacity).toBeGreaterThanOrEqual(2048);
    expect(capacity).toBeLessThanOrEqual(16_384);
    expect(Math.max(...drawn)).toBeLessThan(capacity);
  });

  test("is drawn at random from the whole capacity", async () => {
    const drawn: number[] = [];
    for (let at = 0; at < 200; at += 1) drawn.push(await insertGrant());
    const { capacity } = await readEnded();
    expect(capacity).toBe(65_536);
    // For 200 of 65,536 by chance: each half has fewer than 60 once in 10^8 runs; neighbours ascend half of the time.
    const low = drawn.filter((index) => index < capacity / 2).length;
    const ascending = drawn.filter((index, at) => index > (drawn[at - 1] ?? capacity)).length;
    for (const count of [low, ascending]) {
      expect(count).toBeGreaterThan(60);
      expect(count).toBeLessThan(140);
    }
  });

  test("may be that of a holder that ended an hour ago, and is good", async () => {
    await query("UPDATE status_list SET capacity = 64");
    await query(`INSERT INTO status_entries (status_index, holder, drawn_at, free_at, ended_at)
      SELECT n, 'old', now() - interval '3 hours', now() - interval '1 second', now() - interval '3601 seconds'
      FROM generate_series(0, 63) AS n WHERE NOT EXISTS (SELECT FROM status_entries WHERE status_index = n)`);
    const drawn = await insertGrant();
    expect((await readEnded()).ended).toEqual([]);
    await query("UPDATE grants SET revoked_at = now()");
    expect(await readEnded()).toMatchObject({ ended: [drawn], capacity: 64 });
    const [entry] = await query(
      "SELECT holder = (SELECT id::text FROM grants) AS own FROM status_entries WHERE status_index = $1",
      [drawn],
    );
    expect(entry).toEqual({ own: true });
  });

  test("is never taken from a holder that ended less than an hour ago", async () => {
    await query("UPDATE status_list SET capacity = 64");
    for (let at = 0; at < 40; at += 1) await insertGrant();
    await query("UPDATE grants SET revoked_at = $1", [ago(3500)]);
    const { ended } = await readEnded();
    expect(ended).toHaveLength(40);
    for (let at = 0; at < 40; at += 1) expect(ended).not.toContain(await insertGrant());
  });

  test("is shed by housekeeping when it is free", async () => {
    await insertGrant();
    await query("UPDATE grants SET revoked_at = $1", [ago(4000)]);
    const remove = () => opened.store.expiredRecords.remove("status_entries", { keepSeconds: 0, limit: 100 });
    expect(await remove()).toBe(1);
    // The machine keeps its own.
    expect(await query("SELECT holder FROM status_entries")).toEqual([{ holder: "robot" }]);
  });
});
