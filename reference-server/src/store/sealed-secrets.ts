import { type Database, prepared, queryRows } from "./postgres/database.js";

/** A stored sealed value. */
export interface SealedSecret {
  readonly id: string;
  /** The row that it is bound to; see `platform/vault/rows.ts`. */
  readonly row: string;
  readonly sealed: Buffer;
}

export interface SealedSecretChange {
  readonly id: string;
  readonly from: Buffer;
  readonly to: Buffer;
}

export interface KeyCount {
  /** Empty: the stored value is not sealed. */
  readonly keyId: string;
  readonly count: number;
}

/** Columns with sealed values that outlive their keys. `row` is SQL where it is more than the table and the id. */
const places = {
  connectors: { id: "id", type: "uuid", column: "client_secret", keyId: "t.key_id" },
  connections: {
    id: "id",
    type: "uuid",
    column: "credentials",
    keyId: "t.key_id",
    row: "'connections/' || t.id || '/' || t.connector_id || '/' || t.user_id",
  },
  group_providers: { id: "id", type: "uuid", column: "secret" },
  identity_providers: { id: "id", type: "uuid", column: "client_secret" },
  presences: {
    id: "user_id",
    type: "uuid",
    column: "refresh_token",
    keyId: "t.key_id",
    row: "'presences/' || t.user_id || '/' || t.provider_id",
  },
  provider_tests: { id: "provider_id", type: "uuid", column: "settings" },
  signal_streams: { id: "id", type: "uuid", column: "token" },
  sealed_secrets: { id: "name", type: "text", column: "secret" },
  signing_keys: { id: "kid", type: "text", column: "private_jwk" },
} as const satisfies Record<string, Place>;

export type SealedTable = keyof typeof places;

interface Place {
  readonly id: string;
  readonly type: "uuid" | "text";
  readonly column: string;
  /** The generated column of the key's id, where there are so many rows that it has an index. */
  readonly keyId?: string;
  readonly row?: string;
}

const placeOf = (table: SealedTable) => {
  const place: Place = places[table];
  return {
    keyId: `sealed_key_id(t.${place.column})`,
    row: `'${table}/' || t.${place.id}`,
    ...place,
  };
};

/** The first rows of each key, and of those the first: one index, however many rows are done already. */
export function rewrapSql(table: SealedTable): string {
  const { id, type, column, keyId, row } = placeOf(table);
  const start = type === "uuid" ? "'00000000-0000-0000-0000-000000000000'" : "''";
  return `
    SELECT found.* FROM unnest(:keyIds::text[]) AS wanted (wanted_key) CROSS JOIN LATERAL (
      SELECT t.${id} AS id, ${row} AS row, t.${column} AS sealed FROM ${table} AS t
      WHERE ${keyId} = wanted_key AND t.${id} > coalesce(:after::${type}, ${start})
      ORDER BY t.${id} LIMIT :limit::integer) AS found
    ORDER BY found.id LIMIT :limit::integer`;
}

/** Rows are locked in the order of their ids, so that two runs never wait for each other in a circle. */
function replaceSql(table: SealedTable): string {
  const { id, type, column, keyId } = placeOf(table);
  const isUnchanged = `t.${id} = c.id AND t.${column} = c.from_sealed`;
  return `
    WITH change AS (
      SELECT * FROM unnest($1::${type}[], $2::bytea[], $3::bytea[]) AS c (id, from_sealed, to_sealed)),
    locked AS MATERIALIZED (
      SELECT t.${id} AS id FROM ${table} t JOIN change c ON ${isUnchanged} ORDER BY t.${id} FOR UPDATE OF t)
    UPDATE ${table} t SET ${column} = c.to_sealed
    FROM change c JOIN locked l ON l.id = c.id WHERE ${isUnchanged}
    RETURNING ${keyId} AS "keyId"`;
}

/** From one key's first entry in the index to that of the next. */
export function keyIdsSql(table: SealedTable): string {
  const { keyId } = placeOf(table);
  return `
    WITH RECURSIVE keys (id) AS (
      SELECT min(${keyId}) FROM ${table} AS t
      UNION ALL
      SELECT (SELECT min(${keyId}) FROM ${table} AS t WHERE ${keyId} > keys.id) FROM keys WHERE keys.id IS NOT NULL)
    SELECT id AS "keyId" FROM keys WHERE id IS NOT NULL`;
}

const newestFirst = "activated_at DESC, key_id";

/** Sealed values in every table, and the keys that they are sealed with. */
export function createSealedSecretStore(database: Database) {
  return {
    /** Rows that these keys have sealed, in the order of their ids. */
    async list(
      table: SealedTable,
      {
        keyIds,
        after,
        limit,
      }: {
        readonly keyIds: readonly string[];
        /** Where the batch before ended. */
        readonly after: string | undefined;
        readonly limit: number;
      },
    ): Promise<readonly SealedSecret[]> {
      const values = { keyIds: [...keyIds], after: after ?? null, limit };
      const rows = await queryRows<SealedSecret>(database, rewrapSql(table), values);
      return rows;
    },
    /**
     * Replaces values that are still the ones that were read, byte by byte, in one short statement. Returns how many each
     * new key has sealed of those; the others have a newer value already.
     */
    async replace(table: SealedTable, changes: readonly SealedSecretChange[]): Promise<readonly KeyCount[]> {
      const values = [
        changes.map(({ id }) => id),
        changes.map(({ from }) => from),
        changes.map(({ to }) => to),
      ];
      const statement = { name: `rewrap_${table}`, text: replaceSql(table), values };
      const rows = await prepared<{ keyId: string }>(database, statement);
      const counts = new Map<string, number>();
      for (const { keyId } of rows) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
      return [...counts].map(([keyId, count]) => ({ keyId, count }));
    },
    /** Which keys have sealed rows. With an index it takes the same time however many rows there are. */
    async listKeyIds(table: SealedTable): Promise<readonly string[]> {
      const rows = await queryRows<{ keyId: string }>(database, keyIdsSql(table));
      return rows.map(({ keyId }) => keyId);
    },
    /** How many rows each key has sealed. */
    async countByKey(table: SealedTable): Promise<readonly KeyCount[]> {
      const { keyId, column } = placeOf(table);
      const rows = await queryRows<KeyCount>(
        database,
        `SELECT ${keyId} AS "keyId", count(*)::integer AS count FROM ${table} AS t
         WHERE t.${column} IS NOT NULL GROUP BY 1 ORDER BY 1`,
      );
      return rows;
    },
    /** A secret of the server's own. */
    async find(name: string): Promise<Buffer | undefined> {
      const row = await database("sealed_secrets")
        .first<{ secret: Buffer } | undefined>("secret")
        .where({ name });
      return row?.secret;
    },
    /** An existing one stays as it is. */
    async insertMissing(name: string, sealed: Buffer): Promise<void> {
      await database("sealed_secrets").insert({ name, secret: sealed }).onConflict("name").ignore();
    },
    /** The key that was made the active one last. */
    async newestKeyId(): Promise<string | undefined> {
      const row = await database("credential_keys")
        .first<{ key_id: string } | undefined>("key_id")
        .orderByRaw(newestFirst);
      return row?.key_id;
    },
    /** Records a key that is active in some process; a known one keeps its position. */
    async addKey(keyId: string): Promise<void> {
      await database("credential_keys").insert({ key_id: keyId }).onConflict("key_id").ignore();
    },
    /** Makes a key the newest one. */
    async renewKey(keyId: string): Promise<void> {
      const activated = { activated_at: database.raw("clock_timestamp()") };
      await database("credential_keys")
        .insert({ key_id: keyId, ...activated })
        .onConflict("key_id")
        .merge(activated);
    },
  };
}
