import { createServer } from "node:net";
import {
  createProofChecker,
  createProofSigner,
  generateEs256KeyPair,
  ReplayStoreUnavailableError,
  spendProof,
} from "@authz/dpop";
import { createTable, type PostgresOptions, type PostgresPool, postgres } from "@authz/replay-postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "./database.js";
import { openStore } from "./open-store.js";

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase();
  ({ pool } = openStore(database.url));
  await pool.query(createTable());
});
beforeEach(() => pool.query("TRUNCATE authz_replays"));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const now = Math.floor(Date.now() / 1000);

function createStore(options: Partial<PostgresOptions> = {}) {
  return postgres({ pool, pruneIntervalSeconds: 0, ...options });
}

async function keys(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>("SELECT key FROM authz_replays ORDER BY key");
  return rows.map(({ key }) => key);
}

describe("prune", () => {
  test("deletes what expired more than two minutes ago by the clock of the database, and nothing else", async () => {
    const ages = { gone: 3600, "just-gone": 121, kept: 100, alive: -65 };
    await pool.query(
      "INSERT INTO authz_replays SELECT key, now() - age * interval '1 second' FROM unnest($1::text[], $2::int[]) n (key, age)",
      [Object.keys(ages), Object.values(ages)],
    );
    expect(await createStore().prune()).toBe(2);
    expect(await keys()).toEqual(["alive", "kept"]);
  });

  test("never runs longer than half a minute for a batch, so that a dead connection does not stop it", async () => {
    const limits: unknown[] = [];
    const noting: PostgresPool = {
      query(query) {
        limits.push(query.query_timeout);
        return pool.query(query);
      },
    };
    await createStore({ pool: noting }).prune();
    expect(limits).toEqual([30_000]);
  });

  test("works through more than one batch", async () => {
    await pool.query(
      "INSERT INTO authz_replays SELECT 'key-' || n, to_timestamp(0) FROM generate_series(1, 2500) n",
    );
    expect(await createStore().prune()).toBe(2500);
    expect(await keys()).toEqual([]);
  });

  test("passes over rows that another process is deleting", async () => {
    await pool.query(
      "INSERT INTO authz_replays VALUES ('theirs', to_timestamp(0)), ('ours', to_timestamp(0))",
    );
    const other = await pool.connect();
    await other.query("BEGIN");
    await other.query("DELETE FROM authz_replays WHERE key = 'theirs'");
    expect(await createStore().prune()).toBe(1);
    await other.query("COMMIT");
    other.release();
    expect(await keys()).toEqual([]);
  });

  test("runs once at a time", async () => {
    const statements: string[] = [];
    const recording: PostgresPool = {
      query(query) {
        statements.push(query.text);
        return pool.query(query);
      },
    };
    const store = createStore({ pool: recording });
    await Promise.all([store.prune(), store.prune(), store.prune()]);
    expect(statements).toHaveLength(1);
  });

  test("in the background tells its failures and goes on", async () => {
    const failure = new Error("down");
    const errors: unknown[] = [];
    const store = await new Promise<{ close(): void }>((resolve) => {
      const created = createStore({
        pool: { query: () => Promise.reject(failure) },
        pruneIntervalSeconds: 0.01,
        onPruneError: (error) => {
          if (errors.push(error) === 2) resolve(created);
        },
      });
    });
    store.close();
    expect(errors).toEqual([failure, failure]);
  });
});

describe("a process whose clock is slow", () => {
  test.each([31, 360, 3600])("takes no key for new that expired %i s ago and was forgotten", async (age) => {
    expect(await createStore().consume({ key: "a", expiresAt: now - age })).toBe(false);
    expect(await keys()).toEqual([]);
  });
});

describe("the table", () => {
  test("survives a crash: it is logged", async () => {
    const { rows } = await pool.query("SELECT relpersistence FROM pg_class WHERE relname = 'authz_replays'");
    expect(rows).toEqual([{ relpersistence: "p" }]);
  });

  test("can be created twice", async () => {
    await expect(pool.query(createTable())).resolves.toBeDefined();
  });

  test("can live in a schema of its own", async () => {
    await pool.query("CREATE SCHEMA security");
    await pool.query(createTable("security.used"));
    const store = createStore({ table: "security.used" });
    expect(await store.consume({ key: "a", expiresAt: now })).toBe(true);
    expect(await store.consume({ key: "a", expiresAt: now })).toBe(false);
    expect(await keys()).toEqual([]);
  });

  test("that is missing is named, with what to do", async () => {
    const consume = createStore({ table: "forgotten" }).consume({ key: "a", expiresAt: now });
    await expect(consume).rejects.toThrow(/"forgotten" does not exist.*createTable\(\)/);
    await expect(consume).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
  });

  test.each(["", "Replays", "a.b.c", "a b", 'a"; DROP TABLE x; --', ".a", "1a"])(
    "is not called %j",
    (table) => {
      expect(() => createTable(table)).toThrow(TypeError);
      expect(() => createStore({ table })).toThrow("table");
    },
  );
});

describe("when the database", () => {
  test("is away for a while, nothing is accepted, and later everything works again", async () => {
    const store = createStore();
    const checker = createProofChecker();
    const signer = createProofSigner(await generateEs256KeyPair());
    const request = { method: "GET", url: "https://api.example/" };
    const spend = async () => spendProof(checker.check({ ...request, proof: signer.sign(request) }), store);
    await spend();
    await database.goAway();
    await expect(spend()).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
    await database.comeBack();
    await expect(spend()).resolves.toBeUndefined();
  });

  test("accepts connections and never answers, the use counts as unknown after the timeout", async () => {
    const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const silent = new Pool({
      host: "127.0.0.1",
      port,
      user: "a",
      database: "a",
      connectionTimeoutMillis: 100,
    });
    const store = createStore({ pool: silent, timeoutSeconds: 0.05 });
    await expect(store.consume({ key: "a", expiresAt: now })).rejects.toMatchObject({
      name: "ReplayStoreUnavailableError",
      cause: expect.objectContaining({ message: "No answer in 0.05 s." }),
    });
    server.close();
    await silent.end();
  });

  test("isolates transactions strictly by default, still at most one concurrent use is accepted", async () => {
    const strict = new Pool({
      connectionString: database.url,
      options: "-c default_transaction_isolation=serializable",
    });
    const store = createStore({ pool: strict });
    const uses = Array.from({ length: 50 }, () => store.consume({ key: "a", expiresAt: now + 65 }));
    const results = await Promise.allSettled(uses);
    await strict.end();
    expect(results.filter((result) => result.status === "fulfilled" && result.value)).toHaveLength(1);
  });

  test("driver does not say what happened, nothing is accepted", async () => {
    const store = createStore({ pool: { query: async () => ({ rowCount: null }) } });
    await expect(store.consume({ key: "a", expiresAt: now })).rejects.toBeInstanceOf(
      ReplayStoreUnavailableError,
    );
  });
});

describe("misuse is a TypeError that names the option", () => {
  const anyPool: PostgresPool = { query: async () => ({ rowCount: 1 }) };
  test.each<[string, unknown, string]>([
    ["no options", undefined, "options"],
    ["no pool", {}, "pool"],
    ["a connection string for a pool", { pool: "postgres://" }, "pool"],
    ["an unknown option", { pool: anyPool, tableName: "a" }, '"tableName"'],
    ["a table that is a number", { pool: anyPool, table: 1 }, "table"],
    ["no time at all", { pool: anyPool, timeoutSeconds: 0 }, "timeoutSeconds"],
    ["a time that is no number", { pool: anyPool, timeoutSeconds: Number.NaN }, "timeoutSeconds"],
    ["a negative interval", { pool: anyPool, pruneIntervalSeconds: -1 }, "pruneIntervalSeconds"],
    ["a listener that is a string", { pool: anyPool, onPruneError: "log" }, "onPruneError"],
  ])("%s", (_, options, message) => {
    const create = () => postgres(options as PostgresOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});
