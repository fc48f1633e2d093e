import { inUse } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { type ConnectorView, findConnector, showConnector } from "./show-connector.js";

/**
 * Removes a connector that nobody has an account at. Connections hold tokens that have to be revoked first.
 *
 * @throws {AdminError} `not_found`, `version_conflict`, `in_use`
 */
export async function removeConnector(
  { key, version }: { readonly key: string; readonly version: number },
  { store, audit, ...view }: ChangeWork & ConnectorView,
): Promise<void> {
  const seen = await findConnector(store, key);
  requireVersion(showConnector(seen, view), version);
  // From here on nobody connects: whoever is at it is done, or finds no connector.
  await store.connectors.lock(seen.id);
  const { connected, reconnectRequired, disconnecting } = await store.connections.countByState(seen.id);
  const people = connected + reconnectRequired;
  if (people + disconnecting > 0) {
    throw inUse(({ refusals }) => refusals.connectorInUse(key, people, disconnecting));
  }
  await store.connectors.remove(seen.id);
  await audit({ type: "connector.removed", data: { key, kind: seen.kind } });
}

/** Blocks the connections of everybody. They are revoked and deleted in the background. @throws {AdminError} `not_found` */
export async function disconnectEverybody(
  key: string,
  { store, at, audit }: ChangeWork,
): Promise<{ connections: number }> {
  const { id } = await findConnector(store, key);
  const connections = await store.connections.blockAll({ connectorId: id, now: at });
  if (connections > 0) await audit({ type: "connector.disconnected", data: { key, connections } });
  return { connections };
}
