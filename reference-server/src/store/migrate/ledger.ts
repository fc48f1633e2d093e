import type { Client } from "pg";

/** One attempt to apply a migration. */
export interface LedgerEntry {
  readonly name: string;
  readonly checksum: string;
  readonly state: "applied" | "failed" | "rolled_back";
  readonly error: string | null;
}

const createSql = `
  CREATE TABLE authz_migrations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    state text NOT NULL CHECK (state IN ('applied', 'failed', 'rolled_back')),
    error text,
    at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX authz_migrations_applied ON authz_migrations (name) WHERE state = 'applied';`;

/** Whether the table that records migrations exists. */
export async function ledgerExists(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    "SELECT to_regclass('authz_migrations') IS NOT NULL AS found",
  );
  return rows[0]?.found === true;
}

export async function createLedger(client: Client): Promise<void> {
  await client.query(createSql);
}

/** Every attempt, oldest first. */
export async function readLedger(client: Client): Promise<readonly LedgerEntry[]> {
  const { rows } = await client.query<LedgerEntry>(
    "SELECT name, checksum, state, error FROM authz_migrations ORDER BY id",
  );
  return rows;
}

export async function recordAttempt(client: Client, entry: LedgerEntry): Promise<void> {
  await client.query("INSERT INTO authz_migrations (name, checksum, state, error) VALUES ($1, $2, $3, $4)", [
    entry.name,
    entry.checksum,
    entry.state,
    entry.error,
  ]);
}

/** Returns whether there was a failed attempt to mark. */
export async function markRolledBack(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "UPDATE authz_migrations SET state = 'rolled_back' WHERE name = $1 AND state = 'failed'",
    [name],
  );
  return rowCount !== null && rowCount > 0;
}
