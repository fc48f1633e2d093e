import type { ConnectionCounts } from "../connection-list.js";
import type { ConnectorListStore } from "../connector-list.js";
import { type ConnectorRow, connectorColumns, connectorFromRow } from "./connector-rows.js";
import type { Database } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";

const columns: PageColumns<"key" | "name"> = {
  id: { sql: "c.id", type: "uuid" },
  sorts: { key: { sql: "c.key", type: "text" }, name: { sql: "lower(c.name)", type: "text" } },
};

/** How many connections are in which state, as one JSON object. */
export const connectionCountsSql = `
  (SELECT json_build_object('connected', count(*) FILTER (WHERE n.state = 'connected'),
    'reconnectRequired', count(*) FILTER (WHERE n.state = 'reconnect_required'),
    'disconnecting', count(*) FILTER (WHERE n.state = 'disconnecting'))
  FROM connections n WHERE n.connector_id = c.id)`;

type ListedRow = ConnectorRow & { connections: ConnectionCounts };

/** There are a hundred of them at most, so what is looked for needs no index. */
export function createConnectorListStore(database: Database): ConnectorListStore {
  const listed = () =>
    database("connectors AS c").select(
      ...connectorColumns.map((column) => `c.${column}`),
      database.raw(`${connectionCountsSql} AS connections`),
    );

  return {
    async list({ enabled, ...request }) {
      const query = listed();
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      if (request.q !== undefined) {
        const searched = "lower(c.key || ' ' || c.name || ' ' || c.kind) LIKE ?";
        void query.whereRaw(searched, [containsPattern(request.q)]);
      }
      const page = await selectPage<ListedRow, "key" | "name">(query, { columns, request });
      return { ...page, items: page.items.map(listedFromRow) };
    },
    async describe(key) {
      const [row] = (await listed().where("c.key", key)) as ListedRow[];
      return row && listedFromRow(row);
    },
    async count() {
      const [row] = await database("connectors").count<{ count: string }[]>();
      return Number(row?.count);
    },
    async remove(id) {
      await database("connectors").where({ id }).delete();
    },
  };
}

function listedFromRow({ connections, ...row }: ListedRow) {
  return { ...connectorFromRow(row), connections };
}
