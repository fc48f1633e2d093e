import type { Client } from "pg";
import { closeConnection, createConnector } from "../postgres/connection.js";
import { MigrationError } from "./migration-error.js";

/** Any constant will do; every process must use the same. */
const lockKey = "7012986344218513";
const connectSeconds = 10;

/** A role may have limits for statements that serve requests; a migration takes the time that it needs. */
const withoutLimitsSql = `
  SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`;

/** Connects, does `work`, disconnects. */
export async function withConnection<T>(
  postgresUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { connect } = createConnector({ postgresUrl, name: "authz-migrate", connectSeconds });
  const client = await connect().catch((error) => {
    throw unreachable(error);
  });
  try {
    return await work(client);
  } finally {
    await closeConnection(client);
  }
}

/**
 * Runs `work` in a transaction that no other process runs at the same time.
 *
 * The lock ends with the transaction, so a process that is killed leaves neither a lock nor half a step.
 */
export async function exclusively<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    await client.query(withoutLimitsSql);
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey})`);
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function unreachable(error: unknown): MigrationError {
  const { code, message } = error as { code?: string; message: string };
  const first = error instanceof AggregateError ? (error.errors[0] as Error | undefined)?.message : undefined;
  const cause = `The database in POSTGRES_URL cannot be reached: ${first ?? (message === "" ? code : message)}.`;
  const remedy =
    "Check that PostgreSQL runs, and host, port, user, password and database name in POSTGRES_URL.";
  return new MigrationError("P1001", { cause, remedy }, { cause: error });
}
