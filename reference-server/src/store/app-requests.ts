import { type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import type { Database } from "./postgres/database.js";

/** A person came with an app of a host that is not allowed. */
export interface AppRequest {
  readonly host: string;
  readonly userId: string;
  /** The address of the document as requested; it was not fetched. */
  readonly clientId: string;
  readonly askedAt: Date;
}

/** A requested host without a decision. */
export interface AskedHost {
  readonly host: string;
  /** People who requested it. */
  readonly people: number;
  /** The app of the last request. */
  readonly clientId: string;
  readonly firstAskedAt: Date;
  readonly lastAskedAt: Date;
}

/** A person who requested a host. */
interface AskingPerson {
  readonly userId: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly clientId: string;
  readonly askedAt: Date;
}

/** More hosts than one person tries in earnest; a page that sends browsers here must not fill the administrator's list. */
const mostPerPerson = 20;

const addSql = `
  INSERT INTO app_requests (host, user_id, client_id, asked_at)
  SELECT :host, :userId::uuid, :clientId, :askedAt::timestamptz
  WHERE (SELECT count(*) FROM app_requests WHERE user_id = :userId::uuid) < :most
  ON CONFLICT (host, user_id) DO NOTHING`;

const askedSql = `
  SELECT r.host, count(*)::integer AS people, min(r.asked_at) AS first_asked_at, max(r.asked_at) AS last_asked_at,
    (array_agg(r.client_id ORDER BY r.asked_at DESC))[1] AS client_id
  FROM app_requests r WHERE NOT EXISTS (SELECT FROM app_hosts h WHERE h.host = r.host)
  GROUP BY r.host`;

const askedColumns = `a.host, a.people, a.client_id AS "clientId",
  a.first_asked_at AS "firstAskedAt", a.last_asked_at AS "lastAskedAt"`;

const pageColumns: PageColumns<"host" | "people" | "lastAskedAt"> = {
  id: { sql: "a.host", type: "text" },
  sorts: {
    host: { sql: "a.host", type: "text" },
    people: { sql: "a.people", type: "integer" },
    lastAskedAt: { sql: "a.last_asked_at", type: "timestamptz" },
  },
};

export function createAppRequestStore(database: Database) {
  return {
    /** Returns whether it was new: one request per person and host, and no more than twenty per person. */
    async add(request: AppRequest): Promise<boolean> {
      const result: { rowCount: number } = await database.raw(addSql, {
        ...request,
        most: mostPerPerson,
      });
      return result.rowCount > 0;
    },
    /** Requested hosts without a decision. */
    async listHosts(request: PageRequest<"host" | "people" | "lastAskedAt">): Promise<Page<AskedHost>> {
      const query = database
        .from(database.raw(`(${askedSql}) AS a`))
        .select<AskedHost[]>(database.raw(askedColumns));
      if (request.q !== undefined) void query.whereRaw("strpos(a.host, ?) > 0", [request.q.toLowerCase()]);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** How many hosts wait for a decision. */
    async countHosts(): Promise<number> {
      const [row] = await database
        .from(database.raw(`(${askedSql}) AS a`))
        .select<{ count: number }[]>(database.raw("count(*)::integer AS count"));
      return row?.count ?? 0;
    },
    /** People who requested a host, the last one first. */
    async listPeople(host: string, limit: number): Promise<readonly AskingPerson[]> {
      return await database("app_requests AS r")
        .join("users AS u", "u.id", "r.user_id")
        .where("r.host", host)
        .orderBy("r.asked_at", "desc")
        .limit(limit)
        .select<AskingPerson[]>(
          database.raw(
            `u.id AS "userId", u.email, u.name, r.client_id AS "clientId", r.asked_at AS "askedAt"`,
          ),
        );
    },
    /** Removes the requests for a host after a decision. */
    async removeHost(host: string): Promise<void> {
      await database("app_requests").where({ host }).delete();
    },
  };
}
