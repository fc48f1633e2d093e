import { missingPermissions } from "../connectors/connect/requirements.js";
import type { ConnectionItem } from "../pages/connections-section.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { Store } from "../store/store.js";

/** What a person has connected, what else they may connect, and what they can ask for: by the connector's key. */
export async function loadConnections(
  permissions: Permissions,
  store: Pick<Store, "connections" | "connectors">,
): Promise<readonly ConnectionItem[]> {
  const own = await store.connections.listOwn(permissions.user.id);
  const enabled = await store.connectors.listEnabled();
  // A connection outlives that its connector is switched off, so that the person can still end it.
  const others = await Promise.all(
    own
      .filter(({ connectorId }) => !enabled.some(({ id }) => id === connectorId))
      .map(({ connectorId }) => store.connectors.find(connectorId)),
  );
  return [...enabled, ...others]
    .filter((connector) => connector !== undefined)
    .map((connector) => {
      const lacks = missingPermissions(connector, permissions);
      return {
        key: connector.key,
        name: connector.name,
        connectable: connector.enabled && lacks.length === 0,
        lacks,
        requestable: connector.enabled && lacks.length > 0,
        connection: own.find(({ connectorId }) => connectorId === connector.id),
      };
    })
    .filter(
      ({ lacks, requestable, connection }) => lacks.length === 0 || requestable || connection !== undefined,
    )
    .sort((one, other) => one.key.localeCompare(other.key, "en"));
}
