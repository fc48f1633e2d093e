import type { Connector, ConnectorFields } from "../../store/connectors.js";
import { changedFields } from "./changed-fields.js";
import type { Work } from "./work.js";

/** Stores a connector that was not there before. */
export async function insertConnector(
  connector: ConnectorFields,
  { store, at, audit }: Pick<Work, "store" | "at" | "audit">,
): Promise<void> {
  const { key, kind } = connector;
  await store.connectors.save(connector, at);
  await audit({ type: "connector.created", data: { key, kind } });
}

/**
 * Stores a connector that was there before. Tokens belong to the client that they were given to, so with another client
 * everybody has to connect again.
 */
export async function replaceConnector(
  { before, after }: { readonly before: Connector; readonly after: ConnectorFields },
  { store, at, audit }: Pick<Work, "store" | "at" | "audit">,
): Promise<void> {
  const fields = changedFields<Partial<Connector>>(before, after);
  if (fields.length === 0) return;
  const { id, key } = after;
  // Somebody who connects at this moment is done before, or sees the connector as it is afterwards.
  await store.connectors.lock(id);
  await store.connectors.save(after, at);
  const reconnect = isOtherClient(before, after)
    ? await store.connections.requireReconnectOfAll({ connectorId: id, reason: "client_changed" })
    : 0;
  await audit({ type: "connector.changed", data: { key, fields, ...(reconnect > 0 && { reconnect }) } });
}

type ClientFacts = Pick<ConnectorFields, "clientId" | "tokenEndpoint">;

/** Whether people's tokens belong to somebody else after a change: to another client, or of another party. */
export function isOtherClient(before: ClientFacts, after: ClientFacts): boolean {
  return before.clientId !== after.clientId || before.tokenEndpoint !== after.tokenEndpoint;
}
