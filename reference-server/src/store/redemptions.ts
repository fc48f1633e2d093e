import type { AuditRow, StampEvent } from "./audit-events.js";
import type { Grant, RefreshToken } from "./grants.js";
import { findStored } from "./lost-answers.js";
import { createBatches } from "./postgres/batches.js";
import { bytea, type Database, prepared } from "./postgres/database.js";

/** Something that is accepted once: a proof, a client assertion. `expiresAt` is in epoch seconds. */
export interface OnceRecord {
  readonly key: string;
  readonly expiresAt: number;
}

/**
 * What a decision rests on. It was read a moment before; when it is not so any more, nothing is stored, and the
 * request is judged again.
 */
export interface DecisionBasis {
  /** Enabled. */
  readonly clientId: string;
  /** Neither revoked nor expired. */
  readonly grantId: string | null;
  /** Enabled. */
  readonly userId: string | null;
  /** All of them are still there, and the providers of their groups enabled. */
  readonly assignmentIds: readonly string[];
  /** The machine client still has all of them. */
  readonly machineScopes: readonly string[];
}

/** What every write behind the token endpoint stores or checks. */
export interface RedemptionRecord {
  readonly once: readonly OnceRecord[];
  readonly basis: DecisionBasis;
  readonly audit: AuditRow;
  readonly now: Date;
}

/**
 * `replayed`: something that is accepted once was accepted before, or is over by the clock of the database, so that
 * nobody remembers whether it was. `lost`: what the redemption uses up is used up,
 * or its basis has changed. In both cases nothing is stored.
 */
export type RedemptionOutcome =
  | { readonly kind: "stored" | "lost" }
  | { readonly kind: "replayed"; readonly key: string };

/** A log-in that begins. */
export interface NewLogIn {
  readonly grant: Grant;
  readonly refreshToken: RefreshToken | undefined;
}

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

/** One refresh token that is used up, and the one that follows. */
export type Rotation = RedemptionRecord & { readonly usedHash: Buffer; readonly next: RefreshToken };

/** The connection broke, and it cannot be said whether this one was stored. */
interface Unknown {
  readonly kind: "unknown";
  readonly error: unknown;
}

/** What a statement says about one redemption. */
export interface OutcomeRow {
  readonly stored: boolean;
  /** What was accepted before. */
  readonly replayed: string | null;
}

/**
 * Several rotations, each with its own outcome: `used` has a row for each that happens, and all that it stores is
 * inserted from that row. The conditions are those of every redemption; see `redemptions.ts`.
 */
const rotateSql = `
  WITH wanted AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS w (
      position integer, now timestamptz, keys text[], expires float8[], type text, version integer, outcome text,
      actor_type text, actor_id text, subject text, client_id text, request_id text, data jsonb, mac bytea,
      basis_client_id text, basis_grant_id uuid, basis_user_id uuid, basis_assignment_ids uuid[],
      basis_machine_scopes text[], used_hash bytea, next_hash bytea, next_expires_at timestamptz)
  ), permitted AS MATERIALIZED (
    SELECT position, now, used_hash FROM wanted w
    WHERE (SELECT count(*) FROM dpop_replays WHERE key = ANY (w.keys)) = 0
      AND NOT EXISTS (SELECT FROM unnest(w.expires) AS brought (expires) WHERE to_timestamp(brought.expires) <= now())
      AND (SELECT enabled FROM clients WHERE id = w.basis_client_id)
      AND (w.basis_grant_id IS NULL
        OR (SELECT revoked_at IS NULL AND expires_at > w.now FROM grants WHERE id = w.basis_grant_id))
      AND (w.basis_user_id IS NULL OR (SELECT enabled FROM users WHERE id = w.basis_user_id))
      AND (SELECT count(*) FROM assignments a LEFT JOIN group_providers p ON p.id = a.group_provider_id
        WHERE a.id = ANY (w.basis_assignment_ids) AND p.enabled IS NOT false) = cardinality(w.basis_assignment_ids)
      AND (SELECT count(*) FROM machine_scopes
        WHERE client_id = w.basis_client_id AND scope_key = ANY (w.basis_machine_scopes))
        = cardinality(w.basis_machine_scopes)
  ), used AS (
    UPDATE refresh_tokens t SET used_at = now() FROM permitted p
    WHERE t.hash = p.used_hash AND t.used_at IS NULL AND t.expires_at > p.now
    RETURNING p.position, t.grant_id
  ), stored AS (
    SELECT w.*, used.grant_id FROM used JOIN wanted w USING (position)
  ), next AS (
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT next_hash, grant_id, now, next_expires_at FROM stored
  ), once AS (
    INSERT INTO dpop_replays (key, expires_at)
    SELECT new.key, to_timestamp(new.expires)
    FROM stored, unnest(stored.keys, stored.expires) AS new (key, expires)
  ), audit AS (
    INSERT INTO audit_events
      (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac)
    SELECT now, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac FROM stored
  )
  SELECT used.position IS NOT NULL AS stored,
    CASE WHEN used.position IS NULL THEN coalesce(
      (SELECT key FROM dpop_replays WHERE key = ANY (w.keys) LIMIT 1),
      (SELECT brought.key FROM unnest(w.keys, w.expires) AS brought (key, expires)
        WHERE to_timestamp(brought.expires) <= now() LIMIT 1)) END AS replayed
  FROM wanted w LEFT JOIN used USING (position) ORDER BY w.position`;

/**
 * The writes behind the token endpoint. Each is one statement, and so one transaction, that stores what is accepted
 * once, what it authorises and the audit event, or nothing.
 */
export function createRedemptionStore(database: Database, stamp: StampEvent) {
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
    redeemCode: (
      redemption: RedemptionRecord & NewLogIn & { readonly codeHash: Buffer },
    ): Promise<RedemptionOutcome> =>
      run({ name: "code_redeem", text: redeemCodeSql }, redemption, [
        ...logInValues(redemption),
        redemption.codeHash,
      ]),
    redeemDevice: (
      redemption: RedemptionRecord & NewLogIn & { readonly deviceId: string },
    ): Promise<RedemptionOutcome> =>
      run({ name: "device_redeem", text: redeemDeviceSql }, redemption, [
        ...logInValues(redemption),
        redemption.deviceId,
      ]),
    rotateRefreshToken: createRotation(database, stamp),
    /**
     * Uses nothing up: the token was rotated already. Its successor must be unused still, and for a log-in without a key
     * the rotation at most `bearerSeconds` ago, by the database's clock.
     */
    repeatRotation: (
      redemption: RedemptionRecord & {
        readonly usedHash: Buffer;
        readonly nextHash: Buffer;
        readonly bearerSeconds: number;
      },
    ): Promise<RedemptionOutcome> =>
      run({ name: "refresh_token_repeat", text: repeatRotationSql }, redemption, [
        redemption.usedHash,
        redemption.nextHash,
        redemption.bearerSeconds,
      ]),
    /** Uses nothing up but what is accepted once. */
    recordIssuance: (redemption: RedemptionRecord): Promise<RedemptionOutcome> =>
      run({ name: "issuance_record", text: recordSql }, redemption, []),
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

/** Creates the rotation of refresh tokens: those that arrive at the same time share a statement. */
export function createRotation(
  database: Database,
  stamp: StampEvent,
): (rotation: Rotation) => Promise<RedemptionOutcome> {
  const rotate = createBatches<Rotation, RedemptionOutcome | Unknown>({
    // The same proof twice would make the whole statement fail.
    keysOf: ({ once }) => once.map(({ key }) => key),
    async run(rotations) {
      const values = [
        JSON.stringify(rotations.map((rotation, position) => toWanted(rotation, { position, stamp }))),
      ];
      try {
        const rows = await prepared<OutcomeRow>(database, {
          name: "refresh_token_rotate",
          text: rotateSql,
          values,
        });
        return rows.map(outcomeOf);
      } catch (error) {
        if (rotations.length === 1 && isConflict(error)) return [{ kind: "lost" }];
        const audits = rotations.map(({ audit }) => audit);
        const stored = await findStored(database, error, audits);
        if (stored.size === 0) throw error;
        return audits.map((audit) => (stored.has(audit) ? { kind: "stored" } : { kind: "unknown", error }));
      }
    },
  });
  return async (rotation) => {
    const outcome = await rotate(rotation);
    if (outcome.kind === "unknown") throw outcome.error;
    return outcome;
  };
}

export function outcomeOf({ stored, replayed }: OutcomeRow): RedemptionOutcome {
  if (stored) return { kind: "stored" };
  return replayed === null ? { kind: "lost" } : { kind: "replayed", key: replayed };
}

/**
 * Whether the same proof was accepted elsewhere at the same moment: the statement that came second fails as a whole.
 * Judged again, its request sees what the first one stored.
 */
export function isConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === "23505" && constraint === "dpop_replays_pkey";
}

function toWanted(
  { once, basis, audit, now, usedHash, next }: Rotation,
  { position, stamp }: { readonly position: number; readonly stamp: StampEvent },
): object {
  const { actorType, actorId, clientId, requestId, ...event } = audit;
  return {
    position,
    now,
    keys: once.map(({ key }) => key),
    expires: once.map(({ expiresAt }) => expiresAt),
    ...event,
    actor_type: actorType,
    actor_id: actorId,
    client_id: clientId,
    request_id: requestId,
    mac: bytea(stamp({ ...audit, at: now })),
    basis_client_id: basis.clientId,
    basis_grant_id: basis.grantId,
    basis_user_id: basis.userId,
    basis_assignment_ids: basis.assignmentIds,
    basis_machine_scopes: basis.machineScopes,
    used_hash: bytea(usedHash),
    next_hash: bytea(next.hash),
    next_expires_at: next.expiresAt,
  };
}
