import type { BegunCall } from "../../forwarding/call-record.js";
import { denialData, deny, type PersonLimit } from "../../forwarding/deny.js";
import { exchange } from "../../forwarding/exchange.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import { pathTemplateOf } from "../../forwarding/path-template.js";
import type { Target } from "../../forwarding/target.js";
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
  const { forwarder } = dependencies;
  if (!isConnectorKey(request.connectorKey)) throw connectorRefusals.unknownConnector();
  const { connector, connection, token, target, call, giveSlotBack } = await prepare(request, dependencies);
  return await exchange(
    {
      request,
      destination: connector,
      url: target.url,
      credential: {
        headers: [["authorization", `${token.tokenType} ${token.accessToken}`]],
        secrets: [token.accessToken],
      },
      heard: (answer) => noteStale(answer, { connection, token }, dependencies),
      owner: connection.id,
      call,
      giveSlotBack,
    },
    forwarder,
  );
}

/** Everything before the first byte leaves. */
interface Prepared {
  readonly connector: Connector;
  readonly connection: Connection;
  readonly target: Target;
  readonly token: LoadedAccessToken;
  readonly call: BegunCall;
  readonly giveSlotBack: () => void;
}

async function prepare(request: ForwardRequest, dependencies: ForwardDependencies): Promise<Prepared> {
  const { forwarder } = dependencies;
  const begun = await beginUse(request, dependencies);
  const progress: Progress = { begun, counted: false, giveSlotBack: undefined };
  try {
    return await decide(request, progress, dependencies);
  } catch (error) {
    progress.giveSlotBack?.();
    if (progress.begun.call !== undefined) await forwarder.calls.cancel(progress.begun.call.id);
    throw await denied(tokenRefusal(error, begun.connector), { request, progress }, forwarder);
  }
}

interface Progress {
  begun: BegunUse;
  /** The request counts against the limit. */
  counted: boolean;
  giveSlotBack: (() => void) | undefined;
}

/** Decides in an order in which nobody learns more than they may. */
async function decide(
  request: ForwardRequest,
  progress: Progress,
  dependencies: ForwardDependencies,
): Promise<Prepared> {
  const { forwarder, credentials } = dependencies;
  const { connector } = progress.begun;
  checkUser(request.caller, connector);
  let connection = await requireUsable(progress.begun, request, dependencies);
  const target = checkRequest(request, connector, forwarder.allowInsecureLoopback);
  progress.counted = true;
  await forwarder.limiter.takeOwn(personLimit(request, connector));
  const giveSlotBack = forwarder.takeSlot(connection.userId);
  progress.giveSlotBack = giveSlotBack;
  const isFresh = credentials.isFresh(connection);
  const token = await credentials.loadAccessToken(connection, connector);
  if (!isFresh) {
    // Asking the third party takes its time, in which everything may have changed.
    if (progress.begun.call !== undefined) await forwarder.calls.cancel(progress.begun.call.id);
    progress.begun = await beginUse(request, dependencies);
    connection = await requireUsable(progress.begun, request, dependencies);
  }
  if (!mayGoTo(token, target.url)) throw connectorRefusals.addressAdded(connector);
  request.signal.throwIfAborted();
  const { call } = progress.begun;
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
  return { connector, connection, target, token, call: followed, giveSlotBack };
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

async function denied(
  error: unknown,
  { request, progress }: { readonly request: ForwardRequest; readonly progress: Progress },
  forwarder: Forwarder,
): Promise<unknown> {
  const { connector } = progress.begun;
  const { user, clientId } = request.caller;
  // Any other text may be of any length, and hold anything.
  const method = isConnectorMethod(request.method) ? request.method : undefined;
  return await deny(
    error,
    {
      destination: connector,
      limit: personLimit(request, connector),
      counted: progress.counted,
      refusals: request.refusals,
      event: (refusal) => ({
        type: "connection.denied",
        outcome: "denied",
        actor: { type: "user", id: user.id },
        at: new Date(forwarder.clock()),
        subject: user.id,
        clientId,
        requestId: request.requestId,
        data: { connector: connector.key, ...denialData(refusal, method) },
      }),
    },
    forwarder,
  );
}

/** A token that came a moment ago is not too old. Some third parties answer 401 where a scope is missing. */
const youngSeconds = 60;

/** A third party that does not accept the token any more: it is refreshed before the next use, never in this one. */
async function noteStale(
  { status }: OutboundStreamAnswer,
  { connection, token }: Pick<Prepared, "connection" | "token">,
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
