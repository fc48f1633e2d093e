import { randomUUID } from "node:crypto";
import { type CallAhead, createCallAhead } from "../../forwarding/call-ahead.js";
import { noteCall } from "../../forwarding/open-call.js";
import { pathTemplateOf } from "../../forwarding/path-template.js";
import { checkTarget, ifTarget, parseTarget } from "../../forwarding/target.js";
import type { Connection } from "../../store/connections.js";
import { type Connector, isConnectorMethod } from "../../store/connectors.js";
import type { BegunConnectionCall, NewConnectionCall } from "../../store/forwarded-calls.js";
import type { ForwardDependencies, ForwardRequest, ForwardRequestAhead } from "./forward-options.js";
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
  dependencies: ForwardDependencies,
): Promise<BegunUse> {
  const { store, forwarder, seen } = dependencies;
  const { connectorKey, caller, method, requestId } = request;
  const url = readTarget(request.target, forwarder.allowInsecureLoopback);
  if (url === undefined || !isConnectorMethod(method)) {
    const connector = await store.connectors.findByKey(connectorKey);
    if (connector === undefined) throw connectorRefusals.unknownConnector();
    const own = { userId: caller.user.id, connectorId: connector.id };
    return { connector, connection: await store.connections.findOwn(own), call: undefined };
  }
  const who = { userId: caller.user.id, clientId: caller.clientId, requestId };
  const { id, startedAt, begun } = await noteCall({
    ahead: request.ahead,
    name: nameOf(connectorKey, method, url),
    create: () => newCall({ ...who, connectorKey, method, url }, dependencies),
    begin: (call) => store.forwardedCalls.beginThroughConnection(call),
  });
  const { connector, connection } = begun;
  if (connector === undefined) throw connectorRefusals.unknownConnector();
  // As many as there are connectors.
  seen.set(connectorKey, connector);
  return { connector, connection, call: connection === undefined ? undefined : { id, startedAt } };
}

/** Prepares to note a call while its caller is identified. `undefined`: `beginUse` does not note it either. */
export function useAhead(
  { connectorKey, method, target, requestId, claims }: ForwardRequestAhead,
  dependencies: ForwardDependencies,
): CallAhead<BegunConnectionCall> | undefined {
  const { store, forwarder } = dependencies;
  const url = readTarget(target, forwarder.allowInsecureLoopback);
  if (url === undefined || !isConnectorMethod(method) || !isConnectorKey(connectorKey)) return undefined;
  const { userId, clientId } = claims;
  const call = newCall({ userId, clientId, requestId, connectorKey, method, url }, dependencies);
  return createCallAhead({
    id: call.id,
    startedAt: call.startedAt,
    name: nameOf(connectorKey, method, url),
    begin: (shown) => store.forwardedCalls.actThroughConnection({ shown, call }),
    isNoted: ({ connection }) => connection !== undefined,
    calls: forwarder.calls,
  });
}

/** Whether a connector can have such a name. */
export function isConnectorKey(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]*$/.test(text);
}

function nameOf(connectorKey: string, method: string, url: URL): string {
  return `${connectorKey} ${method} ${url.href}`;
}

interface CallDescription extends Pick<NewConnectionCall, "userId" | "clientId" | "requestId" | "method"> {
  readonly connectorKey: string;
  readonly url: URL;
}

function newCall(
  { connectorKey, url, ...described }: CallDescription,
  { forwarder, seen }: ForwardDependencies,
): NewConnectionCall {
  return {
    ...described,
    id: randomUUID(),
    startedAt: new Date(forwarder.clock()),
    connector: connectorKey,
    host: url.host,
    pathTemplate: shapeOf(url, seen.get(connectorKey), forwarder.allowInsecureLoopback),
  };
}

function readTarget(values: readonly string[], allowInsecureLoopback: boolean): URL | undefined {
  const [text = "", ...others] = values;
  return others.length > 0 || text === ""
    ? undefined
    : ifTarget(() => parseTarget(text, allowInsecureLoopback));
}

/** Should the process be lost, the audit trail says no more of the path than this. */
function shapeOf(url: URL, connector: Connector | undefined, allowInsecureLoopback: boolean): string {
  if (connector === undefined) return "/{…}";
  const { requestPrefixes, pathTemplates } = connector;
  const target = ifTarget(() => checkTarget([url.href], { requestPrefixes, allowInsecureLoopback }));
  return target === undefined ? "/{…}" : pathTemplateOf(target, pathTemplates);
}
