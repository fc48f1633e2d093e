import type { RefreshTokenStore } from "../refresh-tokens.js";
import { type Database, prepared } from "./database.js";
import { type GrantRow, grantFromRow } from "./grants.js";

interface TokenAndGrantRow extends GrantRow {
  token_hash: Buffer;
  token_created_at: Date;
  token_expires_at: Date;
  token_used_at: Date | null;
}

const insertSql = `
  INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at, used_at) VALUES ($1, $2, $3, $4, $5)`;

const findSql = `
  SELECT g.id, g.user_id, g.client_id, g.jkt, g.scopes, g.auth_time, g.amr, g.created_at, g.expires_at, g.revoked_at,
    t.hash AS token_hash, t.created_at AS token_created_at, t.expires_at AS token_expires_at, t.used_at AS token_used_at
  FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id
  WHERE t.hash = $1`;

const useSql = `
  UPDATE refresh_tokens SET used_at = $2 WHERE hash = $1 AND used_at IS NULL AND expires_at > $2
  RETURNING hash`;

export function createRefreshTokenStore(database: Database): RefreshTokenStore {
  return {
    async insert({ hash, grantId, createdAt, expiresAt, usedAt }) {
      const values = [hash, grantId, createdAt, expiresAt, usedAt];
      await prepared(database, { name: "refresh_token_insert", text: insertSql, values });
    },
    async find(hash) {
      const statement = { name: "refresh_token_find", text: findSql, values: [hash] };
      const [row] = await prepared<TokenAndGrantRow>(database, statement);
      if (row === undefined) return undefined;
      const token = {
        hash: row.token_hash,
        grantId: row.id,
        createdAt: row.token_created_at,
        expiresAt: row.token_expires_at,
        usedAt: row.token_used_at,
      };
      return { token, grant: grantFromRow(row) };
    },
    async use({ hash, now }) {
      const rows = await prepared(database, { name: "refresh_token_use", text: useSql, values: [hash, now] });
      return rows.length > 0;
    },
  };
}
