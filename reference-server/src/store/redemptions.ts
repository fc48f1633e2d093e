import { type CollectedToken, isUnstoppedSql } from "./approvals.js";
import { type AuditRow, eventColumns, eventJson, type StampEvent } from "./audit-events.js";
import { type BegunGrant, grantTable, type RefreshToken } from "./grants.js";
import { liveSql } from "./live-assignment.js";
import { findStored } from "./lost-answers.js";
import { createBatches } from "./postgres/batches.js";
import { bytea, type Database, prepared } from "./postgres/database.js";
import { findDrawn } from "./status-list.js";
import { isStoppedSql, isUseStoppedSql } from "./stop-conditions.js";

/** Something that is accepted once: a proof, a client assertion. `expiresAt` is in epoch seconds. */
export interface OnceRecord {
  readonly key: string;
  readonly expiresAt: number;
}

/**
 * The basis of a decision, read a moment before. If it has changed, nothing is stored and the request is decided again.
 */
export interface DecisionBasis {
  /** Enabled. */
  readonly clientId: string;
  /** Neither revoked nor expired. */
  readonly grantId: string | null;
  /** Enabled, and not paused. */
  readonly userId: string | null;
  /** The service where it counts, if that is another one than the grant's: no stop applies to either. */
  readonly resourceId: string | null;
  /** All of them are still there and not over, and the providers of their groups enabled. */
  readonly assignmentIds: readonly string[];
  /** The machine client still has all of them. */
  readonly machineScopes: readonly string[];
}

/** The common part of every write behind the token endpoint. */
export interface RedemptionRecord {
  readonly once: readonly OnceRecord[];
  readonly basis: DecisionBasis;
  readonly audit: AuditRow;
  readonly now: Date;
}

/**
 * `replayed`: a single-use credential was accepted before, or has expired by the clock of the database, after which its use is no longer
 * recorded. `lost`: what the redemption uses up was used up, or its basis has changed. In both cases nothing is stored.
 */
export type RedemptionOutcome =
  | {
      readonly kind: "stored";
      /** The entry in the token status list, if the redemption drew or kept one. */
      readonly statusIndex: number | undefined;
    }
  | { readonly kind: "lost" }
  | { readonly kind: "replayed"; readonly key: string };

/** A grant that begins. The database draws its entry in the token status list. */
export interface NewGrant {
  readonly grant: BegunGrant;
  readonly refreshToken: RefreshToken | undefined;
}

/** One refresh token that is used up, and the one that follows. */
export type Rotation = RedemptionRecord & { readonly usedHash: Buffer; readonly next: RefreshToken };

/** The row of one redemption in a statement's result. */
interface OutcomeRow {
  readonly stored: boolean;
  /** What was accepted before. */
  readonly replayed: string | null;
  readonly statusIndex: number | null;
}

const grantColumns = grantTable.columns.join(", ");

/** Records the event that a column of `stored` has, where there is one. */
const auditInsert = (name: string, column: string): string => `${name} AS (
      INSERT INTO audit_events (${eventColumns})
      SELECT e.* FROM stored, LATERAL (
        SELECT ${eventColumns} FROM json_populate_record(NULL::audit_events, stored.${column})) AS e
      WHERE stored.${column} IS NOT NULL
    )`;

/**
 * A statement for one or several redemptions, each with an outcome of its own. They come as `wanted`; those whose
 * basis holds, and that bring nothing that was accepted before or is over by the clock of the database, are
 * `permitted`.
 *
 * `used` decides: it has a row for each redemption that uses up something unused. Everything else is inserted from it, so all of a
 * redemption is stored or nothing.
 */
function redemptionSql({
  columns = [],
  used,
  inserts = "",
  statusIndex = "NULL::integer",
  several = false,
}: RedemptionParts): string {
  return `
    WITH wanted AS MATERIALIZED (
      SELECT * FROM ${several ? "json_to_recordset" : "json_to_record"}($1::json) AS w (
        position integer, now timestamptz, keys text[], expires float8[], event json, basis_client_id text,
        basis_grant_id uuid, basis_user_id uuid, basis_resource_id uuid, basis_assignment_ids uuid[], basis_machine_scopes text[]${columns.map((column) => `, ${column}`).join("")})
    ), permitted AS MATERIALIZED (
      SELECT * FROM wanted w
      WHERE (SELECT count(*) FROM dpop_replays WHERE key = ANY (w.keys)) = 0
        AND NOT EXISTS (SELECT FROM unnest(w.expires) AS brought (expires) WHERE to_timestamp(brought.expires) <= now())
        AND (SELECT enabled AND trusted FROM clients WHERE id = w.basis_client_id)
        AND CASE WHEN w.basis_grant_id IS NULL
          THEN NOT ${isStoppedSql("w.basis_user_id", "w.basis_client_id", "w.basis_resource_id", "w.now")}
          ELSE (SELECT g.revoked_at IS NULL AND g.expires_at > w.now
              AND NOT ${isUseStoppedSql("g", "w.basis_client_id", "w.basis_resource_id")}
            FROM grants g WHERE g.id = w.basis_grant_id) END
        AND (w.basis_user_id IS NULL OR (SELECT enabled AND paused_at IS NULL FROM users WHERE id = w.basis_user_id))
        AND (SELECT count(*) FROM assignments a LEFT JOIN group_providers p ON p.id = a.group_provider_id
          WHERE a.id = ANY (w.basis_assignment_ids) AND p.enabled IS NOT false AND ${liveSql("a")}) = cardinality(w.basis_assignment_ids)
        AND (SELECT count(*) FROM machine_scopes
          WHERE client_id = w.basis_client_id AND scope_key = ANY (w.basis_machine_scopes))
          = cardinality(w.basis_machine_scopes)
    ), used AS (${used}
    ), stored AS (
      SELECT * FROM used JOIN wanted USING (position)
    ), ${inserts} once AS (
      INSERT INTO dpop_replays (key, expires_at)
      SELECT new.key, to_timestamp(new.expires)
      FROM stored, unnest(stored.keys, stored.expires) AS new (key, expires)
    ), ${auditInsert("audit", "event")}
    SELECT used.position IS NOT NULL AS stored,
      CASE WHEN used.position IS NULL THEN coalesce(
        (SELECT key FROM dpop_replays WHERE key = ANY (w.keys) LIMIT 1),
        (SELECT brought.key FROM unnest(w.keys, w.expires) AS brought (key, expires)
          WHERE to_timestamp(brought.expires) <= now() LIMIT 1)) END AS replayed,
      ${statusIndex} AS "statusIndex"
    FROM wanted w LEFT JOIN used USING (position) ORDER BY w.position`;
}

interface RedemptionParts {
  /** What these redemptions bring besides what all do. */
  readonly columns?: readonly string[];
  /**
   * Selects the `position` of those that happen. It finds rows by values, and not by a join alone: a plan that was made while the table
   * was empty would join by reading all of it.
   */
  readonly used: string;
  /** More to insert from `stored`. */
  readonly inserts?: string;
  /** Selects the entry of a redemption (`w`) in the token status list. */
  readonly statusIndex?: string;
  /** Takes a list of redemptions. The planner expects a hundred of those, and one of the others. */
  readonly several?: boolean;
}

const tokenInsert = `token AS (
      INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
      SELECT token_hash, grant_id, now, token_expires_at FROM stored WHERE token_hash IS NOT NULL
    ),`;

const grantInserts = `new_grant AS (
      INSERT INTO grants (${grantColumns})
      SELECT g.* FROM stored, LATERAL (
        SELECT ${grantColumns} FROM json_populate_record(NULL::grants, stored.new_grant)) AS g
      RETURNING id, status_index
    ), ${tokenInsert}`;

const grantStatusIndex = "(SELECT g.status_index FROM new_grant g WHERE g.id = w.grant_id)";

const redeemCodeSql = redemptionSql({
  several: true,
  columns: [
    "new_grant json",
    "grant_id uuid",
    "token_hash bytea",
    "token_expires_at timestamptz",
    "code_hash bytea",
  ],
  used: `
      UPDATE authorization_codes c SET used_at = p.now, grant_id = p.grant_id FROM permitted p
      WHERE c.hash = p.code_hash AND c.hash = ANY (ARRAY(SELECT code_hash FROM permitted)) AND c.used_at IS NULL AND c.expires_at > p.now
      RETURNING p.position`,
  inserts: grantInserts,
  statusIndex: grantStatusIndex,
});

const redeemDeviceSql = redemptionSql({
  columns: [
    "new_grant json",
    "grant_id uuid",
    "token_hash bytea",
    "token_expires_at timestamptz",
    "device_id uuid",
  ],
  used: `
      UPDATE device_authorizations d SET used_at = p.now FROM permitted p
      WHERE d.id = (SELECT device_id FROM permitted) AND d.answer = 'allowed' AND d.used_at IS NULL AND d.expires_at > p.now
      RETURNING p.position`,
  inserts: grantInserts,
  statusIndex: grantStatusIndex,
});

const rotateSql = redemptionSql({
  several: true,
  columns: ["used_hash bytea", "token_hash bytea", "token_expires_at timestamptz"],
  used: `
      UPDATE refresh_tokens t SET used_at = now() FROM permitted p
      WHERE t.hash = p.used_hash AND t.hash = ANY (ARRAY(SELECT used_hash FROM permitted)) AND t.used_at IS NULL AND t.expires_at > p.now
      RETURNING p.position, t.grant_id`,
  inserts: tokenInsert,
});

const repeatRotationSql = redemptionSql({
  columns: ["used_hash bytea", "next_hash bytea", "bearer_seconds float8"],
  used: `
      SELECT p.position FROM permitted p
        JOIN refresh_tokens t ON t.hash = (SELECT used_hash FROM permitted) AND t.used_at IS NOT NULL
        JOIN refresh_tokens n ON n.hash = (SELECT next_hash FROM permitted) AND n.grant_id = t.grant_id
          AND n.used_at IS NULL AND n.expires_at > p.now
        JOIN grants g ON g.id = t.grant_id
      WHERE g.jkt IS NOT NULL OR t.used_at >= now() - p.bearer_seconds * interval '1 second'`,
});

const redeemAssertionSql = redemptionSql({
  columns: [
    "provider_id uuid",
    "provider_issuer text",
    "linked_subject text",
    "link_event json",
    "asserted_grant json",
    "asserted_grant_id uuid",
    "status_holder text",
    "status_ends timestamptz",
  ],
  used: `
      SELECT position FROM permitted WHERE (provider_id IS NULL OR EXISTS (
        SELECT FROM identity_providers i
        WHERE i.id = provider_id AND i.issuer = provider_issuer AND i.enabled AND i.allows_assertions))
        AND NOT EXISTS (SELECT FROM grants g WHERE g.id = asserted_grant_id AND g.revoked_at IS NOT NULL)`,
  inserts: `asserted AS (
      INSERT INTO grants (${grantColumns})
      SELECT g.* FROM stored, LATERAL (
        SELECT ${grantColumns} FROM json_populate_record(NULL::grants, stored.asserted_grant)) AS g
      WHERE stored.asserted_grant_id IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET scopes = EXCLUDED.scopes, auth_time = EXCLUDED.auth_time, amr = EXCLUDED.amr,
        created_at = EXCLUDED.created_at, expires_at = greatest(grants.expires_at, EXCLUDED.expires_at),
        status_index = EXCLUDED.status_index
      WHERE grants.revoked_at IS NULL
      RETURNING status_index
    ), drawn AS MATERIALIZED (
      SELECT draw_status_entry(status_holder, status_ends, basis_user_id, basis_client_id) AS status_index
      FROM stored WHERE status_holder IS NOT NULL
    ), link AS (
      INSERT INTO user_identities (provider_id, subject, user_id, created_at)
      SELECT provider_id, linked_subject, basis_user_id, now FROM stored WHERE linked_subject IS NOT NULL
    ), ${auditInsert("link_audit", "link_event")},`,
  statusIndex: "coalesce((SELECT status_index FROM asserted), (SELECT status_index FROM drawn))",
});

const collectSql = redemptionSql({
  columns: ["approval_id uuid", "token_id text", "token_scopes text[]", "token_expires_at timestamptz"],
  used: `
      UPDATE approvals a SET state = 'collected', collected_at = p.now, token_id = p.token_id, token_scopes = p.token_scopes,
        token_expires_at = p.token_expires_at
      FROM permitted p
      WHERE a.id = (SELECT approval_id FROM permitted) AND a.grant_id = p.basis_grant_id AND a.state = 'approved' AND a.expires_at > p.now
        AND ${isUnstoppedSql}
      RETURNING p.position`,
});

const collectAgainSql = redemptionSql({
  columns: ["approval_id uuid", "token_id text"],
  used: `
      SELECT p.position FROM permitted p
        JOIN approvals a ON a.id = (SELECT approval_id FROM permitted)
      WHERE a.grant_id = p.basis_grant_id AND a.state = 'collected' AND a.token_id = p.token_id AND a.token_expires_at > p.now
        AND ${isUnstoppedSql}`,
});

const recordSql = redemptionSql({ several: true, used: " SELECT position FROM permitted" });

/**
 * The writes behind the token endpoint. Each is one statement, and so one transaction, that stores what is accepted
 * once, what it authorises and the audit event, or nothing.
 */
export function createRedemptionStore(database: Database, stamp: StampEvent) {
  async function run(
    statement: { readonly name: string; readonly text: string },
    redemption: RedemptionRecord,
    brought: object = {},
  ): Promise<RedemptionOutcome> {
    const values = [JSON.stringify({ ...toWanted(redemption, { position: 0, stamp }), ...brought })];
    try {
      const [row] = await prepared<OutcomeRow>(database, { ...statement, values });
      return row === undefined ? { kind: "lost" } : outcomeOf(row);
    } catch (error) {
      if (isConflict(error)) return { kind: "lost" };
      const stored = await findStored(database, error, [redemption.audit]);
      if (!stored.has(redemption.audit)) throw error;
      return { kind: "stored", statusIndex: (await drawnFor(database, [brought]))(brought) };
    }
  }

  return {
    redeemCode: createShared<RedemptionRecord & NewGrant & { readonly codeHash: Buffer }>(
      { name: "code_redeem", text: redeemCodeSql },
      { database, stamp, bring: (code) => ({ ...newGrantJson(code), code_hash: bytea(code.codeHash) }) },
    ),
    redeemDevice: (
      redemption: RedemptionRecord & NewGrant & { readonly deviceId: string },
    ): Promise<RedemptionOutcome> =>
      run({ name: "device_redeem", text: redeemDeviceSql }, redemption, {
        ...newGrantJson(redemption),
        device_id: redemption.deviceId,
      }),
    rotateRefreshToken: createRotation(database, stamp),
    /**
     * Uses nothing up: the token was rotated already. Its successor must be unused still, and for a grant without a key
     * the rotation at most `bearerSeconds` ago, by the database's clock.
     */
    repeatRotation: (
      redemption: RedemptionRecord & {
        readonly usedHash: Buffer;
        readonly nextHash: Buffer;
        readonly bearerSeconds: number;
      },
    ): Promise<RedemptionOutcome> =>
      run({ name: "refresh_token_repeat", text: repeatRotationSql }, redemption, {
        used_hash: bytea(redemption.usedHash),
        next_hash: bytea(redemption.nextHash),
        bearer_seconds: redemption.bearerSeconds,
      }),
    /**
     * Uses nothing up but what is accepted once. The provider that issued the assertion must still be the one it was, and allowed;
     * `null` for this server. An account that is seen for the first time becomes the user's, with an event that names it. A grant begins,
     * or goes on: it must not have been revoked.
     */
    redeemAssertion: (
      redemption: RedemptionRecord & {
        readonly provider: { readonly id: string; readonly issuer: string } | null;
        readonly link: { readonly subject: string; readonly audit: AuditRow } | null;
        readonly grant: BegunGrant | undefined;
        /** What an entry of the token status list is drawn for, beside that of `grant`: a token that no grant is behind. */
        readonly status: { readonly holder: string; readonly endsAt: Date } | undefined;
      },
    ): Promise<RedemptionOutcome> =>
      run({ name: "assertion_redeem", text: redeemAssertionSql }, redemption, {
        provider_id: redemption.provider?.id ?? null,
        provider_issuer: redemption.provider?.issuer ?? null,
        linked_subject: redemption.link?.subject ?? null,
        link_event: redemption.link && eventJson({ ...redemption.link.audit, at: redemption.now }, stamp),
        ...(redemption.grant && {
          asserted_grant: grantTable.toRow(redemption.grant),
          asserted_grant_id: redemption.grant.id,
        }),
        ...(redemption.status && {
          status_holder: redemption.status.holder,
          status_ends: redemption.status.endsAt,
        }),
      }),
    /** Ends an approval with the token that it is for. */
    collectApproval: (
      redemption: RedemptionRecord & { readonly approvalId: string; readonly token: CollectedToken },
    ): Promise<RedemptionOutcome> =>
      run({ name: "approval_collect", text: collectSql }, redemption, {
        approval_id: redemption.approvalId,
        token_id: redemption.token.id,
        token_scopes: redemption.token.scopes,
        token_expires_at: redemption.token.expiresAt,
      }),
    /** Uses nothing up: the approval was collected before, and its token has not expired. */
    collectApprovalAgain: (
      redemption: RedemptionRecord & { readonly approvalId: string; readonly tokenId: string },
    ): Promise<RedemptionOutcome> =>
      run({ name: "approval_collect_again", text: collectAgainSql }, redemption, {
        approval_id: redemption.approvalId,
        token_id: redemption.tokenId,
      }),
    /** Uses nothing up but what is accepted once. */
    recordIssuance: createShared<RedemptionRecord>(
      { name: "issuance_record", text: recordSql },
      { database, stamp, bring: () => ({}) },
    ),
  };
}

/** The connection broke; whether this one was stored is unknown. */
interface Unknown {
  readonly kind: "unknown";
  readonly error: unknown;
}

/** Creates the rotation of refresh tokens. */
export function createRotation(
  database: Database,
  stamp: StampEvent,
): (rotation: Rotation) => Promise<RedemptionOutcome> {
  return createShared(
    { name: "refresh_token_rotate", text: rotateSql },
    {
      database,
      stamp,
      bring: ({ next, usedHash }) => ({ ...tokenJson(next), used_hash: bytea(usedHash) }),
    },
  );
}

interface SharedOptions<Redemption> {
  readonly database: Database;
  readonly stamp: StampEvent;
  /** What such a redemption brings besides what all do. */
  readonly bring: (redemption: Redemption) => object;
}

/** Creates a redemption whose statement is shared by those that arrive at the same time. */
function createShared<Redemption extends RedemptionRecord>(
  named: { readonly name: string; readonly text: string },
  { database, stamp, bring }: SharedOptions<Redemption>,
): (redemption: Redemption) => Promise<RedemptionOutcome> {
  const redeem = createBatches<Redemption, RedemptionOutcome | Unknown>({
    // The same proof twice would make the whole statement fail.
    keysOf: ({ once }) => once.map(({ key }) => key),
    async run(redemptions) {
      const brought = redemptions.map(bring);
      const wanted = redemptions.map((redemption, position) => ({
        ...toWanted(redemption, { position, stamp }),
        ...brought[position],
      }));
      const statement = { ...named, values: [JSON.stringify(wanted)] };
      try {
        return (await prepared<OutcomeRow>(database, statement)).map(outcomeOf);
      } catch (error) {
        if (redemptions.length === 1 && isConflict(error)) return [{ kind: "lost" }];
        const audits = redemptions.map(({ audit }) => audit);
        const stored = await findStored(database, error, audits);
        if (stored.size === 0) throw error;
        const drawn = await drawnFor(database, brought);
        return audits.map((audit, position) =>
          stored.has(audit)
            ? { kind: "stored", statusIndex: drawn(brought[position]) }
            : { kind: "unknown", error },
        );
      }
    },
  });
  return async (redemption) => {
    const outcome = await redeem(redemption);
    if (outcome.kind === "unknown") throw outcome.error;
    return outcome;
  };
}

/** What the entries are of redemptions that were stored by a statement without an answer. */
async function drawnFor(
  database: Database,
  brought: readonly object[],
): Promise<(one: object | undefined) => number | undefined> {
  const holders = brought.flatMap((one) => holderOf(one) ?? []);
  const drawn = await findDrawn(database, holders);
  return (one) => drawn.get(holderOf(one) ?? "");
}

/** The holder of the entry that a redemption draws or keeps. */
function holderOf(brought: object = {}): string | undefined {
  const { grant_id, asserted_grant_id, status_holder } = brought as Readonly<
    Record<string, string | undefined>
  >;
  return grant_id ?? asserted_grant_id ?? status_holder;
}

function outcomeOf({ stored, replayed, statusIndex }: OutcomeRow): RedemptionOutcome {
  if (stored) return { kind: "stored", statusIndex: statusIndex ?? undefined };
  return replayed === null ? { kind: "lost" } : { kind: "replayed", key: replayed };
}

const racedConstraints: readonly unknown[] = [
  "dpop_replays_pkey",
  "grants_asserted",
  "user_identities_pkey",
  "user_identities_user_id_provider_id_key",
];

/**
 * Whether the same proof was accepted elsewhere at the same moment, the same account or user linked, or the same grant begun: the statement that came
 * second fails as a whole. Judged again, its request sees what the first one stored.
 */
function isConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === "23505" && racedConstraints.includes(constraint);
}

function toWanted(
  { once, basis, audit, now }: RedemptionRecord,
  { position, stamp }: { readonly position: number; readonly stamp: StampEvent },
): object {
  return {
    position,
    now,
    keys: once.map(({ key }) => key),
    expires: once.map(({ expiresAt }) => expiresAt),
    event: eventJson({ ...audit, at: now }, stamp),
    basis_client_id: basis.clientId,
    basis_grant_id: basis.grantId,
    basis_user_id: basis.userId,
    basis_resource_id: basis.resourceId,
    basis_assignment_ids: basis.assignmentIds,
    basis_machine_scopes: basis.machineScopes,
  };
}

function newGrantJson({ grant, refreshToken }: NewGrant): object {
  return {
    new_grant: grantTable.toRow(grant),
    grant_id: grant.id,
    ...(refreshToken && tokenJson(refreshToken)),
  };
}

function tokenJson({ hash, expiresAt }: RefreshToken): object {
  return { token_hash: bytea(hash), token_expires_at: expiresAt };
}
