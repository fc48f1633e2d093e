import { disconnect } from "../../connectors/disconnect/disconnect.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { ListedConnection } from "../../store/connections.js";
import { administrators, auditorsAndOwners, seenIds } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { inUse, notFound } from "../../registry/refusal.js";
import type { AdminCall } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { showAs } from "../door/show.js";
import {
  type Connection,
  type ConnectionRemoval,
  connectionListSchema,
  connectionParamsSchema,
  connectionQuerySchema,
  connectionSchema,
  connectionRemovalSchema,
} from "./schemas.js";

/** The accounts that people have connected at third parties. */
export const connectionArea: AdminArea = {
  tag: "Connections",
  description: "The accounts that people have connected at third parties. Tokens are never shown.",
  async routes(app) {
    app.get(
      "/connections",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List connections",
          description:
            "The accounts that people have connected. `q` finds words of the person's name and address by their beginning.",
          querystring: connectionQuerySchema,
          response: { 200: connectionListSchema },
        },
      },
      async ({ query, admin: { store, context, caller } }) => {
        const { connector, user: userId, state } = query;
        const connectorIds = seenIds(caller, "connectors");
        const request = { ...toPageRequest(query), connector, connectorIds, userId, state };
        const page = await store.connections.list(request);
        return fromPage(page, {
          query,
          show: (connection) => showConnection(connection, context.connectorVault),
        });
      },
    );

    app.delete(
      "/connections/:id",
      {
        config: { access: administrators, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Disconnect an account",
          description:
            "Nothing is sent with it from then on. Its tokens are revoked at the third party, then deleted; the answer waits for that, some seconds at most.",
          params: connectionParamsSchema,
          response: { 200: connectionRemovalSchema },
        },
      },
      async ({ params: { id }, admin }) => await disconnectConnection(id, admin),
    );
  },
};

/** A connection as the API shows it: whose account it is, and nothing that opens it. */
function showConnection(connection: ListedConnection, vault: Pick<Vault, "readable">): Connection {
  const { connector, keyId } = connection;
  return showAs(connectionSchema)({
    ...connection,
    connector: connector.key,
    keyReadable: vault.readable(keyId),
  });
}

/**
 * Disconnects a person's account, as they could themselves. The third party is asked to end the tokens, so this takes a moment,
 * and is no change like others.
 *
 * @throws {Refusal} `not_found`; `in_use`: it is being disconnected already
 */
async function disconnectConnection(
  id: string,
  { context, actor, requestId }: AdminCall,
): Promise<ConnectionRemoval> {
  const { store, connectorVault: vault, connectorProvider: provider, clock, log } = context;
  const revocation = await disconnect(
    { connectionId: id, by: { actor, requestId } },
    { store, vault, provider, clock, log },
  );
  if (revocation !== undefined) return { revocation };
  if ((await store.connections.find(id)) === undefined) throw notFound("connection");
  throw inUse("disconnecting");
}
