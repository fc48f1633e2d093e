import { appHostRules } from "../objects/app-host.js";
import type { StoredObject } from "../objects/object.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import type { Database } from "./postgres/database.js";
import { columnsOf, defineTable, saveVersioned, selectVersion, type Versioned } from "./postgres/table.js";
import type { AppTrust } from "./settings.js";

/** What administrators decided about a host, as it is stored. */
export type AppHost = StoredObject<typeof appHostRules>;

/** A host as administrators see it. */
export interface ListedAppHost extends AppHost, Versioned {
  /** How many clients have come from it. */
  readonly clients: number;
  /** How many people came with an app of it while it was not allowed. */
  readonly askedBy: number;
}

/** Whether a host may be where an app comes from. */
export interface HostVerdict {
  readonly allowed: boolean;
  readonly trust: AppTrust;
}

type AppHostListRequest = PageRequest<"host" | "name" | "createdAt"> & {
  readonly allowed: boolean | undefined;
};

const table = defineTable<AppHost>("app_hosts", columnsOf(...appHostRules.keyof().options));

const listedSql = `${table.select("h")}, ${selectVersion("h")},
  (SELECT count(*)::integer FROM client_documents d WHERE d.host = h.host) AS clients,
  (SELECT count(*)::integer FROM app_requests r WHERE r.host = h.host) AS "askedBy"`;

const pageColumns: PageColumns<"host" | "name" | "createdAt"> = {
  id: { sql: "h.host", type: "text" },
  sorts: {
    host: { sql: "h.host", type: "text" },
    name: { sql: "lower(h.name)", type: "text" },
    createdAt: { sql: "h.created_at", type: "timestamptz" },
  },
};

/** The same rule as in `judgeTrust` of the clients. */
const judgeSql = `
  SELECT s.app_trust <> 'off' AND coalesce(h.allowed, s.app_trust = 'any') AS allowed, s.app_trust AS trust
  FROM settings s LEFT JOIN app_hosts h ON h.host = :host`;

export function createAppHostStore(database: Database) {
  const listed = () => database("app_hosts AS h").select<ListedAppHost[]>(database.raw(listedSql));

  return {
    async judge(host: string): Promise<HostVerdict> {
      const { rows } = await database.raw<{ rows: HostVerdict[] }>(judgeSql, { host });
      const [verdict] = rows;
      if (verdict === undefined) throw new Error("The settings row is missing.");
      return verdict;
    },
    /** The hosts among these that are allowed one by one, whatever the settings say. */
    async findAllowed(hosts: readonly string[]): Promise<readonly string[]> {
      const rows = await database("app_hosts")
        .select<{ host: string }[]>("host")
        .whereIn("host", [...hosts])
        .where({ allowed: true });
      return rows.map(({ host }) => host);
    },
    async list({ allowed, ...request }: AppHostListRequest): Promise<Page<ListedAppHost>> {
      const query = listed();
      if (allowed !== undefined) void query.where("h.allowed", allowed);
      whereWords(query, "h.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(host: string): Promise<ListedAppHost | undefined> {
      const [row] = await listed().where("h.host", host);
      return row;
    },
    /** Inserts or replaces the row of this host. `judgeTrust` of the clients belongs to it. */
    async save(appHost: AppHost, at: Date): Promise<void> {
      await saveVersioned(database, "app_hosts", { row: table.toRow(appHost), at, key: "host" });
    },
    /** Returns whether there was a row. `judgeTrust` of the clients belongs to it. */
    remove: async (host: string): Promise<boolean> =>
      (await database("app_hosts").where({ host }).delete()) > 0,
  };
}
