import type { StampEvent } from "../audit-events.js";
import type { RefreshToken } from "../refresh-tokens.js";
import type { RedemptionOutcome, RedemptionRecord } from "../redemptions.js";
import { createBatches } from "./batches.js";
import { bytea, type Database, prepared } from "./database.js";
import { findStored } from "./lost-answers.js";

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
