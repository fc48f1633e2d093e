import { randomUUID } from "node:crypto";
import type { RefusalRecord } from "../../audit/refusals.js";
import { applyRules, readForRules } from "../../forwarding/apply-rules.js";
import { checkLength, checkMethod, type ForwardedParts } from "../../forwarding/exchange.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import { denialData, openCall, type OpeningCall, type PreparedCall } from "../../forwarding/open-call.js";
import { pathTemplateOf } from "../../forwarding/path-template.js";
import { orRefuseTarget } from "../../forwarding/refusals.js";
import { checkTarget, ifTarget, parseTarget, type Target } from "../../forwarding/target.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import type { OutboundStreamAnswer } from "../../platform/outbound/outbound-stream.js";
import type { Connection } from "../../store/connections.js";
import { type Connector, isConnectorMethod } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { isUndecided, missingPermissions } from "../connect/requirements.js";
import type { Credentials, LoadedAccessToken } from "../refresh/credentials.js";
import { mayGoTo } from "../refresh/stored-tokens.js";
import { connectorRefusals, tokenRefusal } from "./refusals.js";

/** A request that a caller wants to have sent through a connector. */
interface ForwardRequest extends ForwardedParts {
  readonly caller: Caller;
  readonly connectorKey: string;
  /** Every `Authz-Target` header. */
  readonly target: readonly string[];
  readonly requestId: string;
  readonly refusals: RefusalRecord;
}

/**
 * Sends a request through a connector, once, and hands back the beginning of the answer.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export type ForwardThroughConnection = (request: ForwardRequest) => Promise<HandedAnswer>;

interface ForwardDependencies {
  readonly forwarder: Forwarder;
  readonly store: Pick<Store, "connectors" | "connections" | "forwardedCalls">;
  /** @throws {CredentialsError} | {@link VaultError} */
  readonly credentials: Credentials;
  /** Connectors as they were when last used, by key; for the shape of a path only, nothing is decided with them. */
  readonly seen: Map<string, Connector>;
}

/** One for each process. */
export function createForwardThroughConnection(
  context: {
    readonly store: ForwardDependencies["store"];
    readonly connectorCredentials: Credentials;
  },
  forwarder: Forwarder,
): ForwardThroughConnection {
  const { store, connectorCredentials: credentials } = context;
  const dependencies = { forwarder, store, credentials, seen: new Map<string, Connector>() };
  return async (request) => {
    if (!/^[a-z0-9][a-z0-9-]*$/.test(request.connectorKey)) throw connectorRefusals.unknownConnector();
    const { caller, requestId, refusals } = request;
    const begun = await beginUse(request, dependencies);
    const { connector } = begun;
    // Any other text may be of any length, and contain anything.
    const method = isConnectorMethod(request.method) ? request.method : undefined;
    return await openCall(
      {
        who: { userId: caller.user.id, clientId: caller.clientId, requestId },
        refusals,
        target: {
          destination: connector,
          limit: { name: "connector.person", id: connector.id },
          denied: (facts, refusal) => ({
            type: "connection.denied",
            ...facts,
            data: { connector: connector.key, ...denialData(refusal, method) },
          }),
        },
        noted: begun.call?.id,
        prepare: async (opening) => await prepare(request, { begun, opening }, dependencies),
        refusalOf: (error) => tokenRefusal(error, connector),
      },
      forwarder,
    );
  };
}

/** A connector, and the person's connection there when it can be used. */
interface BegunUse {
  readonly connector: Connector;
  readonly connection: Connection | undefined;
  /** The call that is noted; `undefined`: nothing may be sent. */
  readonly call: { readonly id: string; readonly startedAt: Date } | undefined;
}

/**
 * Notes a call, in the one statement that also loads what it is decided with. An address that cannot be read is not noted, and neither
 * is a method that no connector allows: both are refused later.
 *
 * @throws {UseRefusal} There is no such connector.
 */
async function beginUse(
  { connectorKey, caller, method, target, requestId }: ForwardRequest,
  { store, forwarder, seen }: ForwardDependencies,
): Promise<BegunUse> {
  const { allowInsecureLoopback, clock } = forwarder;
  const userId = caller.user.id;
  const [text = "", ...others] = target;
  const isOne = text !== "" && others.length === 0;
  const url = isOne ? ifTarget(() => parseTarget(text, allowInsecureLoopback)) : undefined;
  if (url === undefined || !isConnectorMethod(method)) {
    const connector = await store.connectors.findByKey(connectorKey);
    if (connector === undefined) throw connectorRefusals.unknownConnector();
    const connection = await store.connections.findOwn({ userId, connectorId: connector.id });
    return { connector, connection, call: undefined };
  }
  const call = { id: randomUUID(), startedAt: new Date(clock()) };
  const { connector, connection } = await store.forwardedCalls.beginThroughConnection({
    ...call,
    userId,
    clientId: caller.clientId,
    requestId,
    connector: connectorKey,
    method,
    host: url.host,
    pathTemplate: shapeOf(url, seen.get(connectorKey), allowInsecureLoopback),
  });
  if (connector === undefined) throw connectorRefusals.unknownConnector();
  seen.set(connectorKey, connector);
  return { connector, connection, call: connection === undefined ? undefined : call };
}

/** What the audit trail says of the path if the process is lost. */
function shapeOf(url: URL, connector: Connector | undefined, allowInsecureLoopback: boolean): string {
  if (connector === undefined) return "/{…}";
  const { requestPrefixes, pathTemplates } = connector;
  const target = ifTarget(() => checkTarget([url.href], { requestPrefixes, allowInsecureLoopback }));
  return target === undefined ? "/{…}" : pathTemplateOf(target, pathTemplates);
}

/** The order of the checks decides what a caller can find out. */
async function prepare(
  request: ForwardRequest,
  { begun: first, opening }: { readonly begun: BegunUse; readonly opening: OpeningCall },
  dependencies: ForwardDependencies,
): Promise<PreparedCall> {
  const { forwarder, credentials } = dependencies;
  const { connector } = first;
  let begun = first;
  checkUser(request.caller, connector);
  let connection = await requireUsable(begun, request, dependencies);
  const target = checkRequest(request, connector, forwarder.allowInsecureLoopback);
  await opening.count();
  opening.takeSlot();
  const isFresh = credentials.isFresh(connection);
  const token = await credentials.loadAccessToken(connection, connector);
  if (!isFresh) {
    // Everything may have changed while the third party was asked.
    if (begun.call !== undefined) await forwarder.calls.cancel(begun.call.id);
    begun = await beginUse(request, dependencies);
    opening.noted = begun.call?.id;
    connection = await requireUsable(begun, request, dependencies);
  }
  if (!mayGoTo(token, target.url)) throw connectorRefusals.addressAdded(connector);
  const { call } = begun;
  if (call === undefined) throw connectorRefusals.notUsable(connection, connector);
  const parts = await ruled(request, { connector: begun.connector, call, url: target.url }, forwarder);
  const used = { connection, token };
  return {
    request: parts,
    destination: connector,
    url: target.url,
    credential: {
      headers: [["authorization", `${token.tokenType} ${token.accessToken}`]],
      secrets: [token.accessToken],
    },
    received: (answer) => noteStale(answer, used, dependencies),
    owner: connection.id,
    call: {
      ...call,
      connection: { id: connection.id, connector: connector.key },
      service: null,
      method: request.method,
      host: target.url.host,
      pathTemplate: pathTemplateOf(target, connector.pathTemplates),
    },
  };
}

/** The request, once the rules of the connector allow it. @throws {UseRefusal} */
async function ruled(
  request: ForwardRequest,
  {
    connector,
    call,
    url,
  }: {
    readonly connector: Connector;
    readonly call: NonNullable<BegunUse["call"]>;
    readonly url: URL;
  },
  forwarder: Forwarder,
): Promise<ForwardedParts> {
  const { id, key, rules } = connector;
  if (rules.length === 0) return request;
  const object = { type: "connector", id, key, resource: null, rules, destination: connector } as const;
  const parts = await readForRules(request, object);
  const { user, clientId, grant } = request.caller;
  const { requestId } = request;
  const noted = { ...call, user, clientId, grantId: grant.id, requestId, url, request: parts };
  await applyRules(object, noted, forwarder);
  return parts;
}

/**
 * Whether a person may use a connector at all: decided before anything about their connection is disclosed.
 *
 * @throws {UseRefusal}
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the person may.
 */
function checkUser({ permissions }: Caller, connector: Connector): void {
  if (isUndecided(connector, permissions)) throw directoryAway();
  const missing = missingPermissions(connector, permissions);
  if (missing.length > 0) throw connectorRefusals.missingScope(connector, missing.join(" "));
  if (!connector.enabled) throw connectorRefusals.disabled(connector);
}

/** Whether a connector takes such a request, and where it goes. @throws {UseRefusal} */
function checkRequest(request: ForwardRequest, connector: Connector, allowInsecureLoopback: boolean): Target {
  checkMethod(request, connector, connector.methods);
  const { requestPrefixes } = connector;
  const target = orRefuseTarget(() =>
    checkTarget(request.target, { requestPrefixes, allowInsecureLoopback }),
  );
  checkLength(request, connector);
  return target;
}

/** The connection of a call that is noted, or of an address that is refused later. @throws {UseRefusal} */
async function requireUsable(
  { connector, connection }: BegunUse,
  { caller }: ForwardRequest,
  { store }: ForwardDependencies,
): Promise<Connection> {
  if (connection?.state === "connected") return connection;
  const own = { userId: caller.user.id, connectorId: connector.id };
  throw connectorRefusals.notUsable(connection ?? (await store.connections.findOwn(own)), connector);
}

/** A token that is younger is not marked as stale: some third parties answer 401 where a scope is missing. */
const youngSeconds = 60;

/** Marks a token that the third party refused as stale: it is refreshed before the next use, never in this one. */
async function noteStale(
  { status }: OutboundStreamAnswer,
  { connection, token }: { readonly connection: Connection; readonly token: LoadedAccessToken },
  { store, forwarder }: ForwardDependencies,
): Promise<undefined> {
  if (status !== 401) return;
  const { credentialVersion } = token;
  const { connectedAt, refreshedAt } = connection;
  const isNew = credentialVersion !== connection.credentialVersion;
  const cameAt = Math.max(connectedAt.getTime(), refreshedAt?.getTime() ?? 0);
  if (isNew || forwarder.clock() - cameAt < youngSeconds * 1000) return;
  try {
    await store.connections.markStale({ id: connection.id, credentialVersion });
  } catch (err) {
    forwarder.log.warn(
      { code: "CONNECTION_NOT_MARKED_STALE", connection: connection.id, err },
      "A token that was refused will be used once more.",
    );
  }
}
