import type { AuthorizationDetail } from "@authz/dpop/approval";
import { type AuditRow, eventColumns, eventJson, type StampEvent } from "./audit-events.js";
import type { ClientName } from "./grants.js";
import { type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";
import { defineTable, json, orNull } from "./postgres/table.js";
import { isGrantLiveSql, isStoppedSql } from "./stop-conditions.js";

export const approvalStates = [
  "pending",
  "approved",
  "collected",
  "declined",
  "expired",
  "withdrawn",
] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** The group whose members may answer, by the key of its provider. */
export interface ApproverGroup {
  readonly provider: string;
  readonly key: string;
}

/** The type of a detail with which a rule asks about a call through this server. No service may declare it, and no token is issued for it. */
export const ruledCallType = "authz:call";

/** What a person is asked about one call of an app at a service, or through a connector. */
export interface Approval {
  readonly id: string;
  readonly state: ApprovalState;
  /** The service; `null`: it goes through a connector. */
  readonly resourceId: string | null;
  readonly connectorId: string | null;
  /** For whom the app acts. */
  readonly userId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly txn: string;
  readonly callDigest: string;
  readonly method: string;
  /** Absolute, with its query. */
  readonly url: string;
  readonly detail: AuthorizationDetail;
  /** In the words of the service, or of the rule; empty: the rule has none. */
  readonly reason: string;
  /** `null`: the person themselves. */
  readonly approver: ApproverGroup | null;
  /** Maximum age of the approver's sign-in; `null`: any. */
  readonly maxAgeSeconds: number | null;
  readonly createdAt: Date;
  /** Of a pending one for the answer, of an approved one for its collection. */
  readonly expiresAt: Date;
  /** Polling interval. Grows when the client polls too early. */
  readonly intervalSeconds: number;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly collectedAt: Date | null;
  /** Until it expires, the same token can be collected again. `null` of a call through this server. */
  readonly token: CollectedToken | null;
}

export interface CollectedToken {
  /** Its `jti`. */
  readonly id: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/** An approval that nobody has answered. */
export type NewApproval = Omit<Approval, "state" | "decidedBy" | "decidedAt" | "collectedAt" | "token">;

/** What identifies an equal call. */
export type CallKey = Pick<Approval, "grantId" | "callDigest"> & {
  /** The id of the service or connector. */
  readonly placeId: string;
};

/** What decides whether an app may ask. */
export interface AskingSituation {
  /** The pending or approved one of an equal call, expired or not. */
  readonly open: Approval | undefined;
  /** Pending ones of the person, and of the app for the person. */
  readonly pendingOfPerson: number;
  readonly pendingOfApp: number;
  /** The app's last answers for the person, the newest first; at most `runOfDeclines`. */
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly declined: boolean;
  readonly at: Date;
}

/** So many declined in a row mute an app. */
export const runOfDeclines = 3;

/** How an approval is answered. */
export interface ApprovalAnswer {
  readonly id: string;
  readonly state: "approved" | "declined";
  readonly by: string;
  readonly now: Date;
  /** Until when an approved one can be collected. */
  readonly expiresAt: Date;
}

const approvalTable = defineTable<Approval>("approvals", {
  id: "id",
  state: "state",
  resourceId: "resource_id",
  connectorId: "connector_id",
  userId: "user_id",
  clientId: "client_id",
  grantId: "grant_id",
  txn: "txn",
  callDigest: "call_digest",
  method: "method",
  url: "url",
  detail: json("detail"),
  reason: "reason",
  approver: orNull({ provider: "approver_provider", key: "approver_key" }),
  maxAgeSeconds: "max_age_seconds",
  createdAt: "created_at",
  expiresAt: "expires_at",
  intervalSeconds: "interval_seconds",
  decidedBy: "decided_by",
  decidedAt: "decided_at",
  collectedAt: "collected_at",
  token: orNull({ id: "token_id", scopes: "token_scopes", expiresAt: "token_expires_at" }),
});

const selected = approvalTable.select("a");

/** No stop applies to an approval: none is set, and none was lifted since it was asked for. */
export const isUnstoppedSql: string = `NOT ${isStoppedSql("a.user_id", "a.client_id", "a.resource_id", "a.created_at")}`;

/**
 * Grant, app and person may act, and nothing has been stopped since the approval was asked for: nothing is approved that could not be
 * collected.
 */
const isLiveSql = (now: string): string => `EXISTS (
  SELECT FROM grants g JOIN clients c ON c.id = g.client_id AND c.enabled AND c.trusted
    JOIN users u ON u.id = g.user_id AND u.enabled AND u.paused_at IS NULL
  WHERE g.id = a.grant_id AND ${isGrantLiveSql("g", now)} AND ${isUnstoppedSql})`;

/** An approval as people see it: who asks through what, and where. */
export interface ListedApproval extends Approval {
  readonly person: { readonly id: string; readonly email: string | null; readonly name: string | null };
  /** `null` when the app is gone. */
  readonly client: ClientName | null;
  /** `resource`: the identifier of the service; `null`: it is a connector. */
  readonly resource: { readonly key: string; readonly name: string; readonly resource: string | null };
  /** `null` while it has no answer, and when the approver is gone. */
  readonly decider: ListedApproval["person"] | null;
}

/** An approval as those who can answer see it. */
export interface AnswerableApproval extends ListedApproval {
  /** What it is for could still be carried out. */
  readonly isLive: boolean;
}

const personSql = (alias: string) =>
  `json_build_object('id', ${alias}.id, 'email', ${alias}.email, 'name', ${alias}.name)`;

const listedSql = `${selected},
  (SELECT ${personSql("u")} FROM users u WHERE u.id = a.user_id) AS person,
  (SELECT json_build_object('id', c.id, 'name', c.name, 'source', c.source) FROM clients c WHERE c.id = a.client_id) AS client,
  coalesce(
    (SELECT json_build_object('key', r.key, 'name', r.name, 'resource', r.resource) FROM resources r WHERE r.id = a.resource_id),
    (SELECT json_build_object('key', n.key, 'name', n.name, 'resource', null) FROM connectors n WHERE n.id = a.connector_id)
  ) AS resource,
  (SELECT ${personSql("u")} FROM users u WHERE u.id = a.decided_by) AS decider`;

const answerableSql = `${listedSql}, ${isLiveSql("now()")} AS "isLive"`;

// Two asks for one person come one after the other: the second one counts the first.
const lockSql = "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE";

const situationSql = `
  SELECT (SELECT count(*)::integer FROM approvals p
      WHERE p.user_id = $1 AND p.state = 'pending' AND p.expires_at > $6) AS "pendingOfPerson",
    (SELECT count(*)::integer FROM approvals p
      WHERE p.user_id = $1 AND p.client_id = $2 AND p.state = 'pending' AND p.expires_at > $6) AS "pendingOfApp",
    (SELECT coalesce(json_agg(json_build_object('declined', d.state = 'declined', 'at', d.decided_at)), '[]') FROM (
      SELECT state, decided_at FROM approvals WHERE user_id = $1 AND client_id = $2 AND decided_at IS NOT NULL
      ORDER BY decided_at DESC LIMIT ${runOfDeclines}) AS d) AS answers,
    ${approvalTable.select("a", "open.")}
  FROM (VALUES (1)) AS always LEFT JOIN approvals a ON a.grant_id = $3 AND coalesce(a.resource_id, a.connector_id) = $4 AND a.call_digest = $5
    AND a.state IN ('pending', 'approved')`;

/** One conditional change of one approval and its event: both or neither. */
function stepSql(change: string, condition: string): string {
  return `
    WITH changed AS (
      UPDATE approvals a SET ${change} WHERE a.id = $1::uuid AND ${condition} RETURNING a.*
    ), recorded AS (
      INSERT INTO audit_events (${eventColumns})
      SELECT ${eventColumns.replaceAll(/\w+/g, "e.$&")} FROM changed, json_populate_record(NULL::audit_events, $2::json) AS e
    )
    SELECT ${selected} FROM changed a`;
}

const approveSql = stepSql(
  "state = 'approved', decided_by = $3::uuid, decided_at = $4::timestamptz, expires_at = $5::timestamptz",
  `a.state = 'pending' AND a.expires_at > $4::timestamptz AND ${isLiveSql("$4::timestamptz")}`,
);

const declineSql = stepSql(
  "state = 'declined', decided_by = $3::uuid, decided_at = $4::timestamptz",
  "a.state = 'pending' AND a.expires_at > $4::timestamptz",
);

/** One execution of a call through this server: what was approved is used up before the call is sent. */
const useSql = stepSql(
  "state = 'collected', collected_at = $3::timestamptz",
  `a.state = 'approved' AND a.expires_at > $3::timestamptz AND a.detail->>'type' = '${ruledCallType}' AND ${isLiveSql("$3::timestamptz")}`,
);

const expireSql = stepSql(
  "state = 'expired'",
  "a.state IN ('pending', 'approved') AND a.expires_at <= $3::timestamptz",
);

/** A second of grace: what leaves a client in time may arrive a little early. */
const pollSql = `
  WITH before AS (
    SELECT id, polled_at + (interval_seconds - 1) * interval '1 second' > $2::timestamptz AS early
    FROM approvals WHERE id = $1::uuid AND state = 'pending' FOR UPDATE
  )
  UPDATE approvals a SET polled_at = $2::timestamptz,
    interval_seconds = least(interval_seconds + CASE WHEN early THEN 5 ELSE 0 END, 60)
  FROM before WHERE a.id = before.id RETURNING early IS TRUE AS early`;

const pageColumns: PageColumns<"createdAt"> = {
  id: { sql: "a.id", type: "uuid" },
  sorts: { createdAt: { sql: "a.created_at", type: "timestamptz" } },
};

type ApprovalListRequest = PageRequest<"createdAt"> & {
  readonly state: ApprovalState | undefined;
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
  /** The key of a service. */
  readonly service: string | undefined;
};

/**
 * Approvals, one conditional statement for each step, with its event. Collecting one is in `redemptions.ts`, with everything else that
 * issues a token.
 */
export function createApprovalStore(database: Database, stamp: StampEvent) {
  const read = async (name: string, text: string, values: readonly unknown[]) =>
    (await prepared<object>(database, { name, text, values })).map((row) => approvalTable.fromRow(row));
  const step = async (name: string, text: string, { id, event, values }: Step) =>
    (await read(name, text, [id, JSON.stringify(eventJson(event, stamp)), ...values]))[0];
  const listed = () => database("approvals AS a").select<object[]>(database.raw(listedSql));
  const answerable = () => database("approvals AS a").select<object[]>(database.raw(answerableSql));

  return {
    /** Call it in the transaction that inserts: asks for one person come one after the other. */
    async lockAsking({
      userId,
      clientId,
      grantId,
      placeId,
      callDigest,
      now,
    }: CallKey & Pick<Approval, "userId" | "clientId"> & { readonly now: Date }): Promise<AskingSituation> {
      await prepared(database, { name: "approval_lock", text: lockSql, values: [userId] });
      const values = [userId, clientId, grantId, placeId, callDigest, now];
      const statement = { name: "approval_situation", text: situationSql, values };
      const [row] = await prepared<SituationRow>(database, statement);
      if (row === undefined) throw new Error("A statement that always has a row had none.");
      return {
        open: row["open.id"] === null ? undefined : approvalTable.fromRow(row, "open."),
        pendingOfPerson: row.pendingOfPerson,
        pendingOfApp: row.pendingOfApp,
        answers: row.answers.map(({ declined, at }) => ({ declined, at: new Date(at) })),
      };
    },
    async insert(approval: NewApproval): Promise<void> {
      await database("approvals").insert(approvalTable.toRow(approval));
    },
    /** Answers one that is pending. `undefined`: it no longer is, or what it is for could not be carried out any more. */
    async answer(
      { id, state, by, now, expiresAt }: ApprovalAnswer,
      event: AuditRow,
    ): Promise<Approval | undefined> {
      return state === "approved"
        ? await step("approval_approve", approveSql, { id, event, values: [by, now, expiresAt] })
        : await step("approval_decline", declineSql, { id, event, values: [by, now] });
    },
    /** Uses up an approved call through this server. Returns whether this call is the one that may be sent. */
    async use(id: string, now: Date, event: AuditRow): Promise<boolean> {
      return (await step("approval_use", useSql, { id, event, values: [now] })) !== undefined;
    },
    /** Ends one whose time is over. Returns whether this call is what ended it. */
    async expire(id: string, now: Date, event: AuditRow): Promise<boolean> {
      return (await step("approval_expire", expireSql, { id, event, values: [now] })) !== undefined;
    },
    /** Those whose time is over and that have not ended, the oldest first. */
    async listOver({
      now,
      limit,
    }: {
      readonly now: Date;
      readonly limit: number;
    }): Promise<readonly ListedApproval[]> {
      const text = `SELECT ${listedSql} FROM approvals a
        WHERE a.state IN ('pending', 'approved') AND a.expires_at <= $1 ORDER BY a.expires_at, a.id LIMIT $2`;
      const statement = { name: "approvals_over", text, values: [now, limit] };
      return (await prepared<object>(database, statement)).map(listedFromRow);
    },
    /** Withdraws what is pending or approved of these grants. Returns it. Call it in the transaction of its events. */
    async withdraw(grantIds: readonly string[]): Promise<readonly ListedApproval[]> {
      const text = `WITH a AS (
          UPDATE approvals SET state = 'withdrawn'
          WHERE grant_id = ANY ($1::uuid[]) AND state IN ('pending', 'approved') RETURNING *)
        SELECT ${listedSql} FROM a`;
      const statement = { name: "approvals_withdraw", text, values: [grantIds] };
      return (await prepared<object>(database, statement)).map(listedFromRow);
    },
    /** Counts one poll of a pending one. One that comes too early makes the interval longer. */
    async poll({ id, now }: { readonly id: string; readonly now: Date }): Promise<"in_time" | "too_early"> {
      const statement = { name: "approval_poll", text: pollSql, values: [id, now] };
      const [row] = await prepared<{ early: boolean }>(database, statement);
      return row?.early === true ? "too_early" : "in_time";
    },
    async find(id: string): Promise<Approval | undefined> {
      return (await read("approval_by_id", `SELECT ${selected} FROM approvals a WHERE a.id = $1`, [id]))[0];
    },
    async findByTxn(resourceId: string, txn: string): Promise<Approval | undefined> {
      const text = `SELECT ${selected} FROM approvals a WHERE a.resource_id = $1 AND a.txn = $2`;
      return (await read("approval_by_txn", text, [resourceId, txn]))[0];
    },
    /** The last decline of an equal call since a time. */
    async findDeclined(
      { grantId, placeId, callDigest }: CallKey,
      since: Date,
    ): Promise<Approval | undefined> {
      const text = `SELECT ${selected} FROM approvals a WHERE a.grant_id = $1 AND coalesce(a.resource_id, a.connector_id) = $2 AND a.call_digest = $3
        AND a.decided_at > $4 ORDER BY a.decided_at DESC LIMIT 1`;
      const [last] = await read("approval_last_answer", text, [grantId, placeId, callDigest, since]);
      return last?.state === "declined" ? last : undefined;
    },
    /** Which of these no longer wait for an answer. */
    async findSettled(ids: readonly string[], now: Date): Promise<readonly string[]> {
      const text = `SELECT id FROM approvals WHERE id = ANY ($1::uuid[]) AND (state <> 'pending' OR expires_at <= $2)`;
      const rows = await prepared<{ id: string }>(database, {
        name: "approvals_settled",
        text,
        values: [ids, now],
      });
      return rows.map(({ id }) => id);
    },
    /**
     * Whether the app of this session has been given something for the service since a time, or is calling it through this server. Read
     * from the trail, which has it already: an issuance writes nothing more for this.
     */
    async hasReached({
      userId,
      grantId,
      resource,
      since,
    }: {
      readonly userId: string;
      readonly grantId: string;
      readonly resource: { readonly key: string; readonly resource: string };
      readonly since: Date;
    }): Promise<boolean> {
      const text = `SELECT EXISTS (
          SELECT FROM audit_events e WHERE e.subject = $1 AND e.at > $5
            AND e.type IN ('assertion.issued', 'token.issued', 'service.called') AND e.outcome = 'success'
            AND e.data->>'grantId' = $2 AND e.data->>'resource' IN ($3, $4))
        OR EXISTS (SELECT FROM forwarded_calls f WHERE f.grant_id = $2::uuid AND f.resource = $3) AS reached`;
      const values = [userId, grantId, resource.key, resource.resource, since];
      const [row] = await prepared<{ reached: boolean }>(database, {
        name: "approval_reached",
        text,
        values,
      });
      return row?.reached === true;
    },
    async describe(id: string): Promise<AnswerableApproval | undefined> {
      const [row] = await answerable().where("a.id", id);
      return row && answerableFromRow(row);
    },
    /** The newest of a person, those that wait first. */
    async listOwn(userId: string, limit: number): Promise<readonly AnswerableApproval[]> {
      const rows = await answerable()
        .where("a.user_id", userId)
        .orderByRaw("a.state <> 'pending', a.created_at DESC, a.id")
        .limit(limit);
      return rows.map(answerableFromRow);
    },
    /** The groups that anything waits for now. */
    async listApproverGroups(now: Date): Promise<readonly ApproverGroup[]> {
      const text = `SELECT DISTINCT approver_provider AS provider, approver_key AS key FROM approvals
        WHERE state = 'pending' AND expires_at > $1 AND approver_key IS NOT NULL LIMIT 50`;
      return await prepared(database, { name: "approver_groups", text, values: [now] });
    },
    /** Those of other people that wait for members of these groups, the oldest first. */
    async listForGroups({
      userId,
      groups,
      now,
      limit,
    }: {
      readonly userId: string;
      readonly groups: readonly ApproverGroup[];
      readonly now: Date;
      readonly limit: number;
    }): Promise<readonly AnswerableApproval[]> {
      if (groups.length === 0) return [];
      const rows = await answerable()
        .where("a.state", "pending")
        .whereNot("a.user_id", userId)
        .where("a.expires_at", ">", now)
        .whereIn(
          ["a.approver_provider", "a.approver_key"],
          groups.map(({ provider, key }) => [provider, key]),
        )
        .orderByRaw("a.created_at, a.id")
        .limit(limit);
      return rows.map(answerableFromRow);
    },
    async list({
      state,
      userId,
      clientId,
      service,
      ...request
    }: ApprovalListRequest): Promise<Page<ListedApproval>> {
      const query = listed();
      if (state !== undefined) void query.where("a.state", state);
      if (userId !== undefined) void query.where("a.user_id", userId);
      if (clientId !== undefined) void query.where("a.client_id", clientId);
      if (service !== undefined)
        void query.whereRaw("a.resource_id = (SELECT r.id FROM resources r WHERE r.key = ?)", [service]);
      const page = await selectPage<object, "createdAt">(query, { columns: pageColumns, request });
      return { ...page, items: page.items.map(listedFromRow) };
    },
  };
}

interface Step {
  readonly id: string;
  readonly event: AuditRow;
  readonly values: readonly unknown[];
}

interface SituationRow {
  readonly pendingOfPerson: number;
  readonly pendingOfApp: number;
  readonly answers: readonly { readonly declined: boolean; readonly at: string }[];
  readonly "open.id": string | null;
}

function listedFromRow(row: object): ListedApproval {
  const { person, client, resource, decider } = row as Omit<ListedApproval, keyof Approval>;
  return { ...approvalTable.fromRow(row), person, client, resource, decider };
}

function answerableFromRow(row: object): AnswerableApproval {
  return { ...listedFromRow(row), isLive: (row as Pick<AnswerableApproval, "isLive">).isLive };
}
