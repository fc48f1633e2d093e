import { setTimeout as delay } from "node:timers/promises";
import { type Database, translateDatabaseError } from "./database.js";

interface Connection {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: { locked?: boolean }[] }>;
}

const lockSql = `
  SELECT set_config('idle_in_transaction_session_timeout', $2, true),
    pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked`;

/**
 * Locks are held by a transaction that does nothing else: it has no snapshot, so it delays no vacuum, and it works through a connection
 * pooler. A holder whose packets are lost sends no heartbeat, so the database ends its transaction.
 */
export function createExclusiveRunner(
  database: Database,
  /** Interval of the holder's heartbeat. */
  { heartbeatSeconds }: { readonly heartbeatSeconds: number },
): <T>(task: string, work: () => Promise<T>) => Promise<T | undefined> {
  const forgottenAfter = String(heartbeatSeconds * 3 * 1000);
  return async (task, work) => {
    try {
      const connection = (await database.client.acquireConnection()) as Connection;
      try {
        await run(connection, "BEGIN");
        const { rows } = await run(connection, lockSql, [`authz: ${task}`, forgottenAfter]);
        if (rows[0]?.locked !== true) return undefined;
        return await holding(work, (over) => sendHeartbeats(connection, { heartbeatSeconds, over }));
      } finally {
        // The work is done; a lock that was lost meanwhile changes nothing.
        await run(connection, "COMMIT").catch(() => undefined);
        await database.client.releaseConnection(connection);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
}

async function holding<T>(
  work: () => Promise<T>,
  sendUntil: (over: AbortSignal) => Promise<void>,
): Promise<T> {
  const over = new AbortController();
  const ended = sendUntil(over.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await ended;
  }
}

async function sendHeartbeats(
  connection: Connection,
  { heartbeatSeconds, over }: { readonly heartbeatSeconds: number; readonly over: AbortSignal },
): Promise<void> {
  for (;;) {
    await delay(heartbeatSeconds * 1000, undefined, { ref: false, signal: over });
    await run(connection, "SELECT");
  }
}

function run(connection: Connection, text: string, values: unknown[] = []) {
  return connection.query({ text, values });
}
