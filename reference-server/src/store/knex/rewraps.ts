import type { KeyCount, RewrapStore } from "../rewraps.js";
import type { Database } from "./database.js";

interface RewrapRow {
  id: string;
  key_id: string;
  wrapped_key: Buffer;
  /** Connections only. */
  connector_id: string;
  user_id: string;
}

interface Source {
  readonly table: "connectors" | "connections";
  readonly rowOf: (row: { id: string; connectorId: string; userId: string }) => string;
}

/** The first rows of each key, and of those the first: one index, however many rows are done already. */
export function rewrapSql(table: Source["table"]): string {
  const columns =
    table === "connections" ? "id, key_id, wrapped_key, connector_id, user_id" : "id, key_id, wrapped_key";
  return `
    SELECT found.* FROM unnest(:keyIds::text[]) AS wanted (key_id) CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table} AS t
      WHERE t.key_id = wanted.key_id AND t.id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
      ORDER BY t.id LIMIT :limit::integer) AS found
    ORDER BY found.id LIMIT :limit::integer`;
}

/** From one key's first entry in the index to that of the next. */
export function keyIdsSql(table: Source["table"]): string {
  return `
    WITH RECURSIVE keys (id) AS (
      SELECT min(key_id) FROM ${table}
      UNION ALL
      SELECT (SELECT min(key_id) FROM ${table} WHERE key_id > keys.id) FROM keys WHERE keys.id IS NOT NULL)
    SELECT id AS "keyId" FROM keys WHERE id IS NOT NULL`;
}

/** For the tables whose rows have `key_id` and `wrapped_key`. A row without a key is none of them. */
export function createRewrapStore(database: Database, { table, rowOf }: Source): RewrapStore {
  return {
    async nextToRewrap({ keyIds, after, limit }) {
      const values = { keyIds: [...keyIds], after: after ?? null, limit };
      const { rows } = await database.raw<{ rows: RewrapRow[] }>(rewrapSql(table), values);
      return rows.map(({ id, connector_id: connectorId, user_id: userId, ...key }) => ({
        id,
        row: rowOf({ id, connectorId, userId }),
        key: { keyId: key.key_id, wrapped: key.wrapped_key },
      }));
    },
    async rewrap({ id, from, to }) {
      const changed = await database(table)
        .where({ id, key_id: from.keyId, wrapped_key: from.wrapped })
        .update({ key_id: to.keyId, wrapped_key: to.wrapped });
      return changed > 0;
    },
    async listKeyIds() {
      const { rows } = await database.raw<{ rows: { keyId: string }[] }>(keyIdsSql(table));
      return rows.map(({ keyId }) => keyId);
    },
    async countByKey() {
      const query = database(table).whereNotNull("key_id").groupBy("key_id").orderBy("key_id");
      return await query.select<KeyCount[]>(
        database.raw('key_id AS "keyId"'),
        database.raw("count(*)::integer AS count"),
      );
    },
  };
}
