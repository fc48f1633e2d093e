import { type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import type { Owned } from "./owners.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

export const accessRequestStates = ["pending", "approved", "declined", "withdrawn"] as const;
type AccessRequestState = (typeof accessRequestStates)[number];

/** What a request is about: a service or a connector, by its key, or this installation itself. */
export interface AccessTarget {
  readonly kind: "service" | "connector" | "installation";
  readonly target: string;
}

/** The most characters of a reason and of a decision's note: as much as an administrator reads before deciding. */
export const longestReason = 500;

/** A person's request for missing permissions. */
export interface AccessRequest extends AccessTarget {
  readonly id: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** In the person's own words. */
  readonly reason: string;
  /** The app through which the person asked, and its grant; `null`: on a page of this server. */
  readonly clientId: string | null;
  readonly grantId: string | null;
  readonly state: AccessRequestState;
  /** The scopes that were granted. */
  readonly grantedScopes: readonly string[];
  /** Until when that was given; `null`: for good. */
  readonly expiresAt: Date | null;
  /** The administrator's note, at most 500 characters. */
  readonly note: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly createdAt: Date;
  readonly version: number;
}

export type NewAccessRequest = Pick<
  AccessRequest,
  "id" | "userId" | "kind" | "target" | "scopes" | "reason" | "clientId" | "grantId" | "createdAt"
>;

/** A request as administrators see it. */
export interface ListedAccessRequest extends AccessRequest {
  readonly person: {
    readonly id: string;
    readonly email: string | null;
    readonly name: string | null;
    readonly enabled: boolean;
  };
  /** The name of the service or connector; `null` when it is gone. */
  readonly targetName: string | null;
}

/** How a request ends. */
export type AccessDecision = Pick<AccessRequest, "id" | "version"> & {
  readonly state: Exclude<AccessRequestState, "pending">;
  readonly grantedScopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly note: string | null;
  readonly decidedBy: string;
};

/** Signing in with apps and agent hosts. */
export const installationTarget: AccessTarget = { kind: "installation", target: "authz" };

/** As many as a person waits for in earnest. */
export const mostPending = 20;

const table = defineTable<AccessRequest>("access_requests", {
  id: "id",
  userId: "user_id",
  kind: "kind",
  target: "target",
  scopes: "scopes",
  reason: "reason",
  clientId: "client_id",
  grantId: "grant_id",
  state: "state",
  grantedScopes: "granted_scopes",
  expiresAt: "expires_at",
  note: "note",
  decidedBy: "decided_by",
  decidedAt: "decided_at",
  createdAt: "created_at",
  version: "version",
});

// Two requests of one person come one after the other: the second one counts the first.
const lockSql = "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE";

const askSql = `
  INSERT INTO access_requests AS r (id, user_id, kind, target, scopes, reason, client_id, grant_id, created_at)
  SELECT $1::uuid, $2::uuid, $3, $4, $5::text[], $6, $7, $8::uuid, $9::timestamptz
  WHERE (SELECT count(*) FROM access_requests p
    WHERE p.user_id = $2::uuid AND p.state = 'pending' AND (p.kind, p.target) <> ($3, $4)) < $10::integer
  ON CONFLICT (user_id, kind, target) WHERE state = 'pending' DO UPDATE SET
    scopes = ARRAY(SELECT DISTINCT s FROM unnest(r.scopes || excluded.scopes) AS s ORDER BY s),
    reason = excluded.reason, client_id = excluded.client_id, grant_id = excluded.grant_id, version = r.version + 1
  RETURNING ${table.select("r")}`;

const decideSql = `
  UPDATE access_requests r SET state = $3, granted_scopes = $4::text[], expires_at = $5, note = $6, decided_by = $7,
    decided_at = now(), version = version + 1
  WHERE r.id = $1 AND r.state = 'pending' AND r.version = $2
  RETURNING ${table.select("r")}`;

const listedSql = `${table.select("r")},
  (SELECT json_build_object('id', u.id, 'email', u.email, 'name', u.name, 'enabled', u.enabled)
    FROM users u WHERE u.id = r.user_id) AS person,
  CASE r.kind WHEN 'service' THEN (SELECT s.name FROM resources s WHERE s.key = r.target)
    WHEN 'connector' THEN (SELECT c.name FROM connectors c WHERE c.key = r.target)
    ELSE (SELECT i.installation_name FROM settings i) END AS "targetName"`;

const pageColumns: PageColumns<"createdAt"> = {
  id: { sql: "r.id", type: "uuid" },
  sorts: { createdAt: { sql: "r.created_at", type: "timestamptz" } },
};

type AccessRequestListRequest = PageRequest<"createdAt"> & {
  readonly state: AccessRequestState | undefined;
  /** Only those for these; for all when absent. */
  readonly at?: OwnedTargets | undefined;
};

/** Services and connectors, by their keys. */
type OwnedTargets = Pick<Owned, "services" | "connectors">;

const atSql =
  "((r.kind = 'service' AND r.target = ANY (?)) OR (r.kind = 'connector' AND r.target = ANY (?)))";

function keysAt({ services, connectors }: OwnedTargets): readonly (readonly string[])[] {
  return [services.map(({ key }) => key), connectors.map(({ key }) => key)];
}

export function createAccessRequestStore(database: Database) {
  const listed = () =>
    database("access_requests AS r").select<ListedAccessRequest[]>(database.raw(listedSql));
  const read = async (name: string, text: string, values: readonly unknown[]) =>
    (await prepared<AccessRequest>(database, { name, text, values })).map((row) => table.fromRow(row));

  return {
    /**
     * Adds a request, or adds to the one that is pending for the same target. Call it in a transaction. `undefined`: twenty others are
     * pending.
     */
    async ask(request: NewAccessRequest): Promise<AccessRequest | undefined> {
      const { id, userId, kind, target, scopes, reason, clientId, grantId, createdAt } = request;
      await prepared(database, { name: "access_request_lock", text: lockSql, values: [userId] });
      const of = [id, userId, kind, target, scopes, reason, clientId, grantId, createdAt, mostPending];
      return (await read("access_request_ask", askSql, of))[0];
    },
    /** Ends a pending request that has not changed since; `undefined`: it has, and nothing was changed. */
    async decide(decision: AccessDecision): Promise<AccessRequest | undefined> {
      const { id, version, state, grantedScopes, expiresAt, note, decidedBy } = decision;
      const values = [id, version, state, grantedScopes, expiresAt, note, decidedBy];
      return (await read("access_request_decide", decideSql, values))[0];
    },
    /** Withdraws every pending request of a person. Returns them. */
    async withdrawAll(userId: string, decidedBy: string): Promise<readonly AccessRequest[]> {
      const text = `UPDATE access_requests r SET state = 'withdrawn', decided_by = $2, decided_at = now(), version = version + 1
        WHERE r.user_id = $1 AND r.state = 'pending' RETURNING ${table.select("r")}`;
      return await read("access_requests_withdraw_all", text, [userId, decidedBy]);
    },
    async find(id: string): Promise<ListedAccessRequest | undefined> {
      const [found] = await listed().where("r.id", id);
      return found;
    },
    /** The newest requests of a person, the pending ones first. */
    async listOwn(userId: string, limit: number): Promise<readonly AccessRequest[]> {
      const text = `SELECT ${table.select("r")} FROM access_requests r WHERE r.user_id = $1
        ORDER BY r.state <> 'pending', r.created_at DESC, r.id LIMIT $2`;
      return await read("access_requests_own", text, [userId, limit]);
    },
    async findOwn({ id, userId }: { id: string; userId: string }): Promise<AccessRequest | undefined> {
      const text = `SELECT ${table.select("r")} FROM access_requests r WHERE r.id = $1 AND r.user_id = $2`;
      return (await read("access_request_own", text, [id, userId]))[0];
    },
    /** The pending request of a person for a target, or the one that was decided last. */
    async findLast(userId: string, { kind, target }: AccessTarget): Promise<AccessRequest | undefined> {
      const text = `SELECT ${table.select("r")} FROM access_requests r
        WHERE r.user_id = $1 AND r.kind = $2 AND r.target = $3 AND r.state <> 'withdrawn'
        ORDER BY r.state <> 'pending', r.decided_at DESC LIMIT 1`;
      return (await read("access_request_last", text, [userId, kind, target]))[0];
    },
    async list({ state, at, ...request }: AccessRequestListRequest): Promise<Page<ListedAccessRequest>> {
      const query = listed();
      if (at !== undefined) void query.whereRaw(atSql, keysAt(at) as string[][]);
      if (state !== undefined) void query.where("r.state", state);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** How many requests a person had begun in the hour before this one began, this one included. */
    async countHourOf({ id }: Pick<AccessRequest, "id">): Promise<number> {
      const text = `SELECT count(*)::integer AS count FROM access_requests r JOIN access_requests o ON o.user_id = r.user_id
        WHERE r.id = $1 AND o.created_at <= r.created_at AND o.created_at > r.created_at - interval '1 hour'`;
      const statement = { name: "access_requests_hour", text, values: [id] };
      const [row] = await prepared<{ count: number }>(database, statement);
      return row?.count ?? 0;
    },
    /** @param at - only those for these; for all when absent */
    async countPending(at?: OwnedTargets): Promise<number> {
      const rows = await queryRows<{ count: number }>(
        database,
        `SELECT count(*)::integer AS count FROM access_requests r WHERE r.state = 'pending' ${at === undefined ? "" : `AND ${atSql}`}`,
        at === undefined ? [] : keysAt(at),
      );
      return rows[0]?.count ?? 0;
    },
  };
}
