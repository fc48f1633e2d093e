import { type Database, queryRows } from "./postgres/database.js";

/**
 * Records that a backup brings back although they were used, answered or ended after it. In the order of removal: dependent records come
 * first, so that they are counted.
 */
export const restoredKinds = [
  "signInAttempts",
  "authorizationRequests",
  "deviceAuthorizations",
  "authorizationCodes",
  "connectionAttempts",
  "browserSessions",
  "consents",
  "grants",
] as const;

export type RestoredKind = (typeof restoredKinds)[number];

interface Rule {
  readonly table: string;
  /** The primary key, or its beginning: the order of the batches. */
  readonly key: "id" | "hash" | "state_hash" | "user_id";
  readonly type: "uuid" | "bytea";
  /** What ends; `:before` is the moment. */
  readonly condition: string;
  /** Absent: the row is removed. */
  readonly change?: string;
}

/** Records issued later may still depend on a session or a consent from before. */
const issuedBefore = "(created_at < :before OR auth_time < :before)";

const rules: Readonly<Record<RestoredKind, Rule>> = {
  signInAttempts: {
    table: "sign_in_attempts",
    key: "state_hash",
    type: "bytea",
    condition: "created_at < :before",
  },
  authorizationRequests: {
    table: "authorization_requests",
    key: "id",
    type: "uuid",
    condition: "created_at < :before",
  },
  deviceAuthorizations: {
    table: "device_authorizations",
    key: "id",
    type: "uuid",
    condition: issuedBefore,
  },
  // A used one stays as long as its grant, so that its second use is recognised.
  authorizationCodes: {
    table: "authorization_codes",
    key: "hash",
    type: "bytea",
    condition: `used_at IS NULL AND ${issuedBefore}`,
  },
  connectionAttempts: {
    table: "connection_attempts",
    key: "id",
    type: "uuid",
    condition: "created_at < :before",
  },
  browserSessions: {
    table: "browser_sessions",
    key: "id",
    type: "uuid",
    condition: "signed_in_at < :before",
  },
  // A consent that was withdrawn since is indistinguishable from the others, so all are asked for again.
  consents: {
    table: "consents",
    key: "user_id",
    type: "uuid",
    condition: "given_at < :before",
  },
  grants: {
    table: "grants",
    key: "id",
    type: "uuid",
    condition: `revoked_at IS NULL AND expires_at > :at AND ${issuedBefore}`,
    change: "revoked_at = :at, revocation_reason = 'restored'",
  },
};

function endStatement({ table, key, type, condition, change }: Rule): string {
  const ends =
    change === undefined
      ? `DELETE FROM ${table} AS r USING batch WHERE r.${key} = batch.key AND ${condition}`
      : `UPDATE ${table} AS r SET ${change} FROM batch WHERE r.${key} = batch.key AND ${condition}`;
  return `
    WITH batch AS MATERIALIZED (
      SELECT ${key} AS key FROM ${table}
      WHERE (CAST(:after AS ${type}) IS NULL OR ${key} > CAST(:after AS ${type})) AND ${condition}
      ORDER BY ${key} LIMIT :limit
    ), ended AS (${ends} RETURNING 1)
    SELECT (SELECT count(*)::integer FROM ended) AS count,
      (SELECT key::text FROM batch ORDER BY key DESC LIMIT 1) AS last`;
}

export function createRestoredRecordStore(database: Database) {
  return {
    /**
     * Locks these records against writes until the transaction ends: concurrent work is stored before, or
     * decided again afterwards. Returns the database's clock.
     */
    async lock(): Promise<Date> {
      const tables = Object.values(rules).map(({ table }) => table);
      await database.raw(`LOCK TABLE ${tables.join(", ")} IN SHARE ROW EXCLUSIVE MODE`);
      const [row] = await queryRows<{ at: Date }>(database, "SELECT clock_timestamp() AS at");
      if (row === undefined) throw new Error("The database has a clock.");
      return row.at;
    },
    /**
     * Ends a batch of records that were issued before a moment, or depend on a sign-in before it: grants are revoked, all others removed.
     * `next` is where the next batch begins; `undefined` at the end.
     */
    async end(
      kind: RestoredKind,
      {
        before,
        at,
        after,
        limit,
      }: {
        readonly before: Date;
        readonly at: Date;
        readonly after: string | undefined;
        readonly limit: number;
      },
    ): Promise<{ readonly count: number; readonly next: string | undefined }> {
      const values = { before, at, after: after ?? null, limit };
      const [row] = await queryRows<{ count: number; last: string | null }>(
        database,
        endStatement(rules[kind]),
        values,
      );
      const { count = 0, last = null } = row ?? {};
      return { count, next: last === null ? undefined : last };
    },
  };
}
