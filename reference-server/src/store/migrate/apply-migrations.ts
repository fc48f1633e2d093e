import type { Client } from "pg";
import type { Logger } from "pino";
import { exclusively, withConnection } from "./connection.js";
import {
  createLedger,
  type LedgerEntry,
  ledgerExists,
  markRolledBack,
  readLedger,
  recordAttempt,
} from "./ledger.js";
import { MigrationError } from "./migration-error.js";
import { loadMigrations, type Migration } from "./migration-files.js";
import { nextMigration } from "./next-migration.js";

export interface ApplyOptions {
  readonly postgresUrl: string;
  readonly log: Pick<Logger, "info">;
  /** The migrations of this version unless a test brings others. */
  readonly migrations?: readonly Migration[];
}

/**
 * Applies every migration that is not applied yet and returns their names.
 *
 * Each runs in a transaction of its own, together with its record. Any number of processes may call this at
 * the same time: each migration is applied once, and all of them return when the schema is up to date.
 *
 * @throws {MigrationError} `code` is the code of the log.
 */
export async function applyMigrations(options: ApplyOptions): Promise<readonly string[]> {
  const { postgresUrl, log } = options;
  const migrations = options.migrations ?? (await loadMigrations());
  return await withConnection(postgresUrl, async (client) => {
    await requireVersion(client);
    const applied: string[] = [];
    for (;;) {
      const step = await exclusively(client, () => applyNext(client, migrations));
      if (step === undefined) break;
      if (step.error !== undefined) throw failed(step.migration, step.error);
      log.info({ migration: step.migration.name }, `Applied migration ${step.migration.name}.`);
      applied.push(step.migration.name);
    }
    log.info(
      applied.length > 0
        ? "All migrations have been successfully applied."
        : "No pending migrations to apply.",
    );
    return applied;
  });
}

/** Where each migration stands, and the recorded attempts of those this version does not know. */
export async function readMigrationStatus(
  postgresUrl: string,
): Promise<readonly { name: string; state: LedgerEntry["state"] | "pending" }[]> {
  const migrations = await loadMigrations();
  return await withConnection(postgresUrl, async (client) => {
    const ledger = (await ledgerExists(client)) ? await readLedger(client) : [];
    const names = new Set([...ledger.map(({ name }) => name), ...migrations.map(({ name }) => name)]);
    return [...names].sort().map((name) => {
      const last = ledger.findLast((entry) => entry.name === name);
      return { name, state: last === undefined || last.state === "rolled_back" ? "pending" : last.state };
    });
  });
}

/** Marks the failed attempt of a migration as rolled back, so that the next start tries it again. */
export async function resolveRolledBack(postgresUrl: string, name: string): Promise<boolean> {
  return await withConnection(postgresUrl, (client) =>
    exclusively(client, async () => (await ledgerExists(client)) && (await markRolledBack(client, name))),
  );
}

interface Step {
  readonly migration: Migration;
  readonly error?: Error;
}

async function applyNext(client: Client, migrations: readonly Migration[]): Promise<Step | undefined> {
  const known = await ledgerExists(client);
  const migration = nextMigration(migrations, known ? await readLedger(client) : []);
  if (migration === undefined) return undefined;
  await requireSchemaRights(client);
  if (!known) {
    await requireEmptySchema(client);
    await createLedger(client);
  }
  const { name, checksum } = migration;
  await client.query("SAVEPOINT migration");
  try {
    await client.query(migration.sql);
    await client.query("SET CONSTRAINTS ALL IMMEDIATE");
    await recordAttempt(client, { name, checksum, state: "applied", error: null });
    return { migration };
  } catch (error) {
    // The failure is recorded under the same lock, so no other process tries the migration in between.
    await client.query("ROLLBACK TO SAVEPOINT migration");
    await recordAttempt(client, { name, checksum, state: "failed", error: (error as Error).message });
    return { migration, error: error as Error };
  }
}

function failed({ name }: Migration, error: Error): MigrationError {
  const cause = `Migration ${name} failed: ${error.message}. None of it was kept.`;
  const remedy =
    `Fix the cause, then run "authz-migrate resolve --rolled-back ${name}" and start again. ` +
    "Until then every start stops with P3009.";
  return new MigrationError("P3018", { cause, remedy, migration: name }, { cause: error });
}

async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; text: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text",
  );
  const version = rows[0];
  if (version !== undefined && version.number >= 160_000) return;
  const cause = `The database is PostgreSQL ${version?.text ?? "of an unknown version"}; version 16 is needed.`;
  throw new MigrationError("AUTHZ_DATABASE_VERSION", {
    cause,
    remedy: "Point POSTGRES_URL at PostgreSQL 16.",
  });
}

async function requireSchemaRights(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; schema: string | null; allowed: boolean | null }>(
    `SELECT current_user AS role, current_schema() AS schema,
       has_schema_privilege(current_user, current_schema(), 'CREATE') AS allowed`,
  );
  const { role = "", schema = null, allowed = false } = rows[0] ?? {};
  if (schema !== null && allowed === true) return;
  const cause = `The database user "${role}" may not create tables in schema "${schema ?? "public"}".`;
  const remedy =
    `Make it the owner of the database: ALTER DATABASE <name> OWNER TO "${role}"; ` +
    "and, for an older database, of the schema. Then start again.";
  throw new MigrationError("P1010", { cause, remedy });
}

async function requireEmptySchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
     ORDER BY c.relname LIMIT 5`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(", ");
  const cause = `The database is not empty and was not set up by this server. It contains: ${names}.`;
  const remedy =
    "Point POSTGRES_URL at an empty database of its own, or restore the backup that belongs here.";
  throw new MigrationError("P3005", { cause, remedy });
}
