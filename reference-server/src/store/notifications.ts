import { type Database, prepared } from "./postgres/database.js";

/** A message to a person or an administrator, by the object that it is about. */
export type NotificationEvent =
  | {
      readonly type: "access.requested" | "access.approved" | "access.declined";
      /** The id of the request. */
      readonly request: string;
    }
  | {
      readonly type: "approval.asked";
      /** Its id. */
      readonly approval: string;
    }
  | {
      readonly type: "assignment.expiring";
      readonly email: string | null;
      readonly group: { readonly provider: string; readonly key: string } | null;
      readonly scope: string;
      /** ISO 8601. */
      readonly expiresAt: string;
    }
  | {
      readonly type: "presence.alarm_raised";
      /** The key of the provider. */
      readonly provider: string;
      readonly reason: string;
    }
  | {
      readonly type: "signal_stream.failing";
      /** Its key. */
      readonly stream: string;
      readonly name: string;
      readonly state: "failing" | "silent";
    };

type NotificationType = NotificationEvent["type"];

/** A message for one receiver. */
export type NewNotification = {
  readonly id: string;
  readonly type: NotificationType;
  readonly body: string;
} & (
  | { readonly channel: "webhook" }
  | { readonly channel: "mail"; readonly recipient: string; readonly subject: string }
);

/** A message that is on its way. */
export interface ClaimedNotification {
  readonly id: string;
  readonly type: NotificationType;
  readonly channel: "webhook" | "mail";
  readonly recipient: string | null;
  readonly subject: string | null;
  readonly body: string;
  /** This one included. */
  readonly attempts: number;
  readonly ageSeconds: number;
}

/** How long an attempt may take before it counts as lost, with its process. */
const leaseSeconds = 60;

const takeSql = `
  DELETE FROM notification_events e WHERE e.id = ANY (ARRAY(
    SELECT id FROM notification_events ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING e.id, e.event`;

const claimSql = `
  UPDATE notifications n SET attempts = n.attempts + 1, due_at = now() + $2::float8 * interval '1 second'
  WHERE n.id = ANY (ARRAY(
    SELECT id FROM notifications WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING n.id, n.type, n.channel, n.recipient, n.subject, n.body, n.attempts,
    extract(epoch FROM now() - n.created_at)::float8 AS "ageSeconds"`;

const postponeSql = `
  UPDATE notifications SET due_at = now() + $3::float8 * interval '1 second' WHERE id = $1 AND attempts = $2`;

const undeliveredSql = `
  SELECT count(*)::integer AS count FROM notifications
  WHERE attempts > 0 AND created_at < now() - $1::float8 * interval '1 second'`;

export function createNotificationStore(database: Database) {
  return {
    /** Call it in the transaction of what happened. */
    async record(events: readonly NotificationEvent[]): Promise<void> {
      if (events.length === 0) return;
      const rows = events.map((event) => ({ event: JSON.stringify(event) }));
      await database("notification_events").insert(rows);
    },
    /** Takes the oldest events away; call it in the transaction that adds their messages. */
    async takeEvents(limit: number): Promise<readonly NotificationEvent[]> {
      const statement = { name: "notification_events_take", text: takeSql, values: [limit] };
      const rows = await prepared<{ id: string; event: NotificationEvent }>(database, statement);
      return rows.toSorted((one, other) => Number(one.id) - Number(other.id)).map(({ event }) => event);
    },
    async add(notifications: readonly NewNotification[]): Promise<void> {
      if (notifications.length > 0) await database("notifications").insert([...notifications]);
    },
    /** Claims due messages. Each is claimed by one process, until it is done or a minute has passed. */
    claim: (limit: number): Promise<readonly ClaimedNotification[]> =>
      prepared(database, { name: "notifications_claim", text: claimSql, values: [limit, leaseSeconds] }),
    /** How many were tried, and are still there when the first attempt is over. */
    async countUndelivered(): Promise<number> {
      const statement = { name: "notifications_undelivered", text: undeliveredSql, values: [leaseSeconds] };
      const [row] = await prepared<{ count: number }>(database, statement);
      return row?.count ?? 0;
    },
    /** Returns whether it was still claimed by this attempt. */
    remove: async ({ id, attempts }: Pick<ClaimedNotification, "id" | "attempts">): Promise<boolean> =>
      (await database("notifications").where({ id, attempts }).delete()) > 0,
    /** Schedules the next attempt, unless another process has claimed the message. */
    async postpone({ id, attempts }: Pick<ClaimedNotification, "id" | "attempts">, seconds: number) {
      const values = [id, attempts, seconds];
      await prepared(database, { name: "notification_postpone", text: postponeSql, values });
    },
  };
}
