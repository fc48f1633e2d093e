import type { AuditRow } from "../audit-events.js";
import type { RedemptionOutcome, RedemptionRecord, RedemptionStore } from "../redemptions.js";
import { type Database, prepared } from "./database.js";

/**
 * The first parameters of every statement here: $1 now, $2 and $3 the proof, $4 to $12 the audit event.
 *
 * `used` is what decides: it has a row when this statement uses something up that nobody used before, and the
 * proof is new as well. Everything else is inserted from it, so all is stored or nothing.
 */
const newProof = "NOT EXISTS (SELECT FROM dpop_replays WHERE key = $2::text)";

const shared = `
  proof AS (
    INSERT INTO dpop_replays (key, expires_at) SELECT $2::text, to_timestamp($3::float8) FROM used
  ), audit AS (
    INSERT INTO audit_events
      (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
    SELECT $1::timestamptz, $4::text, $5::integer, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text,
      $12::jsonb FROM used
  )
  SELECT EXISTS (SELECT FROM used) AS stored, NOT ${newProof} AS replayed`;

const rotateSql = `
  WITH used AS (
    UPDATE refresh_tokens t SET used_at = $1::timestamptz
    WHERE t.hash = $13::bytea AND t.used_at IS NULL AND t.expires_at > $1::timestamptz AND ${newProof}
      AND EXISTS (SELECT FROM grants g WHERE g.id = t.grant_id AND g.revoked_at IS NULL)
    RETURNING t.grant_id
  ), next AS (
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT $14::bytea, grant_id, $1::timestamptz, $15::timestamptz FROM used
  ), ${shared}`;

const redeemSql = `
  WITH used AS (
    UPDATE authorization_codes SET used_at = $1::timestamptz, grant_id = $14::uuid
    WHERE hash = $13::bytea AND used_at IS NULL AND expires_at > $1::timestamptz AND ${newProof}
    RETURNING hash
  ), log_in AS (
    INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    SELECT $14::uuid, $15::uuid, $16::text, $17::text, $18::text[], $19::timestamptz, $20::text[],
      $21::timestamptz, $22::timestamptz FROM used
  ), token AS (
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT $23::bytea, $14::uuid, $1::timestamptz, $24::timestamptz FROM used WHERE $23::bytea IS NOT NULL
  ), ${shared}`;

const recordSql = `WITH used AS (SELECT WHERE ${newProof}), ${shared}`;

export function createRedemptionStore(database: Database): RedemptionStore {
  async function run(
    statement: { name: string; text: string },
    { proof, audit, now }: RedemptionRecord,
    values: readonly unknown[],
  ): Promise<RedemptionOutcome> {
    const all = [now, proof.key, proof.expiresAt, ...auditValues(audit), ...values];
    try {
      const [row] = await prepared<{ stored: boolean; replayed: boolean }>(database, {
        ...statement,
        values: all,
      });
      if (row?.stored === true) return "stored";
      return row?.replayed === true ? "replayed" : "lost";
    } catch (error) {
      // The same proof at the same moment elsewhere: the statement that came second fails as a whole.
      if (isConflictingProof(error)) return "replayed";
      throw error;
    }
  }

  return {
    redeemCode: (redemption) => {
      const { codeHash, grant, refreshToken } = redemption;
      const { id, userId, clientId, jkt, scopes, authTime, amr, createdAt, expiresAt } = grant;
      const logIn = [id, userId, clientId, jkt, scopes, authTime, amr, createdAt, expiresAt];
      const token = [refreshToken?.hash ?? null, refreshToken?.expiresAt ?? null];
      return run({ name: "code_redeem", text: redeemSql }, redemption, [codeHash, ...logIn, ...token]);
    },
    rotateRefreshToken: (redemption) => {
      const { usedHash, next } = redemption;
      const values = [usedHash, next.hash, next.expiresAt];
      return run({ name: "refresh_token_rotate", text: rotateSql }, redemption, values);
    },
    recordIssuance: (redemption) => run({ name: "issuance_record", text: recordSql }, redemption, []),
  };
}

function auditValues(row: AuditRow): readonly unknown[] {
  const { type, version, outcome, actorType, actorId, subject, clientId, requestId } = row;
  return [type, version, outcome, actorType, actorId, subject, clientId, requestId, JSON.stringify(row.data)];
}

function isConflictingProof(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === "23505" && constraint === "dpop_replays_pkey";
}
