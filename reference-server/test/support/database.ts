import { randomBytes } from "node:crypto";
import { Client, type QueryResultRow } from "pg";
import { inject } from "vitest";
import { applyMigrations } from "../../src/store/migrate/apply-migrations.js";
import { loadMigrations } from "../../src/store/migrate/migration-files.js";

/** A database of one test file. */
export interface TestDatabase {
  /** As an ordinary role that owns the database, like an operator's. */
  readonly url: string;
  /** As the superuser, for looking behind the scenes. */
  readonly adminUrl: string;
  readonly name: string;
  /** Runs one statement as the superuser. */
  readonly query: <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Stops the clock of the database at this moment, for statements that ask for `now()`. */
  stopClock(at: Date): Promise<void>;
  /** Breaks every connection and refuses new ones until `allowConnections()`. */
  refuseConnections(): Promise<void>;
  allowConnections(): Promise<void>;
  /** Creates a database with the same content. No connection to this one may be open. */
  copy(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

const owner = "authz_test_owner";
const password = "owner";
/** One process at a time builds the template; any constant will do. */
const templateLock = 20_261_120;

/**
 * Creates a database with the current schema. Fast: it is a copy of a template.
 *
 * @param clock - where the clock of the database stands still; it goes as usual when absent
 */
export async function createTestDatabase(clock?: Date): Promise<TestDatabase> {
  const template = await prepareTemplate();
  const database = await createDatabase(`TEMPLATE ${template}`);
  if (clock !== undefined) await database.stopClock(clock);
  return database;
}

/** Creates a database with nothing in it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  await asAdmin("postgres", ensureOwner);
  return await createDatabase("");
}

async function createDatabase(source: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdmin("postgres", (admin) => admin.query(`CREATE DATABASE ${name} OWNER ${owner} ${source}`));
  const adminUrl = withDatabase(name);
  const url = new URL(adminUrl);
  Object.assign(url, { username: owner, password });
  // Waits until each is gone: one that still lives would end a statement of later.
  const disconnect = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1";
  return {
    url: url.href,
    adminUrl,
    name,
    query: (text, values) => asAdmin(name, async (admin) => (await admin.query(text, values)).rows),
    stopClock: (at) =>
      asAdmin(name, async (admin) => {
        // Found before the real one, which is in pg_catalog.
        await admin.query(`
          CREATE SCHEMA IF NOT EXISTS stopped_clock;
          GRANT USAGE ON SCHEMA stopped_clock TO PUBLIC;
          CREATE OR REPLACE FUNCTION stopped_clock.now() RETURNS timestamptz
            LANGUAGE sql STABLE AS $$ SELECT timestamptz '${at.toISOString()}' $$;
          ALTER DATABASE ${name} SET search_path = public, stopped_clock, pg_catalog`);
      }),
    refuseConnections: () =>
      asAdmin("postgres", async (admin) => {
        await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
        await admin.query(disconnect, [name]);
      }),
    allowConnections: () =>
      asAdmin("postgres", async (admin) => {
        await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      }),
    copy: () => createDatabase(`TEMPLATE ${name}`),
    drop: () =>
      asAdmin("postgres", async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

async function prepareTemplate(): Promise<string> {
  const migrations = await loadMigrations();
  const version = migrations.map(({ checksum }) => checksum.slice(0, 6)).join("_");
  const name = `template_${version}`;
  await asAdmin("postgres", async (admin) => {
    await admin.query("SELECT pg_advisory_lock($1)", [templateLock]);
    await ensureOwner(admin);
    const found = await admin.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (found.rowCount !== 0) return;
    const database = await createDatabase("");
    await applyMigrations({ postgresUrl: database.url, migrations, log: { info: () => undefined } });
    await admin.query(`ALTER DATABASE ${database.name} RENAME TO ${name}`);
  });
  return name;
}

async function ensureOwner(admin: Client): Promise<void> {
  await admin.query(`
    DO $$ BEGIN
      CREATE ROLE ${owner} LOGIN PASSWORD '${password}';
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END $$`);
}

async function asAdmin<T>(database: string, work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: withDatabase(database) });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function withDatabase(name: string): string {
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
}
