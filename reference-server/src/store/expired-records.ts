import { idleClientSql } from "./clients.js";
import { standsSql } from "./consents.js";
import { type Database, prepared } from "./postgres/database.js";

/** What grows by itself and is of no use after some time. */
export const expiredKinds = [
  "access_requests",
  "app_requests",
  "approvals",
  "audit_client_counts",
  "audit_client_people",
  "audit_counts",
  "audit_resource_counts",
  "authorization_codes",
  "authorization_requests",
  "browser_sessions",
  "connection_attempts",
  "consents",
  "device_authorizations",
  "dpop_replays",
  "expired_grants",
  "known_groups",
  "lifted_stops",
  "rate_limits",
  "refresh_tokens",
  "revoked_grants",
  "rule_uses",
  "sign_in_attempts",
  "sign_in_tests",
  "skill_reads",
  "status_entries",
  "unused_documents",
  "unused_registrations",
  "usage_counts_days",
  "usage_counts_hours",
  "usage_denials_days",
  "usage_denials_hours",
  "usage_people_days",
  "usage_people_hours",
  "usage_person_sums_days",
  "usage_person_sums_hours",
  "usage_person_sums_weeks",
  "user_groups",
] as const;

export type ExpiredKind = (typeof expiredKinds)[number];

interface Rule {
  readonly table: string;
  /** When its time was over; has an index. */
  readonly column: string;
  /** The unit of the column. Absent: a timestamp. */
  readonly unit?: "minutes" | "days";
  readonly condition?: string;
}

/** By the clock of the database: that of a process may be ahead. */
const moment = "now() - $2::float8 * interval '1 second'";

const rules: Readonly<Record<ExpiredKind, Rule>> = {
  access_requests: { table: "access_requests", column: "decided_at" },
  app_requests: { table: "app_requests", column: "asked_at" },
  approvals: {
    table: "approvals",
    column: "created_at",
    condition: "state NOT IN ('pending', 'approved')",
  },
  audit_client_counts: { table: "audit_client_counts", column: "hour" },
  audit_client_people: { table: "audit_client_people", column: "last_hour" },
  audit_counts: { table: "audit_counts", column: "hour" },
  audit_resource_counts: { table: "audit_resource_counts", column: "day", unit: "days" },
  authorization_codes: {
    table: "authorization_codes",
    column: "expires_at",
    condition: "(used_at IS NULL OR grant_id IS NULL)",
  },
  authorization_requests: { table: "authorization_requests", column: "expires_at" },
  browser_sessions: { table: "browser_sessions", column: "expires_at" },
  connection_attempts: { table: "connection_attempts", column: "expires_at" },
  consents: { table: "consents", column: "given_at", condition: `NOT ${standsSql("consents", "now()")}` },
  device_authorizations: { table: "device_authorizations", column: "expires_at" },
  dpop_replays: { table: "dpop_replays", column: "expires_at" },
  expired_grants: { table: "grants", column: "expires_at" },
  known_groups: { table: "known_groups", column: "seen_at" },
  // Nothing that began before it lives any more.
  lifted_stops: { table: "stops", column: "not_before", condition: "NOT stopped" },
  rate_limits: {
    table: "rate_limits",
    column: "minute",
    unit: "minutes",
  },
  refresh_tokens: { table: "refresh_tokens", column: "expires_at" },
  rule_uses: { table: "rule_uses", column: "starts_at" },
  revoked_grants: { table: "grants", column: "revoked_at" },
  sign_in_attempts: { table: "sign_in_attempts", column: "expires_at" },
  sign_in_tests: { table: "sign_in_tests", column: "expires_at" },
  skill_reads: { table: "skill_reads", column: "hour" },
  status_entries: { table: "status_entries", column: "free_at" },
  // It would come again the same, unless an administrator has changed it.
  unused_documents: {
    table: "clients",
    column: "created_at",
    condition: `source = 'metadata_document' AND enabled AND NOT limited AND ${idleClientSql}
      AND (SELECT d.fetched_at FROM client_documents d WHERE d.client_id = clients.id) < ${moment}`,
  },
  unused_registrations: {
    table: "clients",
    column: "created_at",
    condition: `source = 'dynamic_registration' AND ${idleClientSql}`,
  },
  usage_counts_days: { table: "usage_counts", column: "at", condition: "unit = 'day'" },
  usage_counts_hours: { table: "usage_counts", column: "at", condition: "unit = 'hour'" },
  usage_denials_days: { table: "usage_denials", column: "at", condition: "unit = 'day'" },
  usage_denials_hours: { table: "usage_denials", column: "at", condition: "unit = 'hour'" },
  usage_people_days: { table: "usage_people", column: "at", condition: "unit = 'day'" },
  usage_people_hours: { table: "usage_people", column: "at", condition: "unit = 'hour'" },
  usage_person_sums_days: { table: "usage_person_sums", column: "at", condition: "unit = 'day'" },
  usage_person_sums_hours: { table: "usage_person_sums", column: "at", condition: "unit = 'hour'" },
  usage_person_sums_weeks: { table: "usage_person_sums", column: "at", condition: "unit = 'week'" },
  user_groups: { table: "user_groups", column: "expires_at" },
};

const inUnit = {
  minutes: `(extract(epoch FROM ${moment}) / 60)::integer`,
  days: `(${moment})::date`,
} as const;

/** A batch takes the oldest, and skips locked rows, which the next one finds again. */
export function removeStatement(kind: ExpiredKind): { name: string; text: string } {
  const { table, column, unit, condition = "true" } = rules[kind];
  const limit = unit === undefined ? moment : inUnit[unit];
  const text = `
    WITH removed AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${column} < ${limit} AND ${condition}
        ORDER BY ${column} LIMIT $1::integer FOR UPDATE SKIP LOCKED))
      RETURNING 1)
    SELECT count(*)::integer AS count FROM removed`;
  return { name: `remove_${kind}`, text };
}

export function createExpiredRecordStore(database: Database) {
  return {
    /**
     * Removes records of one kind whose time has been over for so long by the clock of the database, in one short
     * statement, and returns how many there were. A used code stays while the grant it produced is there.
     */
    async remove(
      kind: ExpiredKind,
      { keepSeconds, limit }: { readonly keepSeconds: number; readonly limit: number },
    ): Promise<number> {
      const statement = { ...removeStatement(kind), values: [limit, keepSeconds] };
      const [row] = await prepared<{ count: number }>(database, statement);
      return row?.count ?? 0;
    },
  };
}
