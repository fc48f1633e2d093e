import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { disconnectConnection } from "./disconnect-connection.js";
import {
  connectionListSchema,
  connectionParamsSchema,
  connectionQuerySchema,
  connectionRemovalSchema,
} from "./schemas.js";
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

const deleteConnection = defineRoute({
  method: "DELETE",
  path: "/connections/{id}",
  summary: "Disconnect an account",
  description:
    "Nothing is sent with it from then on. Its tokens are revoked at the third party, then deleted; the answer waits for that, some seconds at most.",
  params: connectionParamsSchema,
  answer: connectionRemovalSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { id } }, call) => await disconnectConnection(id, call),
});

/** The accounts that people have connected at third parties. */
export function connectionArea(): AdminArea {
  return {
    tag: "Connections",
    description: "The accounts that people have connected at third parties. Tokens are never shown.",
    routes: [listConnections, deleteConnection],
  };
}
