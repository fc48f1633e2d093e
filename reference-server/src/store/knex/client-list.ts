import type { ClientListStore, ListedClient } from "../client-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"name" | "id"> = {
  id: { sql: "c.id", type: "text" },
  sorts: { name: { sql: "lower(c.name)", type: "text" }, id: { sql: "c.id", type: "text" } },
};

const listedSql = `c.id, c.name, c.type, c.redirect_uris AS "redirectUris", c.keys, c.dpop_bound AS "dpopBound",
  c.built_in AS "builtIn", c.enabled, c.version, c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  ARRAY(SELECT m.scope_key FROM machine_scopes m WHERE m.client_id = c.id ORDER BY m.scope_key) AS "machineScopes"`;

const logInsSql = `SELECT client_id AS id, count(*)::integer AS count FROM grants
  WHERE client_id = ANY (:ids) AND revoked_at IS NULL AND expires_at > :now GROUP BY client_id`;

type CountedClient = Omit<ListedClient, "logIns">;

export function createClientListStore(database: Database): ClientListStore {
  const listed = () => database("clients AS c").select(database.raw(listedSql));

  /** All at once: most log-ins are of one client, so a count for each client of its own would read them all each time. */
  async function countLogIns(clients: readonly CountedClient[], now: Date): Promise<readonly ListedClient[]> {
    const ids = clients.map(({ id }) => id);
    const { rows } = await database.raw<{ rows: { id: string; count: number }[] }>(logInsSql, { ids, now });
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    return clients.map((client) => ({ ...client, logIns: counts.get(client.id) ?? 0 }));
  }

  return {
    async list({ type, enabled, now, ...request }) {
      const query = listed();
      if (type !== undefined) void query.where("c.type", type);
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      whereWords(query, "c.words", request.q);
      const { items, next } = await selectPage<CountedClient, "name" | "id">(query, { columns, request });
      return { items: await countLogIns(items, now), next };
    },
    async describe(id, now) {
      const rows = (await listed().where("c.id", id)) as CountedClient[];
      const [client] = await countLogIns(rows, now);
      return client;
    },
    remove: async (id) => (await database("clients").where({ id }).delete()) > 0,
  };
}
