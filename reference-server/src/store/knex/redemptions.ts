import type { AuditRow } from "../audit-events.js";
import type { NewLogIn, RedemptionOutcome, RedemptionRecord, RedemptionStore } from "../redemptions.js";
import { type Database, prepared } from "./database.js";
import { findStored } from "./lost-answers.js";
import { createRotation, isConflict, type OutcomeRow, outcomeOf } from "./rotations.js";

/**
 * The first parameters of every statement here: $1 now, $2 and $3 what is accepted once, $4 to $12 the audit event,
 * $13 to $17 what the decision rests on. Where they are checked, `rotations.ts` checks the same.
 *
 * `used` is what decides: it has a row when this statement uses something up that nobody used before, everything
 * that is accepted once is new, and the basis of the decision still holds. Everything else is inserted from it, so
 * all is stored or nothing.
 */
const isNew = "NOT EXISTS (SELECT FROM dpop_replays WHERE key = ANY ($2::text[]))";

const holds = `
  ${isNew}
  AND EXISTS (SELECT FROM clients WHERE id = $13::text AND enabled)
  AND ($14::uuid IS NULL OR EXISTS (
    SELECT FROM grants WHERE id = $14::uuid AND revoked_at IS NULL AND expires_at > $1::timestamptz))
  AND ($15::uuid IS NULL OR EXISTS (SELECT FROM users WHERE id = $15::uuid AND enabled))
  AND (SELECT count(*) FROM assignments a LEFT JOIN group_providers p ON p.id = a.group_provider_id
    WHERE a.id = ANY ($16::uuid[]) AND p.enabled IS NOT false) = cardinality($16::uuid[])
  AND (SELECT count(*) FROM machine_scopes WHERE client_id = $13::text AND scope_key = ANY ($17::text[]))
    = cardinality($17::text[])`;

const shared = `
  once AS (
    INSERT INTO dpop_replays (key, expires_at)
    SELECT key, to_timestamp(expires) FROM used, unnest($2::text[], $3::float8[]) AS new (key, expires)
  ), audit AS (
    INSERT INTO audit_events
      (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
    SELECT $1::timestamptz, $4::text, $5::integer, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text,
      $12::jsonb FROM used
  )
  SELECT EXISTS (SELECT FROM used) AS stored,
    (SELECT key FROM dpop_replays WHERE key = ANY ($2::text[]) LIMIT 1) AS replayed`;

/** A log-in begins with what `used` uses up: $18 to $26 the grant, $27 and $28 its refresh token. */
const beginLogIn = `
  log_in AS (
    INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    SELECT $18::uuid, $19::uuid, $20::text, $21::text, $22::text[], $23::timestamptz, $24::text[],
      $25::timestamptz, $26::timestamptz FROM used
  ), token AS (
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT $27::bytea, $18::uuid, $1::timestamptz, $28::timestamptz FROM used WHERE $27::bytea IS NOT NULL
  ), ${shared}`;

const redeemCodeSql = `
  WITH used AS (
    UPDATE authorization_codes SET used_at = $1::timestamptz, grant_id = $18::uuid
    WHERE hash = $29::bytea AND used_at IS NULL AND expires_at > $1::timestamptz AND ${holds}
    RETURNING hash
  ), ${beginLogIn}`;

const redeemDeviceSql = `
  WITH used AS (
    UPDATE device_authorizations SET used_at = $1::timestamptz
    WHERE id = $29::uuid AND answer = 'allowed' AND used_at IS NULL AND expires_at > $1::timestamptz AND ${holds}
    RETURNING id
  ), ${beginLogIn}`;

const recordSql = `WITH used AS (SELECT WHERE ${holds}), ${shared}`;

export function createRedemptionStore(database: Database): RedemptionStore {
  async function run(
    statement: { name: string; text: string },
    record: RedemptionRecord,
    values: readonly unknown[],
  ): Promise<RedemptionOutcome> {
    const all = [...recordValues(record), ...values];
    try {
      const [row] = await prepared<OutcomeRow>(database, { ...statement, values: all });
      return row === undefined ? { kind: "lost" } : outcomeOf(row);
    } catch (error) {
      if (isConflict(error)) return { kind: "lost" };
      throw error;
    }
  }

  async function beginLogInWith(
    statement: { name: string; text: string },
    redemption: RedemptionRecord & NewLogIn,
    values: readonly unknown[],
  ): Promise<RedemptionOutcome> {
    try {
      return await run(statement, redemption, [...logInValues(redemption), ...values]);
    } catch (error) {
      const { id } = redemption.grant;
      const stored = await findStored(database, error, { kind: "grants", ids: [id] });
      if (stored.has(id)) return { kind: "stored" };
      throw error;
    }
  }

  return {
    redeemCode: (redemption) =>
      beginLogInWith({ name: "code_redeem", text: redeemCodeSql }, redemption, [redemption.codeHash]),
    redeemDevice: (redemption) =>
      beginLogInWith({ name: "device_redeem", text: redeemDeviceSql }, redemption, [redemption.deviceId]),
    rotateRefreshToken: createRotation(database),
    recordIssuance: (redemption) => run({ name: "issuance_record", text: recordSql }, redemption, []),
  };
}

function recordValues({ once, basis, audit, now }: RedemptionRecord): readonly unknown[] {
  const { clientId, grantId, userId, assignmentIds, machineScopes } = basis;
  return [
    now,
    once.map(({ key }) => key),
    once.map(({ expiresAt }) => expiresAt),
    ...auditValues(audit),
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
