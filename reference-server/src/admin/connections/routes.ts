import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { connectionListSchema, connectionQuerySchema } from "./schemas.js";
import { showConnection } from "./show-connection.js";

const listConnections = defineRoute({
  method: "GET",
  path: "/connections",
  summary: "List connections",
  description:
    "The accounts that people have connected. `q` finds words of the person's name and address by their beginning.",
  query: connectionQuerySchema,
  answer: connectionListSchema,
  handle: async ({ query }, { store, context }) => {
    const { connector, user: userId, state } = query;
    const page = await store.connections.list({ ...toPageRequest(query), connector, userId, state });
    return fromPage(page, {
      query,
      show: (connection) => showConnection(connection, context.connectorVault),
    });
  },
});

/** The accounts that people have connected at third parties. */
export function connectionArea(): AdminArea {
  return {
    tag: "Connections",
    description: "The accounts that people have connected at third parties. Tokens are never shown.",
    routes: [listConnections],
  };
}
