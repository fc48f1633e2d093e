import { randomUUID } from "node:crypto";
import { pathTemplateOf } from "../../forwarding/path-template.js";
import { checkTarget, parseTarget, TargetError } from "../../forwarding/target.js";
import type { Connection } from "../../store/connections.js";
import { type Connector, isConnectorMethod } from "../../store/connectors.js";
import type { ForwardDependencies, ForwardRequest } from "./forward-options.js";
import { connectorRefusals } from "./refusals.js";

/** A connector, and the person's connection there when it can be used. */
export interface BegunUse {
  readonly connector: Connector;
  readonly connection: Connection | undefined;
  /** The call that is noted; `undefined`: nothing may be sent. */
  readonly call: { readonly id: string; readonly startedAt: Date } | undefined;
}

/**
 * Notes a call, in the one statement that also brings what it is decided with. An address that cannot be read is not noted, and
 * neither is a method that no connector allows: both are still to be refused.
 *
 * @throws {UseRefusal} There is no such connector.
 */
export async function beginUse(
  request: ForwardRequest,
  { store, forwarder, seen }: ForwardDependencies,
): Promise<BegunUse> {
  const { connectorKey, caller, method, requestId } = request;
  const url = readTarget(request.target, forwarder.allowInsecureLoopback);
  if (url === undefined || !isConnectorMethod(method)) {
    const connector = await store.connectors.findByKey(connectorKey);
    if (connector === undefined) throw connectorRefusals.unknownConnector();
    const own = { userId: caller.user.id, connectorId: connector.id };
    return { connector, connection: await store.connections.findOwn(own), call: undefined };
  }
  const call = { id: randomUUID(), startedAt: new Date(forwarder.clock()) };
  const { connector, connection } = await store.forwardedCalls.beginThroughConnection({
    ...call,
    connector: connectorKey,
    userId: caller.user.id,
    clientId: caller.clientId,
    requestId,
    method,
    host: url.host,
    pathTemplate: shapeOf(url, seen.get(connectorKey), forwarder.allowInsecureLoopback),
  });
  if (connector === undefined) throw connectorRefusals.unknownConnector();
  // As many as there are connectors.
  seen.set(connectorKey, connector);
  return { connector, connection, call: connection === undefined ? undefined : call };
}

function readTarget(values: readonly string[], allowInsecureLoopback: boolean): URL | undefined {
  const [text = "", ...others] = values;
  try {
    return others.length > 0 || text === "" ? undefined : parseTarget(text, allowInsecureLoopback);
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}

/** Should the process be lost, the audit trail says no more of the path than this. */
function shapeOf(url: URL, connector: Connector | undefined, allowInsecureLoopback: boolean): string {
  if (connector === undefined) return "/{…}";
  const { requestPrefixes, pathTemplates } = connector;
  try {
    return pathTemplateOf(checkTarget([url.href], { requestPrefixes, allowInsecureLoopback }), pathTemplates);
  } catch (error) {
    if (error instanceof TargetError) return "/{…}";
    throw error;
  }
}
