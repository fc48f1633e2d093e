import type { AllowedCall } from "../../forwarding/exchange.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import { type CallProgress, denialData, openCall, type PersonLimit } from "../../forwarding/open-call.js";
import { pathTemplateOf } from "../../forwarding/path-template.js";
import type { OutboundStreamAnswer } from "../../platform/outbound/outbound-stream.js";
import type { Connection } from "../../store/connections.js";
import { type Connector, isConnectorMethod } from "../../store/connectors.js";
import type { LoadedAccessToken } from "../refresh/credentials.js";
import { mayGoTo } from "../refresh/stored-tokens.js";
import { checkRequest, checkUser } from "./admit-request.js";
import { type BegunUse, beginUse, isConnectorKey } from "./begin-call.js";
import type { ForwardDependencies, ForwardRequest } from "./forward-options.js";
import { connectorRefusals, tokenRefusal } from "./refusals.js";

/**
 * Sends a request through a connector, once, and hands back the beginning of the answer.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export async function forwardRequest(
  request: ForwardRequest,
  dependencies: ForwardDependencies,
): Promise<HandedAnswer> {
  if (!isConnectorKey(request.connectorKey)) throw connectorRefusals.unknownConnector();
  const { caller, requestId } = request;
  const begun = await beginUse(request, dependencies);
  const { connector } = begun;
  // Any other text may be of any length, and hold anything.
  const method = isConnectorMethod(request.method) ? request.method : undefined;
  return await openCall(
    {
      who: { userId: caller.user.id, clientId: caller.clientId, requestId },
      noted: begun.call?.id,
      prepare: async (progress) => await prepare(request, { begun, progress }, dependencies),
      refusalOf: (error) => tokenRefusal(error, connector),
      denial: () => ({
        destination: connector,
        limit: personLimit(request, connector),
        refusals: request.refusals,
        event: (refusal, common) => ({
          type: "connection.denied",
          ...common,
          data: { connector: connector.key, ...denialData(refusal, method) },
        }),
      }),
    },
    dependencies.forwarder,
  );
}

/** Decides in an order in which nobody learns more than they may. */
async function prepare(
  request: ForwardRequest,
  { begun: first, progress }: { readonly begun: BegunUse; readonly progress: CallProgress },
  dependencies: ForwardDependencies,
): Promise<AllowedCall> {
  const { forwarder, credentials } = dependencies;
  const { connector } = first;
  let begun = first;
  checkUser(request.caller, connector);
  let connection = await requireUsable(begun, request, dependencies);
  const target = checkRequest(request, connector, forwarder.allowInsecureLoopback);
  progress.counted = true;
  await forwarder.limiter.takeOwn(personLimit(request, connector));
  const giveSlotBack = forwarder.takeSlot(connection.userId);
  progress.giveSlotBack = giveSlotBack;
  const isFresh = credentials.isFresh(connection);
  const token = await credentials.loadAccessToken(connection, connector);
  if (!isFresh) {
    // Asking the third party takes its time, in which everything may have changed.
    if (begun.call !== undefined) await forwarder.calls.cancel(begun.call.id);
    begun = await beginUse(request, dependencies);
    progress.noted = begun.call?.id;
    connection = await requireUsable(begun, request, dependencies);
  }
  if (!mayGoTo(token, target.url)) throw connectorRefusals.addressAdded(connector);
  request.signal.throwIfAborted();
  const { call } = begun;
  if (call === undefined) throw connectorRefusals.notUsable(connection, connector);
  const followed = forwarder.calls.follow({
    ...call,
    connection: { id: connection.id, connector: connector.key },
    service: null,
    userId: connection.userId,
    clientId: request.caller.clientId,
    requestId: request.requestId,
    method: request.method,
    host: target.url.host,
    pathTemplate: pathTemplateOf(target, connector.pathTemplates),
  });
  const used = { connection, token };
  return {
    request,
    destination: connector,
    url: target.url,
    credential: {
      headers: [["authorization", `${token.tokenType} ${token.accessToken}`]],
      secrets: [token.accessToken],
    },
    received: (answer) => noteStale(answer, used, dependencies),
    owner: connection.id,
    call: followed,
    giveSlotBack,
  };
}

/** The connection of a call that is noted, or of an address that is still to be refused. @throws {UseRefusal} */
async function requireUsable(
  { connector, connection }: BegunUse,
  { caller }: ForwardRequest,
  { store }: ForwardDependencies,
): Promise<Connection> {
  if (connection?.state === "connected") return connection;
  const own = { userId: caller.user.id, connectorId: connector.id };
  throw connectorRefusals.notUsable(connection ?? (await store.connections.findOwn(own)), connector);
}

function personLimit({ caller }: ForwardRequest, { id, limits }: Connector): PersonLimit {
  const key = `${caller.user.id} ${id}`;
  return { name: "connector.person", key, perMinute: limits.requestsPerMinute };
}

/** A token that came a moment ago is not too old. Some third parties answer 401 where a scope is missing. */
const youngSeconds = 60;

/** A third party that does not accept the token any more: it is refreshed before the next use, never in this one. */
async function noteStale(
  { status }: OutboundStreamAnswer,
  { connection, token }: { readonly connection: Connection; readonly token: LoadedAccessToken },
  { store, forwarder }: ForwardDependencies,
): Promise<undefined> {
  if (status !== 401) return;
  const { credentialVersion } = token;
  const isNew = credentialVersion !== connection.credentialVersion;
  if (isNew || forwarder.clock() - cameAt(connection) < youngSeconds * 1000) return;
  try {
    await store.connections.markStale({ id: connection.id, credentialVersion });
  } catch (err) {
    forwarder.log.warn(
      { code: "CONNECTION_NOT_MARKED_STALE", connection: connection.id, err },
      "A token that was refused will be used once more.",
    );
  }
}

/** When the tokens of a connection came. */
function cameAt({ connectedAt, refreshedAt }: Connection): number {
  return Math.max(connectedAt.getTime(), refreshedAt?.getTime() ?? 0);
}
