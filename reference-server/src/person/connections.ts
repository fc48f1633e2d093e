import { type ConnectErrorCode, readConnectErrorCode } from "../connectors/connect/connect-error.js";
import { missingPermissions } from "../connectors/connect/requirements.js";
import { usualHeaders } from "../forwarding/request-headers.js";
import type { Caller } from "../oauth/tokens/identify-caller.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { ConnectionAttempt } from "../store/connection-attempts.js";
import type { Connection } from "../store/connections.js";
import type { Connector } from "../store/connectors.js";
import type { Store } from "../store/store.js";
import { languages, textsIn } from "../text/texts.js";
import { findConnector } from "./find.js";

/** Every enabled connector, with what the person has connected there. */
export async function listConnections(
  { user, permissions }: Pick<Caller, "user" | "permissions">,
  store: Pick<Store, "connections" | "connectors">,
) {
  const [own, connectors] = await Promise.all([
    store.connections.listOwn(user.id),
    store.connectors.listEnabled(),
  ]);
  return connectors.map((connector) => {
    const connection = own.find(({ connectorId }) => connectorId === connector.id);
    return connectionDocument(connector, connection, permissions);
  });
}

/** A connector that is enabled, or disabled while the person has still an account connected there. */
export async function findConnection(
  key: string,
  { user }: Pick<Caller, "user">,
  store: Pick<Store, "connections" | "connectors">,
): Promise<{ readonly connector: Connector; readonly connection: Connection | undefined } | undefined> {
  const connector = await findConnector(key, store);
  if (connector === undefined) return undefined;
  const connection = await store.connections.findOwn({ userId: user.id, connectorId: connector.id });
  return connector.enabled || connection !== undefined ? { connector, connection } : undefined;
}

/** A connector as a person's client sees it, with what the person has connected. */
export function connectionDocument(
  connector: Connector,
  connection: Connection | undefined,
  permissions: Permissions,
) {
  return {
    connector: connector.key,
    name: connector.name,
    kind: connector.kind,
    state: connection?.state ?? ("not_connected" as const),
    ...(connection !== undefined && connectedPart(connection)),
    grantedScopes: connection?.grantedScopes ?? [],
    offeredScopes: connector.scopes,
    requestPrefixes: connector.requestPrefixes,
    requestHeaders: [...usualHeaders, ...connector.requestHeaders],
    methods: connector.methods,
    requiredScopes: connector.requiredScopes,
    missingScopes: missingPermissions(connector, permissions),
  };
}

function connectedPart({ reason, account, connectedAt, lastUsedAt }: Connection) {
  return {
    ...(reason !== null && { reason }),
    ...(account.label !== null && { account: { label: account.label } }),
    connectedAt: connectedAt.toISOString(),
    ...(lastUsedAt !== null && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}

/** The state of an attempt to connect an account. */
export function attemptDocument(
  { id, outcome, expiresAt }: ConnectionAttempt,
  connector: Connector,
  now: Date,
) {
  if (outcome === null) return { id, state: expiresAt > now ? ("pending" as const) : ("expired" as const) };
  if (outcome.state === "connected") return { id, state: outcome.state };
  const error = readConnectErrorCode(outcome.error);
  return { id, state: outcome.state, error, error_description: describeFailure(error, connector) };
}

/** The sentence of the page; programs get it in English. */
export function describeFailure(code: ConnectErrorCode, { name }: Connector): string {
  return textsIn(languages[0]).text(`connections.failed.failures.${code}`, { name });
}
