import type { EnvelopeVault } from "../../platform/vault/envelope.js";
import type { ListedConnection } from "../../store/connections.js";
import { isoTime } from "../http/list-query.js";
import type { Connection } from "./schemas.js";

/** A connection as the API shows it: whose account it is, and nothing that opens it. */
export function showConnection(
  connection: ListedConnection,
  vault: Pick<EnvelopeVault, "readable">,
): Connection {
  const { id, user, connector, state, reason, account, grantedScopes, keyId } = connection;
  const { connectedAt, refreshedAt, lastUsedAt } = connection;
  return {
    id,
    connector: connector.key,
    user: { id: user.id, email: user.email, name: user.name },
    state,
    reason,
    account: { label: account.label },
    grantedScopes: [...grantedScopes],
    connectedAt: isoTime(connectedAt),
    refreshedAt: refreshedAt && isoTime(refreshedAt),
    lastUsedAt: lastUsedAt && isoTime(lastUsedAt),
    keyId,
    keyReadable: vault.readable(keyId),
  };
}
