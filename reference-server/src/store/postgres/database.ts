import knex, { type Knex } from "knex";
import type { Client } from "pg";
import type { Logger } from "pino";
import type { PoolUse } from "../../platform/http/metrics.js";
import type { Tracing } from "../../platform/tracing/tracing.js";
import { DatabaseUnavailableError } from "../database-unavailable-error.js";
import { closeConnection, connectWithLimits, createConnector } from "./connection.js";
import type { Heartbeat } from "./statement-deadline.js";
import { traceQueries } from "./trace-queries.js";

/** A connection pool, or one transaction on it. */
export type Database = Knex;

export interface DatabaseOptions {
  readonly postgresUrl: string;
  readonly poolSize?: number;
  /** Time-out of connecting. */
  readonly connectSeconds?: number;
  /** How long a statement may take, and how long a request waits for a connection, before it is answered with 503. */
  readonly statementSeconds?: number;
  /** Interval of checks of all servers of the URL, in milliseconds. */
  readonly recheckMilliseconds?: number;
  /** Where the driver's own warnings go. */
  readonly log?: Pick<Logger, "warn" | "debug">;
  /** Measures statements; nothing is wrapped without it. */
  readonly tracing?: Tracing | undefined;
}

/** What the pool needs of Knex's client for PostgreSQL. */
interface PoolClient {
  acquireRawConnection(): Promise<Client>;
  destroyRawConnection(connection: Client): Promise<void>;
  validateConnection(connection: Client): boolean;
}

/** Opens a pool. Connections are made on demand, so a database that is away fails the query, not the start. */
export function openDatabase(options: DatabaseOptions): Database {
  const { postgresUrl, poolSize = 10, connectSeconds = 3, statementSeconds = 5, log, tracing } = options;
  const warn = (message: unknown) => {
    const line = firstLine(message);
    // The caller gets the same error and reports it, once per outage instead of once per request.
    if (line.startsWith("Acquire connection error:")) log?.debug(line);
    else log?.warn({ code: "DATABASE_DRIVER" }, `The database driver reports: ${line}`);
  };
  const database = knex({
    client: "pg",
    // Never used to connect; Knex requires it.
    connection: {},
    // Otherwise Knex queries it once per pool.
    version: "16",
    acquireConnectionTimeout: statementSeconds * 1000,
    pool: { min: 0, max: poolSize, propagateCreateError: true },
    log: { warn, error: warn, deprecate: warn, debug: (message: unknown) => log?.debug(firstLine(message)) },
  });
  const pool = database.client as PoolClient;
  const heartbeats = new WeakMap<Client, Heartbeat>();
  /** A dead connection is rarely the only one: connections without an answer since then are not used again. */
  let suspectSince = Number.NEGATIVE_INFINITY;
  const deadline = {
    seconds: statementSeconds,
    onSuspicion(since: number) {
      suspectSince = Math.max(suspectSince, since);
    },
  };
  const connector = createConnector({
    postgresUrl,
    name: "authz-server",
    connectSeconds,
    ...(options.recheckMilliseconds !== undefined && { recheckMilliseconds: options.recheckMilliseconds }),
    onRefused: (reasons) =>
      log?.warn({ code: "DATABASE_SPLIT" }, `Database servers that get no writes: ${reasons}.`),
  });
  let connectedAt = Number.NEGATIVE_INFINITY;
  pool.acquireRawConnection = async () => {
    const startedAt = performance.now();
    try {
      const { client, heartbeat } = await connectWithLimits(connector.connect, deadline);
      connectedAt = performance.now();
      if (tracing !== undefined) traceQueries(client, tracing);
      heartbeats.set(client, heartbeat);
      client.once("error", () => heartbeats.delete(client)).once("end", () => heartbeats.delete(client));
      return client;
    } catch (error) {
      // Begun during an outage that is over, while its caller may have come later: retry.
      if (connectedAt > startedAt) return await pool.acquireRawConnection();
      // Every failure to connect, a wrong password included, means that the database is away.
      throw unavailable(error);
    }
  };
  const isHealthy = (client: Client) => (heartbeats.get(client)?.answeredAt ?? suspectSince) > suspectSince;
  pool.validateConnection = (client) => isHealthy(client) && connector.isCurrent(client);
  pool.destroyRawConnection = async (client) => {
    if (isHealthy(client)) await closeConnection(client);
    else client.connection.stream.destroy();
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

/** Runs one statement and returns its rows. */
export async function queryRows<Row>(
  database: Database,
  text: string,
  values: readonly unknown[] | Readonly<Record<string, unknown>> = [],
): Promise<readonly Row[]> {
  const { rows }: { rows: Row[] } = await database.raw(text, values as readonly string[]);
  return rows;
}

export interface PreparedStatement {
  /** Identifies the text: the same name with another text is an error of the driver. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Instead of the limit for every statement. */
  readonly deadlineSeconds?: number;
}

/** Runs one statement that PostgreSQL parses and plans once per connection, unless a pooler is in between. */
export async function prepared<Row>(
  database: Database,
  statement: PreparedStatement,
): Promise<readonly Row[]> {
  const connection: unknown = await database.client.acquireConnection();
  try {
    const client = connection as {
      query(query: PreparedStatement & { values: unknown[] }): Promise<{ rows: Row[] }>;
    };
    const result = await client.query({ ...statement, values: [...statement.values] });
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

/** How PostgreSQL reads bytes from a text. */
export function bytea(bytes: Buffer): string {
  return `\\x${bytes.toString("hex")}`;
}
