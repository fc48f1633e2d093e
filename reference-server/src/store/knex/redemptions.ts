import type { AuditRow, StampEvent } from "../audit-events.js";
import type { NewLogIn, RedemptionOutcome, RedemptionRecord, RedemptionStore } from "../redemptions.js";
import { type Database, prepared } from "./database.js";
import { findStored } from "./lost-answers.js";
import { createRotation, isConflict, type OutcomeRow, outcomeOf } from "./rotations.js";

/**
 * The first parameters of every statement here: $1 now, $2 and $3 what is accepted once, $4 to $13 the audit event,
 * $14 to $18 what the decision rests on. Where they are checked, `rotations.ts` checks the same.
 *
 * `used` is what decides: it has a row when this statement uses something up that nobody used before, everything
 * that is accepted once is new and not over by the clock of the database, and the basis of the decision still holds. Everything else is inserted from it, so
 * all is stored or nothing.
 */
const isNew = `NOT EXISTS (SELECT FROM dpop_replays WHERE key = ANY ($2::text[]))
  AND NOT EXISTS (SELECT FROM unnest($3::float8[]) AS brought (expires) WHERE to_timestamp(expires) <= now())`;

const holds = `
  ${isNew}
  AND EXISTS (SELECT FROM clients WHERE id = $14::text AND enabled)
  AND ($15::uuid IS NULL OR EXISTS (
    SELECT FROM grants WHERE id = $15::uuid AND revoked_at IS NULL AND expires_at > $1::timestamptz))
  AND ($16::uuid IS NULL OR EXISTS (SELECT FROM users WHERE id = $16::uuid AND enabled))
  AND (SELECT count(*) FROM assignments a LEFT JOIN group_providers p ON p.id = a.group_provider_id
    WHERE a.id = ANY ($17::uuid[]) AND p.enabled IS NOT false) = cardinality($17::uuid[])
  AND (SELECT count(*) FROM machine_scopes WHERE client_id = $14::text AND scope_key = ANY ($18::text[]))
    = cardinality($18::text[])`;

const shared = `
  once AS (
    INSERT INTO dpop_replays (key, expires_at)
    SELECT key, to_timestamp(expires) FROM used, unnest($2::text[], $3::float8[]) AS new (key, expires)
  ), audit AS (
    INSERT INTO audit_events
      (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac)
    SELECT $1::timestamptz, $4::text, $5::integer, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text,
      $12::jsonb, $13::bytea FROM used
  )
  SELECT EXISTS (SELECT FROM used) AS stored,
    coalesce((SELECT key FROM dpop_replays WHERE key = ANY ($2::text[]) LIMIT 1), (
      SELECT key FROM unnest($2::text[], $3::float8[]) AS brought (key, expires)
      WHERE to_timestamp(expires) <= now() LIMIT 1)) AS replayed`;

/** A log-in begins with what `used` uses up: $19 to $27 the grant, $28 and $29 its refresh token. */
const beginLogIn = `
  log_in AS (
    INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    SELECT $19::uuid, $20::uuid, $21::text, $22::text, $23::text[], $24::timestamptz, $25::text[],
      $26::timestamptz, $27::timestamptz FROM used
  ), token AS (
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT $28::bytea, $19::uuid, $1::timestamptz, $29::timestamptz FROM used WHERE $28::bytea IS NOT NULL
  ), ${shared}`;

const redeemCodeSql = `
  WITH used AS (
    UPDATE authorization_codes SET used_at = $1::timestamptz, grant_id = $19::uuid
    WHERE hash = $30::bytea AND used_at IS NULL AND expires_at > $1::timestamptz AND ${holds}
    RETURNING hash
  ), ${beginLogIn}`;

const redeemDeviceSql = `
  WITH used AS (
    UPDATE device_authorizations SET used_at = $1::timestamptz
    WHERE id = $30::uuid AND answer = 'allowed' AND used_at IS NULL AND expires_at > $1::timestamptz AND ${holds}
    RETURNING id
  ), ${beginLogIn}`;

const repeatRotationSql = `
  WITH used AS (
    SELECT FROM refresh_tokens t
      JOIN refresh_tokens n ON n.grant_id = t.grant_id
      JOIN grants g ON g.id = t.grant_id
    WHERE t.hash = $19::bytea AND n.hash = $20::bytea AND n.used_at IS NULL AND n.expires_at > $1::timestamptz
      AND t.used_at IS NOT NULL
      AND (g.jkt IS NOT NULL OR t.used_at >= now() - $21::float8 * interval '1 second')
      AND ${holds}
  ), ${shared}`;

const recordSql = `WITH used AS (SELECT WHERE ${holds}), ${shared}`;

export function createRedemptionStore(database: Database, stamp: StampEvent): RedemptionStore {
  async function run(
    statement: { name: string; text: string },
    record: RedemptionRecord,
    values: readonly unknown[],
  ): Promise<RedemptionOutcome> {
    const all = [...recordValues(record, stamp), ...values];
    try {
      const [row] = await prepared<OutcomeRow>(database, { ...statement, values: all });
      return row === undefined ? { kind: "lost" } : outcomeOf(row);
    } catch (error) {
      if (isConflict(error)) return { kind: "lost" };
      const stored = await findStored(database, error, [record.audit]);
      if (stored.has(record.audit)) return { kind: "stored" };
      throw error;
    }
  }

  return {
    redeemCode: (redemption) =>
      run({ name: "code_redeem", text: redeemCodeSql }, redemption, [
        ...logInValues(redemption),
        redemption.codeHash,
      ]),
    redeemDevice: (redemption) =>
      run({ name: "device_redeem", text: redeemDeviceSql }, redemption, [
        ...logInValues(redemption),
        redemption.deviceId,
      ]),
    rotateRefreshToken: createRotation(database, stamp),
    repeatRotation: (redemption) =>
      run({ name: "refresh_token_repeat", text: repeatRotationSql }, redemption, [
        redemption.usedHash,
        redemption.nextHash,
        redemption.bearerSeconds,
      ]),
    recordIssuance: (redemption) => run({ name: "issuance_record", text: recordSql }, redemption, []),
  };
}

function recordValues({ once, basis, audit, now }: RedemptionRecord, stamp: StampEvent): readonly unknown[] {
  const { clientId, grantId, userId, assignmentIds, machineScopes } = basis;
  return [
    now,
    once.map(({ key }) => key),
    once.map(({ expiresAt }) => expiresAt),
    ...auditValues(audit),
    stamp({ ...audit, at: now }),
    clientId,
    grantId,
    userId,
    assignmentIds,
    machineScopes,
  ];
}

function auditValues(row: AuditRow): readonly unknown[] {
  const { type, version, outcome, actorType, actorId, subject, clientId, requestId } = row;
  return [type, version, outcome, actorType, actorId, subject, clientId, requestId, JSON.stringify(row.data)];
}

function logInValues({ grant, refreshToken }: NewLogIn): readonly unknown[] {
  const { id, userId, clientId, jkt, scopes, authTime, amr, createdAt, expiresAt } = grant;
  const logIn = [id, userId, clientId, jkt, scopes, authTime, amr, createdAt, expiresAt];
  return [...logIn, refreshToken?.hash ?? null, refreshToken?.expiresAt ?? null];
}
