import type { SealedSecret, SealedSecretStore } from "../sealed-secrets.js";
import type { Database } from "./database.js";

/** Where sealed secrets are. A row is named `table/key`. */
const places = [
  { table: "group_providers", key: "id", column: "secret" },
  { table: "identity_providers", key: "id", column: "client_secret" },
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

export function createSealedSecretStore(database: Database): SealedSecretStore {
  return {
    async list({ after, limit }) {
      const result: { rows: SealedSecret[] } = await database.raw(
        `SELECT * FROM (${allSecrets}) AS secrets WHERE row COLLATE "C" > ? ORDER BY row COLLATE "C" LIMIT ?`,
        [after, limit],
      );
      return result.rows;
    },
    async replace(changes) {
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
    async find(name) {
      const row = await database("sealed_secrets")
        .first<{ secret: Buffer } | undefined>("secret")
        .where({ name });
      return row?.secret;
    },
    async insertMissing(name, sealed) {
      await database("sealed_secrets").insert({ name, secret: sealed }).onConflict("name").ignore();
    },
    async newestKeyId() {
      const row = await database("credential_keys")
        .first<{ key_id: string } | undefined>("key_id")
        .orderByRaw(newestFirst);
      return row?.key_id;
    },
    async addKey(keyId) {
      await database("credential_keys").insert({ key_id: keyId }).onConflict("key_id").ignore();
    },
    async renewKey(keyId) {
      const activated = { activated_at: database.raw("clock_timestamp()") };
      await database("credential_keys")
        .insert({ key_id: keyId, ...activated })
        .onConflict("key_id")
        .merge(activated);
    },
  };
}
