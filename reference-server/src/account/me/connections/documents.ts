import { readConnectErrorCode } from "../../../connectors/connect/connect-error.js";
import { missingPermissions } from "../../../connectors/connect/requirements.js";
import { usualHeaders } from "../../../forwarding/request-headers.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import type { ConnectionAttempt } from "../../../store/connection-attempts.js";
import type { Connection } from "../../../store/connections.js";
import type { Connector } from "../../../store/connectors.js";
import { languages, textsIn } from "../../../text/texts.js";

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

/** How far an attempt has come. */
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

/** The words of the page; programs get them in English. */
export function describeFailure(error: ReturnType<typeof readConnectErrorCode>, { name }: Connector): string {
  return textsIn(languages[0]).text(`connections.failed.failures.${error}`, { name });
}
