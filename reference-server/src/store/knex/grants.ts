import type { Grant, GrantStore } from "../grants.js";
import type { Database } from "./database.js";
import { createGrantListStore } from "./grant-list.js";

/** A row of `grants`, as the driver returns it. */
export interface GrantRow {
  id: string;
  user_id: string;
  client_id: string;
  jkt: string | null;
  scopes: string[];
  auth_time: Date | null;
  amr: string[];
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

export function createGrantStore(database: Database): GrantStore {
  const grants = () => database<GrantRow>("grants");

  return {
    ...createGrantListStore(database),

    async find(id) {
      const row = await grants().first().where({ id });
      return row && grantFromRow(row);
    },
    async findWithEnabledClient(id) {
      const enabled = database("clients").select("id").where({ enabled: true });
      const row = await grants().first().where({ id }).whereIn("client_id", enabled);
      return row && grantFromRow(row);
    },
    async findByRefreshToken(hash) {
      const ids = database("refresh_tokens").select("grant_id").where({ hash });
      const row = await grants().first().whereIn("id", ids);
      return row && grantFromRow(row);
    },
    async listLive({ userId, now, limit }) {
      const rows = await grants()
        .where({ user_id: userId, revoked_at: null })
        .where("expires_at", ">", now)
        .orderBy("created_at", "desc")
        .limit(limit);
      return rows.map(grantFromRow);
    },
    async revoke({ id, reason, at }) {
      const change = { revoked_at: at, revocation_reason: reason };
      return (await database("grants").where({ id, revoked_at: null }).update(change)) > 0;
    },
  };
}

export function grantFromRow(row: GrantRow): Grant {
  return {
    id: row.id,
    userId: row.user_id,
    clientId: row.client_id,
    jkt: row.jkt,
    scopes: row.scopes,
    authTime: row.auth_time,
    amr: row.amr,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
