import type { ListedPerson } from "./browser-sessions.js";
import type { ClientName } from "./grants.js";
import { type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { isGrantLiveSql, isStoppedSql } from "./stop-conditions.js";

/** What one stop covers. */
export type StopTarget =
  | { readonly kind: "all" }
  | { readonly kind: "user"; readonly userId: string }
  | { readonly kind: "client"; readonly clientId: string }
  /** One app of one person. */
  | { readonly kind: "app"; readonly userId: string; readonly clientId: string }
  | { readonly kind: "service"; readonly resourceId: string };

/** The columns that name a target; `null` covers all of them. */
interface TargetColumns {
  readonly userId: string | null;
  readonly clientId: string | null;
  readonly resourceId: string | null;
}

function targetColumns(target: StopTarget): TargetColumns {
  return {
    userId: "userId" in target ? target.userId : null,
    clientId: "clientId" in target ? target.clientId : null,
    resourceId: "resourceId" in target ? target.resourceId : null,
  };
}

/** A stop as it is shown. */
export interface ListedStop {
  readonly id: string;
  readonly kind: StopTarget["kind"];
  readonly user: ListedPerson | null;
  readonly client: ClientName | null;
  readonly service: { readonly key: string; readonly name: string; readonly resource: string } | null;
  readonly setAt: Date;
  /** The person or the machine, and their address or name; `null`: an operator. */
  readonly setBy: { readonly id: string; readonly name: string | null } | null;
  /** The person stopped it themselves. */
  readonly own: boolean;
}

/** What a stop touches at this moment. */
export interface StopReach {
  /** Signed-in apps, and the people whose they are or who used the service in the last 30 days. */
  readonly grants: number;
  readonly people: number;
  readonly machines: number;
  /** Forwarded calls in flight. */
  readonly calls: number;
}

type StopListRequest = PageRequest<"setAt"> & {
  readonly userId?: string | undefined;
  readonly clientId?: string | undefined;
  /** The key of a service. */
  readonly service?: string | undefined;
};

/** What is about to begin: for a person, through a client, at a service. */
interface Beginning {
  readonly userId: string | null;
  readonly clientId: string;
  /** The service, by its id or its identifier; neither: this server's own API. */
  readonly resourceId?: string | null;
  readonly resource?: string | undefined;
}

/** Whether a row of a table is covered by the target in `:userId`, `:clientId` and `:resourceId`. */
const coveredSql = (row: string, resource = `${row}.resource_id`): string =>
  `(:userId::uuid IS NULL OR ${row}.user_id = :userId) AND (:clientId::text IS NULL OR ${row}.client_id = :clientId)
    AND (:resourceId::uuid IS NULL OR ${resource} = :resourceId)`;

const appliesSql = `
  SELECT ${isStoppedSql("$1", "$2", "coalesce($4::uuid, (SELECT id FROM resources WHERE resource = $3))", "now()")} AS stopped`;

const setSql = `
  INSERT INTO stops (user_id, client_id, resource_id, stopped, not_before, set_at, set_by)
  VALUES (:userId, :clientId, :resourceId, true, :at, :at, :by)
  ON CONFLICT (key) DO UPDATE SET stopped = true, set_by = excluded.set_by,
    not_before = CASE WHEN stops.stopped THEN stops.not_before ELSE excluded.not_before END,
    set_at = CASE WHEN stops.stopped THEN stops.set_at ELSE excluded.set_at END
  WHERE NOT stops.stopped OR stops.set_by = stops.user_id::text AND stops.set_by IS DISTINCT FROM excluded.set_by
  RETURNING id`;

const reachSql = `
  WITH live AS (
    SELECT g.user_id FROM grants g
    WHERE ${isGrantLiveSql("g", ":now")} AND ${coveredSql("g")}
  ), users_of_service AS (
    SELECT DISTINCT p.user_id FROM usage_people p JOIN resources r ON r.id = :resourceId AND p.key = r.key
    WHERE p.kind = 'service' AND p.unit = 'day' AND p.at > :now::timestamptz - interval '30 days'
  )
  SELECT (SELECT count(*)::integer FROM live) AS grants,
    (SELECT count(*)::integer FROM (
      SELECT user_id::text FROM live UNION SELECT user_id FROM users_of_service) AS people) AS people,
    (SELECT count(*)::integer FROM clients c WHERE c.type = 'machine' AND c.enabled
      AND :userId::uuid IS NULL AND :resourceId::uuid IS NULL AND (:clientId::text IS NULL OR c.id = :clientId)) AS machines,
    (SELECT count(*)::integer FROM forwarded_calls f LEFT JOIN resources r ON r.key = f.resource
      WHERE f.ends_before > :now AND ${coveredSql("f", "r.id")}) AS calls`;

const pageColumns: PageColumns<"setAt"> = {
  id: { sql: "s.id", type: "uuid" },
  sorts: { setAt: { sql: "s.set_at", type: "timestamptz" } },
};

const listedSql = `s.id, split_part(s.key, ':', 1) AS kind, s.set_at AS "setAt",
  CASE WHEN s.set_by IS NOT NULL THEN json_build_object('id', s.set_by, 'name', coalesce(
    (SELECT coalesce(b.email, b.name) FROM users b WHERE b.id = CASE WHEN s.set_by ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN s.set_by::uuid END),
    (SELECT b.name FROM clients b WHERE b.id = s.set_by))) END AS "setBy",
  s.set_by IS NOT DISTINCT FROM s.user_id::text AND s.user_id IS NOT NULL AS own,
  CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'email', u.email, 'name', u.name) END AS user,
  CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'name', c.name, 'source', c.source) END AS client,
  CASE WHEN r.id IS NOT NULL THEN json_build_object('key', r.key, 'name', r.name, 'resource', r.resource) END AS service`;

/** What an administrator, or a person of their own, has stopped. Grants have it read beside them. */
export function createStopStore(database: Database) {
  const listed = () =>
    database("stops AS s")
      .leftJoin("users AS u", "u.id", "s.user_id")
      .leftJoin("clients AS c", "c.id", "s.client_id")
      .leftJoin("resources AS r", "r.id", "s.resource_id")
      .where("s.stopped", true)
      .select<ListedStop[]>(database.raw(listedSql));

  return {
    /** Whether a stop applies to something that would begin now. */
    async applies({ userId, clientId, resource, resourceId }: Beginning): Promise<boolean> {
      const values = [userId, clientId, resource ?? null, resourceId ?? null];
      const statement = { name: "stop_applies", text: appliesSql, values };
      const [row] = await prepared<{ stopped: boolean }>(database, statement);
      return row?.stopped === true;
    },
    /**
     * Stops the target. Returns whether that is a change: an administrator takes over what a person stopped themselves, so that the
     * person can no longer start it again.
     */
    async set(
      target: StopTarget,
      { at, by }: { readonly at: Date; readonly by: string | null },
    ): Promise<boolean> {
      return (await queryRows(database, setSql, { ...targetColumns(target), at, by })).length > 0;
    },
    /** Ends a stop, unless another has taken it over. What began before `at` stays ended. Returns whether it did. */
    async lift(
      { id, setBy }: Pick<ListedStop, "id" | "setBy">,
      { at, by }: { readonly at: Date; readonly by: string | null },
    ): Promise<boolean> {
      const change = { stopped: false, not_before: at, set_at: at, set_by: by };
      const stop = { id, stopped: true, set_by: setBy?.id ?? null };
      return (await database("stops").where(stop).update(change)) > 0;
    },
    async find(id: string): Promise<ListedStop | undefined> {
      const [stop] = await listed().where("s.id", id);
      return stop;
    },
    async findByTarget(target: StopTarget): Promise<ListedStop | undefined> {
      const { userId, clientId, resourceId } = targetColumns(target);
      const [stop] = await listed().where({
        "s.user_id": userId,
        "s.client_id": clientId,
        "s.resource_id": resourceId,
      });
      return stop;
    },
    /** Those of a person, of their apps, and of everything. */
    async listFor(userId: string): Promise<readonly ListedStop[]> {
      return await listed()
        .where((some) => void some.where("s.user_id", userId).orWhere("s.key", "all"))
        .orderBy("s.set_at");
    },
    /** Those that are set. */
    async list({ userId, clientId, service, ...request }: StopListRequest): Promise<Page<ListedStop>> {
      const query = listed();
      if (userId !== undefined) void query.where("s.user_id", userId);
      if (clientId !== undefined) void query.where("s.client_id", clientId);
      if (service !== undefined) void query.where("r.key", service);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async reach(target: StopTarget, now: Date): Promise<StopReach> {
      const rows = await queryRows<StopReach>(database, reachSql, { ...targetColumns(target), now });
      return rows[0] ?? { grants: 0, people: 0, machines: 0, calls: 0 };
    },
  };
}
