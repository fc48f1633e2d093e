import { type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** Why the provider's answers about a person do not count, or there are none. */
export const awayReasons = [
  "provider_unreachable",
  "invalid_response",
  "client_refused",
  "scope_refused",
  "refused_wave",
  "answer_lost",
  "no_refresh_token",
] as const;
export type AwayReason = (typeof awayReasons)[number];

/** The latest sign-in of a person, and when their provider confirmed them last. */
export interface Presence {
  readonly userId: string;
  readonly providerId: string;
  /** The account at the provider. */
  readonly subject: string;
  /** Sealed by the credential vault, bound to `presenceRow(presence)`. */
  readonly refreshToken: Buffer | null;
  readonly signedInAt: Date;
  readonly confirmedAt: Date;
  /** The next issuance from then on asks first; `null`: none does. */
  readonly dueAt: Date | null;
  /** Since when the provider has given no answer that counts. */
  readonly awaySince: Date | null;
  readonly reason: AwayReason | null;
  /** Of the one process that uses the refresh token. */
  readonly lease: string | null;
  readonly leaseUntil: Date | null;
  /** The refresh token is used no more, and waits to be revoked at the provider. */
  readonly ending: boolean;
}

/** A presence with what its provider's settings make of it. */
export interface PresenceState extends Presence {
  /** The provider is asked about its people. */
  readonly asks: boolean;
  readonly graceSeconds: number;
  /** When a new sign-in is demanded; `null`: never. */
  readonly signInDueAt: Date | null;
}

/** A provider whose answers about people do not count at the moment. */
export interface PresenceAlarm {
  readonly providerId: string;
  readonly reason: AwayReason;
  readonly since: Date;
  readonly lastAt: Date;
}

/** How many people who signed in last at a provider are in which state. */
export interface PresenceCounts {
  readonly providerId: string;
  readonly confirmed: number;
  readonly inGrace: number;
  readonly paused: number;
  /** Of all of them. */
  readonly withoutToken: number;
}

/** The holder of a lease. */
interface Leased {
  readonly userId: string;
  readonly lease: string;
}

const table = defineTable<Presence>("presences", {
  userId: "user_id",
  providerId: "provider_id",
  subject: "subject",
  refreshToken: "refresh_token",
  signedInAt: "signed_in_at",
  confirmedAt: "confirmed_at",
  dueAt: "due_at",
  awaySince: "away_since",
  reason: "reason",
  lease: "lease",
  leaseUntil: "lease_until",
  ending: "ending",
});

const alarmTable = defineTable<PresenceAlarm>("presence_alarms", {
  providerId: "provider_id",
  reason: "reason",
  since: "since",
  lastAt: "last_at",
});

/** SQL: when a new sign-in is demanded of the person of a presence; NULL: never. */
const signInDueSql = (signedInAt: string) =>
  `${signedInAt} + i.sign_in_every_days * 86400 * interval '1 second'`;

/** SQL: when the next issuance has to ask, by the settings of the provider `i`. */
const dueSql = (confirmedAt: string, signedInAt: string) => `least(
  CASE WHEN i.presence = 'on' THEN ${confirmedAt} + i.presence_interval_seconds * interval '1 second' END,
  ${signInDueSql(signedInAt)})`;

const found = `${table.select("p")}, i.presence = 'on' AS asks, i.grace_seconds AS "graceSeconds",
  ${signInDueSql("p.signed_in_at")} AS "signInDueAt"
  FROM presences p JOIN identity_providers i ON i.id = p.provider_id WHERE p.user_id = $1`;

const signedInSql = `
  INSERT INTO presences (user_id, provider_id, subject, refresh_token, signed_in_at, confirmed_at, due_at)
  SELECT $1::uuid, i.id, $3::text, $4::bytea, $5::timestamptz, $5::timestamptz, ${dueSql("$5::timestamptz", "$5::timestamptz")}
  FROM identity_providers i WHERE i.id = $2
  ON CONFLICT (user_id) DO UPDATE SET provider_id = excluded.provider_id, subject = excluded.subject,
    refresh_token = excluded.refresh_token, ending = false, signed_in_at = excluded.signed_in_at,
    confirmed_at = excluded.confirmed_at, due_at = excluded.due_at, away_since = NULL, reason = NULL,
    lease = NULL, lease_until = NULL`;

/** The condition on the lease makes it one at a time; that on the token, one that has not changed since it was read. */
const beginSql = `
  UPDATE presences SET lease = $2, lease_until = $4::timestamptz, asked_at = $3::timestamptz
  WHERE user_id = $1 AND lease IS NULL AND due_at <= $3::timestamptz AND NOT ending AND refresh_token IS NOT NULL
  RETURNING ${table.select()}`;

const confirmSql = `
  UPDATE presences p SET refresh_token = coalesce($4::bytea, p.refresh_token), confirmed_at = $3::timestamptz,
    due_at = ${dueSql("$3::timestamptz", "p.signed_in_at")}, away_since = NULL, reason = NULL, lease = NULL, lease_until = NULL
  FROM identity_providers i WHERE i.id = p.provider_id AND p.user_id = $1 AND p.lease = $2
  RETURNING p.user_id`;

const rescheduleSql = `
  UPDATE presences p SET due_at = ${dueSql("p.confirmed_at", "p.signed_in_at")}
    , ending = p.refresh_token IS NOT NULL AND (p.ending OR i.presence = 'off'),
    away_since = CASE WHEN i.presence = 'on' THEN p.away_since END,
    reason = CASE WHEN i.presence = 'on' THEN p.reason END
  FROM identity_providers i WHERE i.id = p.provider_id AND i.id = $1`;

/** Locked first, so that two processes never take the same ones. */
const takeEndingSql = `
  WITH taken AS MATERIALIZED (
    SELECT user_id, provider_id, refresh_token FROM presences WHERE ending ORDER BY user_id LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE presences p SET refresh_token = NULL, ending = false FROM taken WHERE p.user_id = taken.user_id
  RETURNING taken.user_id AS "userId", taken.provider_id AS "providerId", taken.refresh_token AS "refreshToken"`;

/** A refresh token to revoke. */
export interface EndingToken {
  readonly userId: string;
  readonly providerId: string;
  readonly refreshToken: Buffer;
}

const raiseSql = `
  INSERT INTO presence_alarms (provider_id, reason, since, last_at) VALUES ($1, $2, $3::timestamptz, $3::timestamptz)
  ON CONFLICT (provider_id) DO UPDATE SET last_at = excluded.last_at
  RETURNING xmax = 0 AS "isNew"`;

/** Whether people are still there, according to the provider of their latest sign-in. */
export function createPresenceStore(database: Database) {
  const presences = () => database("presences");

  return {
    async find(userId: string): Promise<PresenceState | undefined> {
      const statement = { name: "presence_find", text: `SELECT ${found}`, values: [userId] };
      const [row] = await prepared<PresenceState>(database, statement);
      return row;
    },
    /** Makes this sign-in the latest one of the person. */
    async signedIn(signIn: {
      readonly userId: string;
      readonly providerId: string;
      readonly subject: string;
      readonly refreshToken: Buffer | null;
      readonly at: Date;
    }): Promise<void> {
      const { userId, providerId, subject, refreshToken, at } = signIn;
      const values = [userId, providerId, subject, refreshToken, at];
      await prepared(database, { name: "presence_signed_in", text: signedInSql, values });
    },
    /** Hands the refresh token of a due presence to one caller over all processes; `undefined`: it is another's, or not due. */
    async begin({
      userId,
      lease,
      now,
      until,
    }: Leased & { readonly now: Date; readonly until: Date }): Promise<Presence | undefined> {
      const statement = { name: "presence_begin", text: beginSql, values: [userId, lease, now, until] };
      const [row] = await prepared<Presence>(database, statement);
      return row;
    },
    /** Stores that the provider confirmed the person. Returns `false` when the lease is another's meanwhile. */
    async confirm({
      userId,
      lease,
      refreshToken,
      at,
    }: Leased & { readonly refreshToken: Buffer | null; readonly at: Date }): Promise<boolean> {
      const values = [userId, lease, at, refreshToken];
      return (await prepared(database, { name: "presence_confirm", text: confirmSql, values })).length > 0;
    },
    /** Ends a lease without a new confirmation. Returns `false` when it is another's meanwhile. */
    async release({
      userId,
      lease,
      dueAt,
      refused,
      refreshToken,
      now,
    }: Leased & {
      readonly dueAt: Date | null;
      /** The provider, or what it says of the person, refused them. */
      readonly refused: boolean;
      /** In place of the one that was sent; `null`: none can be used any more; `undefined`: the same one. */
      readonly refreshToken: Buffer | null | undefined;
      readonly now: Date;
    }): Promise<boolean> {
      const changed = await presences()
        .where({ user_id: userId, lease })
        .update({
          lease: null,
          lease_until: null,
          due_at: dueAt,
          ...(refused && { refused_at: now }),
          ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        });
      return changed > 0;
    },
    /** Forgets a refresh token whose answer was lost with its process: it may be used up. Returns whether there was one. */
    async forgetLost(userId: string, now: Date): Promise<boolean> {
      const forgotten = await presences()
        .where({ user_id: userId })
        .where("lease_until", "<=", now)
        .update({ lease: null, lease_until: null, refresh_token: null, ending: false, due_at: now });
      return forgotten > 0;
    },
    /** Stores since when and why there is no answer that counts, and when to ask again. Returns whether this is new. */
    async markAway({
      userId,
      reason,
      dueAt,
      now,
    }: {
      readonly userId: string;
      readonly reason: AwayReason;
      readonly dueAt: Date | null;
      readonly now: Date;
    }): Promise<boolean> {
      const rows = await queryRows<{ isNew: boolean }>(
        database,
        `UPDATE presences p SET away_since = coalesce(p.away_since, :now), reason = :reason, due_at = :dueAt
         FROM (SELECT away_since FROM presences WHERE user_id = :userId FOR UPDATE) AS old
         WHERE p.user_id = :userId RETURNING old.away_since IS NULL AS "isNew"`,
        { userId, reason, dueAt, now },
      );
      return rows[0]?.isNew ?? false;
    },
    /** Asks about a person at the next issuance. */
    async makeDue(userId: string, at: Date | null): Promise<void> {
      await presences().where({ user_id: userId }).update({ due_at: at });
    },
    /** Makes a person due who is confirmed until later. Returns whether their provider is asked about them. */
    async hasten(userId: string, at: Date): Promise<boolean> {
      const rows = await queryRows(
        database,
        `UPDATE presences p SET due_at = least(p.due_at, :at) FROM identity_providers i
        WHERE i.id = p.provider_id AND i.presence = 'on' AND p.user_id = :userId AND p.due_at IS NOT NULL
          AND p.refresh_token IS NOT NULL AND NOT p.ending RETURNING p.user_id`,
        { userId, at },
      );
      return rows.length > 0;
    },
    /** Uses the refresh token of a person no more; it is revoked later. They would have to sign in again. */
    async forget(userId: string, now: Date): Promise<void> {
      await presences()
        .where({ user_id: userId })
        .update({
          ending: database.raw("refresh_token IS NOT NULL"),
          due_at: now,
          lease: null,
          lease_until: null,
        });
    },
    /** Applies changed settings of a provider to its people. When it is no longer asked, the refresh tokens end. */
    async reschedule(providerId: string): Promise<void> {
      await prepared(database, { name: "presence_reschedule", text: rescheduleSql, values: [providerId] });
      await database("presence_alarms")
        .where({ provider_id: providerId })
        .whereExists(database("identity_providers").where({ id: providerId, presence: "off" }))
        .delete();
    },
    /** Drops the refresh tokens of a client that the provider's settings no longer name. */
    async dropTokens(providerId: string): Promise<void> {
      await presences()
        .where({ provider_id: providerId })
        .whereNotNull("refresh_token")
        .update({ refresh_token: null, ending: false, lease: null, lease_until: null });
    },
    takeEnding: (limit: number): Promise<readonly EndingToken[]> =>
      prepared(database, { name: "presence_take_ending", text: takeEndingSql, values: [limit] }),
    /** One transaction at a time counts the refusals of a provider, so that two cannot each miss the other's. */
    async lockProvider(providerId: string): Promise<void> {
      await database.raw("SELECT pg_advisory_xact_lock(hashtextextended('presences ' || ?, 0))", [
        providerId,
      ]);
    },
    /** How many people a provider was asked about since then, and how many it refused. */
    async countAnswers({
      providerId,
      since,
    }: {
      readonly providerId: string;
      readonly since: Date;
    }): Promise<{ readonly asked: number; readonly refused: number }> {
      const rows = await queryRows<{ asked: number; refused: number }>(
        database,
        `SELECT
          (SELECT count(*)::integer FROM presences WHERE provider_id = :providerId AND asked_at >= :since) AS asked,
          (SELECT count(*)::integer FROM presences WHERE provider_id = :providerId AND refused_at >= :since) AS refused`,
        { providerId, since },
      );
      return rows[0] ?? { asked: 0, refused: 0 };
    },
    /** The people whom a provider refused since then and who are paused for this reason. */
    async listRefused({
      providerId,
      since,
      pauseReason,
    }: {
      readonly providerId: string;
      readonly since: Date;
      readonly pauseReason: string;
    }): Promise<readonly string[]> {
      const rows = await presences()
        .join("users AS u", "u.id", "presences.user_id")
        .select<{ userId: string }[]>({ userId: "u.id" })
        .where({ "presences.provider_id": providerId, "u.pause_reason": pauseReason })
        .where("presences.refused_at", ">=", since)
        .orderBy("u.id");
      return rows.map(({ userId }) => userId);
    },
    /** Raises the alarm of a provider. Returns whether there was none. */
    async raiseAlarm({
      providerId,
      reason,
      at,
    }: {
      readonly providerId: string;
      readonly reason: AwayReason;
      readonly at: Date;
    }): Promise<boolean> {
      const statement = { name: "presence_alarm_raise", text: raiseSql, values: [providerId, reason, at] };
      const [row] = await prepared<{ isNew: boolean }>(database, statement);
      return row?.isNew ?? false;
    },
    /** Ends the alarm of a provider that answers; a wave of refusals only once it is over. Returns the one that ended. */
    async endAlarm({
      providerId,
      wavesBefore,
    }: {
      readonly providerId: string;
      readonly wavesBefore: Date;
    }): Promise<PresenceAlarm | undefined> {
      const [ended] = await database("presence_alarms")
        .where({ provider_id: providerId })
        .where((either) => {
          void either.whereNot({ reason: "refused_wave" }).orWhere("last_at", "<", wavesBefore);
        })
        .delete()
        .returning<PresenceAlarm[]>(database.raw(alarmTable.select()) as never);
      return ended;
    },
    async listAlarms(): Promise<
      readonly (PresenceAlarm & { readonly key: string; readonly name: string })[]
    > {
      return await database("presence_alarms")
        .join("identity_providers AS i", "i.id", "presence_alarms.provider_id")
        .select<(PresenceAlarm & { key: string; name: string })[]>(
          database.raw(`${alarmTable.select()}, i.key, i.name`),
        )
        .orderBy("i.key");
    },
    /** The state of the people who signed in last at each of these providers, as far as they are enabled. */
    async countPeople(providerIds: readonly string[]): Promise<readonly PresenceCounts[]> {
      return await queryRows<PresenceCounts>(
        database,
        `SELECT p.provider_id AS "providerId",
          (count(*) FILTER (WHERE u.paused_at IS NULL AND p.away_since IS NULL))::integer AS confirmed,
          (count(*) FILTER (WHERE u.paused_at IS NULL AND p.away_since IS NOT NULL))::integer AS "inGrace",
          (count(*) FILTER (WHERE u.paused_at IS NOT NULL))::integer AS paused,
          (count(*) FILTER (WHERE p.refresh_token IS NULL OR p.ending))::integer AS "withoutToken"
        FROM presences p JOIN users u ON u.id = p.user_id AND u.enabled
        WHERE p.provider_id = ANY (:providerIds) GROUP BY p.provider_id`,
        { providerIds },
      );
    },
  };
}
