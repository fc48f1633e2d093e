import type { OpenStore } from "../store.js";
import { type Database, translateDatabaseError } from "./database.js";

interface Connection {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: { done: boolean }[] }>;
}

/** Locks are per session, so that work which takes long holds no transaction open. */
export function createExclusiveRunner(database: Database): OpenStore["exclusively"] {
  return async (task, work) => {
    try {
      const connection = (await database.client.acquireConnection()) as Connection;
      try {
        if (!(await call(connection, "pg_try_advisory_lock", task))) return undefined;
        try {
          return await work();
        } finally {
          await call(connection, "pg_advisory_unlock", task);
        }
      } finally {
        await database.client.releaseConnection(connection);
      }
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
}

async function call(connection: Connection, name: string, task: string): Promise<boolean> {
  const text = `SELECT ${name}(hashtextextended($1, 0)) AS done`;
  const { rows } = await connection.query({ text, values: [`authz: ${task}`] });
  return rows[0]?.done === true;
}
