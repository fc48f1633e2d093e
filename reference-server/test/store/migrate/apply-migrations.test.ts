import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { applyMigrations, resolveRolledBack } from "../../../src/store/migrate/apply-migrations.js";
import type { MigrationError } from "../../../src/store/migrate/migration-error.js";
import { loadMigrations, type Migration } from "../../../src/store/migrate/migration-files.js";

import { createEmptyDatabase, type TestDatabase } from "../../support/database.js";

const shipped = await loadMigrations();
const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database;
}

function step(name: string, sql: string): Migration {
  return { name, sql, checksum: `checksum of ${sql}` };
}

function createLogCapture() {
  const lines: string[] = [];
  const log = { info: (first: unknown, second?: unknown) => lines.push(String(second ?? first)) };
  return { lines, log };
}

async function apply(url: string, migrations: readonly Migration[] = shipped): Promise<string[]> {
  const { lines, log } = createLogCapture();
  await applyMigrations({ postgresUrl: url, migrations, log });
  return lines;
}

async function failure(work: Promise<unknown>): Promise<MigrationError> {
  return await work.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error as MigrationError,
  );
}

describe("a schema that can be brought up to date", () => {
  test("a migration may exceed the limits of the role", async () => {
    const database = await emptyDatabase();
    await database.query(`ALTER DATABASE ${database.name} SET statement_timeout = '50ms'`);
    const slow = step("0001_slow", "SELECT pg_sleep(0.2)");
    expect((await apply(database.url, [slow])).at(-1)).toContain("successfully applied");
  });

  test("an empty database gets every migration, and the success line", async () => {
    const database = await emptyDatabase();

    const lines = await apply(database.url);

    expect(lines.at(-1)).toBe("All migrations have been successfully applied.");
    expect(lines).toHaveLength(shipped.length + 1);
  });

  test("a second start finds nothing to do, and says so", async () => {
    const database = await emptyDatabase();
    await apply(database.url);

    expect(await apply(database.url)).toEqual(["No pending migrations to apply."]);
  });

  test("an upgrade applies only what is new", async () => {
    const database = await emptyDatabase();
    const first = step("0001_a", "CREATE TABLE a (id int)");
    await apply(database.url, [first]);

    const lines = await apply(database.url, [first, step("0002_b", "CREATE TABLE b (id int)")]);

    expect(lines).toEqual(["Applied migration 0002_b.", "All migrations have been successfully applied."]);
  });

  test("ten starts at the same time apply each migration once, and all succeed", async () => {
    const database = await emptyDatabase();

    const starts = await Promise.all(Array.from({ length: 10 }, () => apply(database.url)));

    expect(starts.flat().filter((line) => line.startsWith("Applied migration"))).toHaveLength(shipped.length);
    const rows = await database.query("SELECT name FROM authz_migrations");
    expect(rows).toHaveLength(shipped.length);
  });

  test("a connection that breaks in the middle of a migration leaves nothing behind", async () => {
    const database = await emptyDatabase();
    const suicide = step("0001_a", "CREATE TABLE a (id int); SELECT pg_terminate_backend(pg_backend_pid())");

    await failure(apply(database.url, [suicide]));

    expect(await apply(database.url, [step("0001_a", "CREATE TABLE a (id int)")])).toEqual([
      "Applied migration 0001_a.",
      "All migrations have been successfully applied.",
    ]);
  });

  test("a deferred constraint that fails at the end fails the migration", async () => {
    const database = await emptyDatabase();
    const deferred = step(
      "0001_a",
      `CREATE TABLE a (id int PRIMARY KEY);
       CREATE TABLE b (a int REFERENCES a DEFERRABLE INITIALLY DEFERRED);
       INSERT INTO b VALUES (1)`,
    );

    expect((await failure(apply(database.url, [deferred]))).code).toBe("P3018");
  });
});

describe("a schema that cannot be brought up to date", () => {
  const first = step("0001_first", "CREATE TABLE first (id int)");
  const broken = step("0002_broken", "CREATE TABLE half (id int); SELECT 1 / 0");
  const last = step("0003_last", "CREATE TABLE last (id int)");

  test("P1001: nothing listens at the address", async () => {
    const error = await failure(apply("postgresql://authz:authz@127.0.0.1:1/authz"));

    expect(error.code).toBe("P1001");
    expect(error.message).toContain("ECONNREFUSED");
    expect(error.remedy).toContain("POSTGRES_URL");
  });

  test("P1001: the password is wrong, and is not printed", async () => {
    const url = new URL((await emptyDatabase()).url);
    url.password = "wrong-secret";

    const error = await failure(apply(url.href));

    expect(error.code).toBe("P1001");
    expect(error.message).toContain("password authentication failed");
    expect(error.message + error.remedy).not.toContain("wrong-secret");
  });

  test("P3005: the database has foreign tables", async () => {
    const database = await emptyDatabase();
    await database.query("CREATE TABLE invoices (id int)");

    const error = await failure(apply(database.url));

    expect(error.code).toBe("P3005");
    expect(error.message).toContain("invoices");
    expect(await database.query("SELECT to_regclass('authz_migrations') AS ledger")).toEqual([
      { ledger: null },
    ]);
  });

  test("P3018, then P3009 at every start until the failure is resolved, then the rest is applied", async () => {
    const database = await emptyDatabase();
    const migrations = [first, broken, last];

    const failed = await failure(apply(database.url, migrations));
    expect(failed.code).toBe("P3018");
    expect(failed.message).toContain("0002_broken");
    expect(failed.message).toContain("division by zero");
    expect(failed.remedy).toContain("authz-migrate resolve --rolled-back 0002_broken");

    const fixed = [first, step("0002_broken", "CREATE TABLE half (id int)"), last];
    for (const again of [
      await failure(apply(database.url, fixed)),
      await failure(apply(database.url, fixed)),
    ]) {
      expect(again.code).toBe("P3009");
      expect(again.message).toContain("0002_broken");
      expect(again.remedy).toContain("authz-migrate resolve --rolled-back 0002_broken");
    }

    expect(await resolveRolledBack(database.url, "0002_broken")).toBe(true);
    expect(await apply(database.url, fixed)).toEqual([
      "Applied migration 0002_broken.",
      "Applied migration 0003_last.",
      "All migrations have been successfully applied.",
    ]);
  });

  test("one of ten parallel starts records a failure, the others stop with P3009", async () => {
    const database = await emptyDatabase();

    const errors = await Promise.all(
      Array.from({ length: 10 }, () => failure(apply(database.url, [first, broken]))),
    );

    const codes = errors.map(({ code }) => code).sort();
    expect(codes).toEqual([...Array.from({ length: 9 }, () => "P3009"), "P3018"]);
  });

  test("resolving a migration that did not fail changes nothing", async () => {
    const database = await emptyDatabase();
    expect(await resolveRolledBack(database.url, "0001_first")).toBe(false);
    await apply(database.url, [first]);
    expect(await resolveRolledBack(database.url, "0001_first")).toBe(false);
  });

  test("AUTHZ_SCHEMA_NEWER: the database was upgraded by a newer version", async () => {
    const database = await emptyDatabase();
    await apply(database.url, [first, last]);

    const error = await failure(apply(database.url, [first]));

    expect(error.code).toBe("AUTHZ_SCHEMA_NEWER");
    expect(error.message).toContain("0003_last");
  });

  test("AUTHZ_MIGRATION_CHANGED: the content of an applied migration changed", async () => {
    const database = await emptyDatabase();
    await apply(database.url, [first]);

    const error = await failure(apply(database.url, [step("0001_first", "SELECT 1")]));

    expect(error.code).toBe("AUTHZ_MIGRATION_CHANGED");
    expect(error.remedy).toContain("development build");
    expect(error.remedy).toContain("empty database");
    expect(error.remedy).toContain("published image");
  });

  test("P1010: a user who may only read and write", async () => {
    const database = await emptyDatabase();
    const role = `reader_${database.name}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'reader'`);
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: "reader" });

    const error = await failure(apply(url.href));

    expect(error.code).toBe("P1010");
    expect(error.message).toContain(role);
    expect(error.remedy).toContain("ALTER DATABASE");
    await database.query(`DROP ROLE ${role}`);
  });

  test("a failed migration keeps nothing of itself", async () => {
    const database = await emptyDatabase();
    await failure(apply(database.url, [first, broken]));

    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query("SELECT to_regclass('half') AS half, to_regclass('first') AS first");
    await client.end();
    expect(rows).toEqual([{ half: null, first: "first" }]);
  });
});
