import knex, { type Knex } from "knex";
import type { Logger } from "pino";
import type { Tracing } from "../../tracing/tracing.js";
import { DatabaseUnavailableError, type PoolUse } from "../store.js";
import { traceQueries } from "./trace-queries.js";

/** A connection pool, or one transaction on it. */
export type Database = Knex;

export interface DatabaseOptions {
  readonly postgresUrl: string;
  readonly maxConnections?: number;
  /** How long a request waits for a connection before it is answered with 503. */
  readonly acquireTimeoutSeconds?: number;
  /** Where the driver's own warnings go. */
  readonly log?: Pick<Logger, "warn" | "debug">;
  /** Measures statements; nothing is wrapped without it. */
  readonly tracing?: Tracing | undefined;
}

/** Opens a pool. Connections are made on demand, so a database that is away fails the query, not the start. */
export function openDatabase(options: DatabaseOptions): Database {
  const { postgresUrl, maxConnections = 10, acquireTimeoutSeconds = 5, log, tracing } = options;
  const warn = (message: unknown) =>
    log?.warn({ code: "DATABASE_DRIVER" }, `The database driver reports: ${firstLine(message)}`);
  const timeouts = {
    statement_timeout: 15_000,
    // Whoever cannot have a row for so long is answered like whoever cannot have a connection.
    lock_timeout: acquireTimeoutSeconds * 1000,
    idle_in_transaction_session_timeout: 15_000,
  };
  const database = knex({
    client: "pg",
    connection: {
      connectionString: postgresUrl,
      application_name: "authz-server",
      connectionTimeoutMillis: acquireTimeoutSeconds * 1000,
      ...timeouts,
      keepAlive: true,
    },
    acquireConnectionTimeout: acquireTimeoutSeconds * 1000,
    pool: { min: 0, max: maxConnections, propagateCreateError: true },
    log: { warn, error: warn, deprecate: warn, debug: (message: unknown) => log?.debug(firstLine(message)) },
  });
  // Whatever stops a connection from being made, a wrong password included: the database is away.
  const client = database.client as { acquireRawConnection(): Promise<Parameters<typeof traceQueries>[0]> };
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    try {
      const connection = await connect();
      if (tracing !== undefined) traceQueries(connection, tracing);
      return connection;
    } catch (error) {
      throw unavailable(error);
    }
  };
  return database;
}

function firstLine(message: unknown): string {
  return String(message).split("\n", 1)[0] ?? "";
}

function unavailable(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError(`The database is away: ${(cause as Error).message}`, { cause });
}

/** How the pool is used at this moment. */
export function poolUse(database: Database): PoolUse {
  const { pool } = database.client as {
    pool: Record<"numUsed" | "numFree" | "numPendingAcquires", () => number>;
  };
  return { used: pool.numUsed(), idle: pool.numFree(), waiting: pool.numPendingAcquires() };
}

/**
 * Runs one statement that PostgreSQL parses and plans once per connection.
 *
 * `name` identifies the text: the same name with another text is an error of the driver.
 */
export async function prepared<Row>(
  database: Database,
  statement: { name: string; text: string; values: readonly unknown[] },
): Promise<readonly Row[]> {
  const connection: unknown = await database.client.acquireConnection();
  try {
    const client = connection as {
      query(query: { name: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
    };
    const { name, text, values } = statement;
    const result = await client.query({ name, text, values: [...values] });
    return result.rows;
  } finally {
    await database.client.releaseConnection(connection);
  }
}

/** Turns what the driver and the pool throw when the database is away into `DatabaseUnavailableError`. */
export function translateDatabaseError(error: unknown): unknown {
  return isUnavailable(error)
    ? new DatabaseUnavailableError("The database is away.", { cause: error })
    : error;
}

/**
 * Class 08 is "connection exception", 57P "operator intervention", 53 "insufficient resources". 55P03 waited too long
 * for a lock and 57014 for its end: nothing of them is stored.
 */
const unavailableSqlState = /^(08...|57P0[1-5]|53...|25006|55P03|57014)$/;
const unavailableSystemCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);
/** Knex puts the statement and a dash before the driver's message; values never stand in it. */
const unavailableMessages =
  /(?:^| - )(Connection terminated|timeout expired|Connection ended|Client has encountered a connection error|Unable to acquire a connection|aborted$)/;

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return false;
  if (error.name === "KnexTimeoutError" || error.name === "TimeoutError") return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && (unavailableSystemCodes.has(code) || unavailableSqlState.test(code)))
    return true;
  return unavailableMessages.test(error.message);
}
