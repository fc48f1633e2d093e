import type { WrappedKey } from "../platform/vault/key-ring.js";
import { type Database, prepared } from "./postgres/database.js";

/** A row whose data key can be sealed again. */
export interface RewrapCandidate {
  readonly id: string;
  /** What the data key is bound to. */
  readonly row: string;
  readonly key: WrappedKey;
}

export interface RewrapChange {
  readonly id: string;
  readonly from: WrappedKey;
  readonly to: WrappedKey;
}

export interface KeyCount {
  readonly keyId: string;
  readonly count: number;
}

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

/** Rows are locked in the order of their ids, so that two runs never wait for each other in a circle. */
function replaceSql(table: Source["table"]): string {
  const isUnchanged = "t.id = c.id AND t.key_id = c.from_key AND t.wrapped_key = c.from_wrapped";
  return `
    WITH change AS (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::bytea[])
        AS c (id, from_key, from_wrapped, to_key, to_wrapped)),
    locked AS MATERIALIZED (
      SELECT t.id FROM ${table} t JOIN change c ON ${isUnchanged} ORDER BY t.id FOR UPDATE OF t)
    UPDATE ${table} t SET key_id = c.to_key, wrapped_key = c.to_wrapped
    FROM change c JOIN locked l ON l.id = c.id WHERE ${isUnchanged}
    RETURNING t.id`;
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

/** Rows whose secret has a data key. Connectors and connections are such. */
/** For the tables whose rows have `key_id` and `wrapped_key`. A row without a key is none of them. */
export function createRewrapStore(database: Database, { table, rowOf }: Source) {
  return {
    /** Rows that these keys have sealed, in the order of their ids. */
    async nextToRewrap({
      keyIds,
      after,
      limit,
    }: {
      readonly keyIds: readonly string[];
      /** Where the batch before ended. */
      readonly after: string | undefined;
      readonly limit: number;
    }): Promise<readonly RewrapCandidate[]> {
      const values = { keyIds: [...keyIds], after: after ?? null, limit };
      const { rows } = await database.raw<{ rows: RewrapRow[] }>(rewrapSql(table), values);
      return rows.map(({ id, connector_id: connectorId, user_id: userId, ...key }) => ({
        id,
        row: rowOf({ id, connectorId, userId }),
        key: { keyId: key.key_id, wrapped: key.wrapped_key },
      }));
    },
    /**
     * Replaces data keys that are still the ones that were read, byte by byte, in one short statement. Returns the ids of
     * those; the others have a newer data key already.
     */
    async rewrap(changes: readonly RewrapChange[]): Promise<ReadonlySet<string>> {
      const values = [
        changes.map(({ id }) => id),
        changes.map(({ from }) => from.keyId),
        changes.map(({ from }) => from.wrapped),
        changes.map(({ to }) => to.keyId),
        changes.map(({ to }) => to.wrapped),
      ];
      const statement = { name: `rewrap_${table}`, text: replaceSql(table), values };
      const rows = await prepared<{ id: string }>(database, statement);
      return new Set(rows.map(({ id }) => id));
    },
    /** Which keys have sealed rows. Takes the same time however many rows there are. */
    async listKeyIds(): Promise<readonly string[]> {
      const { rows } = await database.raw<{ rows: { keyId: string }[] }>(keyIdsSql(table));
      return rows.map(({ keyId }) => keyId);
    },
    /** How many rows each key has sealed. */
    async countByKey(): Promise<readonly KeyCount[]> {
      const query = database(table).whereNotNull("key_id").groupBy("key_id").orderBy("key_id");
      return await query.select<KeyCount[]>(
        database.raw('key_id AS "keyId"'),
        database.raw("count(*)::integer AS count"),
      );
    },
  };
}
