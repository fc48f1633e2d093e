import { appHostRules } from "../objects/app-host.js";
import type { StoredObject } from "../objects/object.js";
import { createObjectStore, objectTable } from "./object-store.js";
import type { Page, PageRequest } from "./page.js";
import type { Database } from "./postgres/database.js";
import type { Versioned } from "./postgres/table.js";
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

const table = objectTable("app_hosts", appHostRules);

const more = `
  (SELECT count(*)::integer FROM client_documents d WHERE d.host = o.host) AS clients,
  (SELECT count(*)::integer FROM app_requests r WHERE r.host = o.host) AS "askedBy"`;

const sorts = {
  host: { sql: "o.host", type: "text" },
  name: { sql: "lower(o.name)", type: "text" },
  createdAt: { sql: "o.created_at", type: "timestamptz" },
} as const;

/** The same rule as in `judgeTrust` of the clients. */
const judgeSql = `
  SELECT s.app_trust <> 'off' AND coalesce(h.allowed, s.app_trust = 'any') AS allowed, s.app_trust AS trust
  FROM settings s LEFT JOIN app_hosts h ON h.host = :host`;

export function createAppHostStore(database: Database) {
  const objects = createObjectStore<AppHost, ListedAppHost, keyof typeof sorts>(database, {
    table,
    key: "host",
    more,
    sorts,
  });

  return {
    /** `judgeTrust` of the clients belongs to `save` and `remove`. */
    ...objects,
    async judge(host: string): Promise<HostVerdict> {
      const { rows } = await database.raw<{ rows: HostVerdict[] }>(judgeSql, { host });
      const [verdict] = rows;
      if (verdict === undefined) throw new Error("The settings row is missing.");
      return verdict;
    },
    /** The hosts among these that are allowed by name. */
    async findAllowed(hosts: readonly string[]): Promise<readonly string[]> {
      const rows = await database("app_hosts")
        .select<{ host: string }[]>("host")
        .whereIn("host", [...hosts])
        .where({ allowed: true });
      return rows.map(({ host }) => host);
    },
    list: async ({ allowed, ...request }: AppHostListRequest): Promise<Page<ListedAppHost>> =>
      await objects.list(request, { allowed }),
  };
}
