import type { ExpiredKind, ExpiredRecordStore } from "../expired-records.js";
import { type Database, prepared } from "./database.js";

interface Rule {
  readonly table: string;
  /** When its time was over; has an index. */
  readonly column: string;
  /** The moment, in the unit of the column. */
  readonly moment?: string;
  readonly condition?: string;
}

const rules: Readonly<Record<ExpiredKind, Rule>> = {
  authorization_codes: {
    table: "authorization_codes",
    column: "expires_at",
    condition: "(used_at IS NULL OR grant_id IS NULL)",
  },
  authorization_requests: { table: "authorization_requests", column: "expires_at" },
  browser_sessions: { table: "browser_sessions", column: "expires_at" },
  device_authorizations: { table: "device_authorizations", column: "expires_at" },
  dpop_replays: { table: "dpop_replays", column: "expires_at" },
  expired_grants: { table: "grants", column: "expires_at" },
  known_groups: { table: "known_groups", column: "seen_at" },
  rate_limits: {
    table: "rate_limits",
    column: "minute",
    moment: "(extract(epoch FROM $1::timestamptz) / 60)::integer",
  },
  refresh_tokens: { table: "refresh_tokens", column: "expires_at" },
  revoked_grants: { table: "grants", column: "revoked_at" },
  sign_in_attempts: { table: "sign_in_attempts", column: "expires_at" },
  user_groups: { table: "user_groups", column: "expires_at" },
};

/** A batch takes the oldest, and skips what somebody is using: it will be there the next time. */
export function removeStatement(kind: ExpiredKind): { name: string; text: string } {
  const { table, column, moment = "$1::timestamptz", condition = "true" } = rules[kind];
  const text = `
    WITH removed AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${column} < ${moment} AND ${condition}
        ORDER BY ${column} LIMIT $2::integer FOR UPDATE SKIP LOCKED))
      RETURNING 1)
    SELECT count(*)::integer AS count FROM removed`;
  return { name: `remove_${kind}`, text };
}

export function createExpiredRecordStore(database: Database): ExpiredRecordStore {
  return {
    async remove(kind, { before, limit }) {
      const statement = { ...removeStatement(kind), values: [before, limit] };
      const [row] = await prepared<{ count: number }>(database, statement);
      return row?.count ?? 0;
    },
  };
}
