import { disconnect } from "../../connectors/disconnect/disconnect.js";
import { inUse, notFound } from "../http/admin-error.js";
import type { AdminCall } from "../http/call.js";
import type { ConnectionRemoval } from "./schemas.js";

/**
 * Disconnects somebody's account, as the person could. The third party is asked to end the tokens, so this takes a moment,
 * and is no change like others.
 *
 * @throws {AdminError} `not_found`; `in_use`: somebody else is at it
 */
export async function disconnectConnection(id: string, call: AdminCall): Promise<ConnectionRemoval> {
  const { context, actor, requestId } = call;
  const { store, connectorVault: vault, connectorProvider: provider, clock, log } = context;
  const revocation = await disconnect(
    { connectionId: id, by: { actor, requestId } },
    { store, vault, provider, clock, log },
  );
  if (revocation !== undefined) return { revocation };
  if ((await store.connections.find(id)) === undefined) throw notFound(({ things }) => things.connection);
  throw inUse(({ refusals }) => refusals.disconnecting);
}
