import { type ReplayRecord, type ReplayStore, ReplayStoreUnavailableError, within } from "@authz/dpop/replay";
import { defaultTable, parseTableName, type TableName } from "./table.js";

/** The used part of a `pg` Pool. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rowCount: number | null }>;
}

/** One statement as `pg` takes it. */
export interface PostgresQuery {
  text: string;
  values: unknown[];
  /** Milliseconds after which `pg` gives up the connection. */
  query_timeout?: number;
}

export interface PostgresOptions {
  /** A `pg` Pool. It stays yours: the store never ends it. */
  pool: PostgresPool;
  /** `table` or `schema.table`; `authz_replays` by default. Create it with `createTable()` or the shipped migration. */
  table?: string;
  /** Timeout of the database, after which the use counts as unknown. 2 by default. */
  timeoutSeconds?: number;
  /** Interval of deleting expired keys in the background. 60 by default; 0 leaves it to your own calls of `prune`. */
  pruneIntervalSeconds?: number;
  /** Called when deleting in the background fails. A process warning by default. */
  onPruneError?: (error: unknown) => void;
}

/** A replay store that all processes with the same table share. */
export interface PostgresReplayStore extends ReplayStore {
  consume(record: ReplayRecord): Promise<boolean>;
  /**
   * Deletes what expired more than two minutes ago by the clock of the database, in batches.
   *
   * @returns the number of deleted keys
   */
  prune(): Promise<number>;
  /** Stops deleting in the background. The pool is not ended. */
  close(): void;
}

/** Grace period after expiry in which a key may still be new, for clocks that differ. */
const acceptedSeconds = 30;
// Retention after expiry: longer than the grace period by the time that a concurrent INSERT may take.
const keptSeconds = 120;
const batchSize = 1000;
/** Longer than the timeout of a use, because no request waits for a batch of deletions. */
const pruneTimeoutMilliseconds = 30_000;

/**
 * Creates a replay store in PostgreSQL: one INSERT … ON CONFLICT DO NOTHING per use decides, so any number of processes can
 * share the table.
 *
 * A use that expired more than 30 seconds ago by the clock of the database counts as known: its record may be deleted, and
 * a process with a slow clock must not accept it.
 *
 * @throws {TypeError} An option is missing, malformed or unknown.
 */
export function postgres(options: PostgresOptions): PostgresReplayStore {
  const { pool, table, timeoutSeconds, pruneIntervalSeconds, onPruneError } = readOptions(options);
  const text = `INSERT INTO ${table.qualified} (key, expires_at)
    SELECT $1::text, to_timestamp($2::float8)
    WHERE to_timestamp($2::float8) > now() - interval '${acceptedSeconds} seconds' ON CONFLICT (key) DO NOTHING`;
  const timeout = timeoutSeconds * 1000;
  let pruning: Promise<number> | undefined;

  async function insert({ key, expiresAt }: ReplayRecord): Promise<boolean> {
    const { rowCount } = await pool.query({ text, values: [key, expiresAt], query_timeout: timeout });
    if (rowCount === 1) return true;
    if (rowCount === 0) return false;
    throw new TypeError("The pool did not say how many rows the INSERT added.");
  }

  function prune(): Promise<number> {
    pruning ??= pruneExpired(pool, table, pruneTimeoutMilliseconds).finally(() => {
      pruning = undefined;
    });
    return pruning;
  }

  const timer =
    pruneIntervalSeconds > 0
      ? setInterval(() => void prune().catch(onPruneError), pruneIntervalSeconds * 1000).unref()
      : undefined;

  return Object.freeze({
    async consume(record: ReplayRecord) {
      try {
        return await within(
          timeoutSeconds,
          insert(record),
          () => new Error(`No answer in ${timeoutSeconds} s.`),
        );
      } catch (error) {
        throw unavailable(error, table.qualified);
      }
    },
    prune,
    close: () => clearInterval(timer),
  });
}

/**
 * Deletes keys that are expired by the clock of the database, in small batches to hold locks briefly, skipping those that
 * another process is deleting.
 *
 * @returns the number of deleted keys
 */
async function pruneExpired(
  pool: PostgresPool,
  table: TableName,
  timeoutMilliseconds: number,
): Promise<number> {
  const text = `DELETE FROM ${table.qualified} WHERE key IN (
    SELECT key FROM ${table.qualified} WHERE expires_at < now() - interval '${keptSeconds} seconds'
    ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
  )`;
  let deleted = 0;
  let inBatch: number;
  do {
    const { rowCount } = await pool.query({ text, values: [], query_timeout: timeoutMilliseconds });
    inBatch = rowCount ?? 0;
    deleted += inBatch;
  } while (inBatch === batchSize);
  return deleted;
}

function unavailable(error: unknown, table: string): ReplayStoreUnavailableError {
  const isTableMissing = (error as { code?: unknown } | null)?.code === "42P01";
  const message = isTableMissing
    ? `The replay table ${table} does not exist. Create it with the SQL that createTable() returns.`
    : "PostgreSQL did not record the use of a proof.";
  return new ReplayStoreUnavailableError(message, { cause: error });
}

const knownOptions = ["pool", "table", "timeoutSeconds", "pruneIntervalSeconds", "onPruneError"];

function readOptions(options: PostgresOptions) {
  if (typeof options !== "object" || options === null)
    throw new TypeError("postgres: options must be an object.");
  for (const name of Object.keys(options)) {
    if (!knownOptions.includes(name)) {
      throw new TypeError(`postgres: unknown option "${name}". Known options: ${knownOptions.join(", ")}.`);
    }
  }
  const { pool, table = defaultTable, timeoutSeconds = 2, pruneIntervalSeconds = 60 } = options;
  const { onPruneError = warn } = options;
  if (typeof pool?.query !== "function") throw new TypeError("postgres: pool must be a pg Pool.");
  requireSeconds("timeoutSeconds", timeoutSeconds, { min: 0.01, max: 60 });
  requireSeconds("pruneIntervalSeconds", pruneIntervalSeconds, { min: 0, max: 86_400 });
  requireFunction("onPruneError", onPruneError);
  return {
    pool,
    table: parseTableName("postgres: table", table),
    timeoutSeconds,
    pruneIntervalSeconds,
    onPruneError,
  };
}

function requireSeconds(option: string, value: unknown, { min, max }: { min: number; max: number }): void {
  if (typeof value !== "number" || !(value >= min && value <= max)) {
    throw new TypeError(`postgres: ${option} must be a number of seconds from ${min} to ${max}.`);
  }
}

function requireFunction(option: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`postgres: ${option} must be a function.`);
}

function warn(error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  process.emitWarning(`Deleting expired keys from the replay table failed: ${detail}`, {
    type: "AuthzWarning",
    code: "AUTHZ_REPLAY_PRUNE",
  });
}
