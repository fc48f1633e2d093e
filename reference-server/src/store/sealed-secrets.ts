import type { Database } from "./postgres/database.js";

/** One secret that `AUTHZ_CREDENTIAL_ENCRYPTION_KEY` has sealed. */
export interface SealedSecret {
  /** What it is bound to: the names of `credentials/rows.ts`. */
  readonly row: string;
  readonly sealed: Buffer;
}

interface SealedSecretChange {
  readonly row: string;
  readonly from: Buffer;
  readonly to: Buffer;
}

/** Where sealed secrets are. A row is named `table/key`. */
const places = [
  { table: "group_providers", key: "id", column: "secret" },
  { table: "identity_providers", key: "id", column: "client_secret" },
  { table: "provider_tests", key: "provider_id", column: "settings" },
  { table: "sealed_secrets", key: "name", column: "secret" },
  { table: "signing_keys", key: "kid", column: "private_jwk" },
] as const;

const allSecrets = places
  .map(
    ({ table, key, column }) =>
      `SELECT '${table}/' || ${key} AS row, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
  )
  .join(" UNION ALL ");

const newestFirst = "activated_at DESC, key_id";

/** Everything that is sealed, wherever it is, and the keys that it is sealed with. */
export function createSealedSecretStore(database: Database) {
  return {
    /** In the order of the rows' names. */
    async list({
      after,
      limit,
    }: {
      readonly after: string;
      readonly limit: number;
    }): Promise<readonly SealedSecret[]> {
      const result: { rows: SealedSecret[] } = await database.raw(
        `SELECT * FROM (${allSecrets}) AS secrets WHERE row COLLATE "C" > ? ORDER BY row COLLATE "C" LIMIT ?`,
        [after, limit],
      );
      return result.rows;
    },
    /** Replaces what is still what was read, byte by byte. Returns how many those were. */
    async replace(changes: readonly SealedSecretChange[]): Promise<number> {
      let replaced = 0;
      for (const { row, from, to } of changes) {
        const place = places.find(({ table }) => row.startsWith(`${table}/`));
        if (place === undefined) throw new TypeError(`${row} is in no table.`);
        const { table, key, column } = place;
        // oxlint-disable-next-line no-await-in-loop -- a few rows in an installation
        replaced += await database(table)
          .where({ [key]: row.slice(table.length + 1), [column]: from })
          .update({ [column]: to });
      }
      return replaced;
    },
    /** A secret of the server's own. */
    async find(name: string): Promise<Buffer | undefined> {
      const row = await database("sealed_secrets")
        .first<{ secret: Buffer } | undefined>("secret")
        .where({ name });
      return row?.secret;
    },
    /** One that is there stays as it is. */
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
    /** Notes a key that is active somewhere; one that is known stays where it is. */
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
