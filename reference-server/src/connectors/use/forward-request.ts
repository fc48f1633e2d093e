import type { Readable } from "node:stream";
import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { RefusalRecord } from "../../audit/refusals.js";
import type { OutboundStreamAnswer, OutboundStreamClient } from "../../platform/outbound/outbound-stream.js";
import { RateLimitedError, type RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { Credentials, LoadedAccessToken } from "../refresh/credentials.js";
import { mayGoTo } from "../refresh/stored-tokens.js";
import { type AdmittedRequest, admitRequest, type WantedRequest } from "./admit-request.js";
import type { BegunCall, CallEnd, CallRecord } from "./call-record.js";
import type { TakeDecoder } from "./decode-answer.js";
import { type HandedAnswer, handAnswer } from "./hand-answer.js";
import { pathTemplateOf } from "./path-template.js";
import { refusals, streamRefusal, tokenRefusal } from "./refusals.js";
import { onwardHeaders } from "./request-headers.js";
import type { TakeSlot } from "./slots.js";
import type { UploadOptions } from "./upload-body.js";
import { UseRefusal } from "./use-refusal.js";

export interface ForwardDependencies {
  readonly store: Pick<Store, "connectors" | "connections" | "connectionCalls" | "auditEvents">;
  readonly outbound: Pick<OutboundStreamClient, "send">;
  readonly limiter: Pick<RateLimiter, "takeOwn">;
  readonly takeSlot: TakeSlot;
  readonly takeDecoder: TakeDecoder;
  readonly calls: CallRecord;
  /** @throws {CredentialsError} | {@link ConnectorKeyError} */
  readonly credentials: Pick<Credentials, "loadAccessToken">;
  readonly allowInsecureLoopback: boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** A request that a caller wants to have sent through a connector. */
export interface ForwardRequest extends WantedRequest {
  readonly connectorKey: string;
  /** Opens the body; `undefined` when there is none. */
  readonly openBody: ((options: UploadOptions) => Readable) | undefined;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
  /** The caller went away. */
  readonly signal: AbortSignal;
}

/** After the longest time a call can take, its process is certainly not at it any more. */
const orphanMarginSeconds = 60;

/**
 * Sends a request through a connector, once, and hands back the beginning of the answer.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export async function forwardRequest(
  request: ForwardRequest,
  dependencies: ForwardDependencies,
): Promise<HandedAnswer> {
  const connector = await findConnector(request.connectorKey, dependencies);
  const progress = { counted: false };
  let prepared: Prepared;
  try {
    prepared = await prepare(request, connector, { dependencies, progress });
  } catch (error) {
    throw await deny(error, { request, connector, dependencies, counted: progress.counted });
  }
  return await exchange(request, prepared, dependencies);
}

async function findConnector(key: string, { store }: ForwardDependencies): Promise<Connector> {
  const connector = /^[a-z0-9][a-z0-9-]*$/.test(key) ? await store.connectors.findByKey(key) : undefined;
  if (connector !== undefined) return connector;
  throw refusals.unknownConnector();
}

/** Everything before the first byte leaves. */
interface Prepared extends AdmittedRequest {
  readonly connector: Connector;
  readonly token: LoadedAccessToken;
  readonly call: BegunCall;
  readonly giveSlotBack: () => void;
}

async function prepare(
  request: ForwardRequest,
  connector: Connector,
  { dependencies, progress }: { dependencies: ForwardDependencies; progress: { counted: boolean } },
): Promise<Prepared> {
  const { store, limiter, takeSlot, credentials, calls, clock } = dependencies;
  const { connection, target } = await admitRequest(request, connector, dependencies);
  progress.counted = true;
  await limiter.takeOwn(personLimit(request, connector));
  const giveSlotBack = takeSlot(connection.userId);
  try {
    const token = await credentials.loadAccessToken(connection, connector);
    if (!mayGoTo(token, target.url)) throw refusals.addressAdded(connector);
    const startedAt = new Date(clock());
    const seconds = connector.limits.timeoutSeconds + orphanMarginSeconds;
    request.signal.throwIfAborted();
    const call = await calls.begin({
      connectionId: connection.id,
      connector: connector.key,
      userId: connection.userId,
      clientId: request.caller.clientId,
      requestId: request.requestId,
      method: request.method,
      host: target.url.host,
      pathTemplate: pathTemplateOf(target, connector.pathTemplates),
      startedAt,
      endsBefore: new Date(startedAt.getTime() + seconds * 1000),
    });
    if (call === undefined) throw refusals.notUsable(await store.connections.find(connection.id), connector);
    return { connector, connection, target, token, call, giveSlotBack };
  } catch (error) {
    giveSlotBack();
    throw tokenRefusal(error, connector);
  }
}

function personLimit({ caller }: ForwardRequest, { id, limits }: Connector) {
  const key = `${caller.user.id} ${id}`;
  return { name: "connector.person", key, perMinute: limits.requestsPerMinute } as const;
}

/**
 * Records why nothing was sent, and returns the error to answer with. Refusals count against the limit as requests do, so
 * that nobody can fill the audit trail; beyond the limit they are only counted.
 */
async function deny(
  error: unknown,
  {
    request,
    connector,
    dependencies,
    counted,
  }: { request: ForwardRequest; connector: Connector; dependencies: ForwardDependencies; counted: boolean },
): Promise<unknown> {
  if (error instanceof RateLimitedError) return refusals.tooManyRequests(error, connector);
  if (!(error instanceof UseRefusal) || error.code === "rate_limited") return error;
  const { store, limiter, clock } = dependencies;
  try {
    if (!counted) await limiter.takeOwn(personLimit(request, connector));
  } catch (limited) {
    return limited instanceof RateLimitedError ? refusals.tooManyRequests(limited, connector) : limited;
  }
  const { user, clientId } = request.caller;
  await request.refusals.record(store, {
    type: "connection.denied",
    outcome: "denied",
    actor: { type: "user", id: user.id },
    at: new Date(clock()),
    subject: user.id,
    clientId,
    requestId: request.requestId,
    data: {
      connector: connector.key,
      reason: error.reason,
      method: request.method,
      ...(error.host !== undefined && { host: error.host }),
      ...(error.scope !== undefined && { scopes: error.scope.split(" ") }),
    },
  });
  return error;
}

/** From the first byte that leaves to the last one that comes back, which may be long after this returns. */
async function exchange(
  request: ForwardRequest,
  prepared: Prepared,
  dependencies: ForwardDependencies,
): Promise<HandedAnswer> {
  const { connector, connection, target, token, call, giveSlotBack } = prepared;
  const { limits } = connector;
  const sum: { -readonly [Name in keyof CallEnd]: CallEnd[Name] } = {
    status: null,
    requestBytes: 0,
    responseBytes: 0,
  };
  const finish = () => {
    giveSlotBack();
    call.end(sum);
  };
  const endsAt = performance.now() + limits.timeoutSeconds * 1000;
  try {
    const count = (bytes: number) => void (sum.requestBytes += bytes);
    const answer = await dependencies.outbound.send({
      method: request.method,
      url: target.url,
      headers: onwardHeaders(request.headers, {
        authorization: `${token.tokenType} ${token.accessToken}`,
        contentLength: request.openBody === undefined ? undefined : request.contentLength,
      }),
      body: request.openBody?.({ mostBytes: limits.requestBytes, count }) ?? null,
      timeoutSeconds: limits.timeoutSeconds,
      signal: request.signal,
      owner: connection.id,
    });
    sum.status = answer.status;
    await noteStale(answer, prepared, dependencies);
    const handed = handAnswer(answer, {
      connector,
      method: request.method,
      accessToken: token.accessToken,
      millisecondsLeft: Math.max(endsAt - performance.now(), 0),
      count: (bytes) => void (sum.responseBytes += bytes),
      takeDecoder: dependencies.takeDecoder,
    });
    void handed.ended.then(finish);
    return handed;
  } catch (error) {
    finish();
    throw streamRefusal(error, connector);
  }
}

/** A token that came a moment ago is not too old. Some third parties answer 401 where a scope is missing. */
const youngSeconds = 60;

/** A third party that does not accept the token any more: it is refreshed before the next use, never in this one. */
async function noteStale(
  { status }: OutboundStreamAnswer,
  { connection, token }: Prepared,
  { store, clock, log }: ForwardDependencies,
): Promise<void> {
  if (status !== 401) return;
  const { credentialVersion } = token;
  const isNew = credentialVersion !== connection.credentialVersion;
  if (isNew || clock() - cameAt(connection) < youngSeconds * 1000) return;
  try {
    await store.connections.markStale({ id: connection.id, credentialVersion });
  } catch (err) {
    log.warn(
      { code: "CONNECTION_NOT_MARKED_STALE", connection: connection.id, err },
      "A token that was refused will be used once more.",
    );
  }
}

/** When the tokens of a connection came. */
function cameAt({ connectedAt, refreshedAt }: Connection): number {
  return Math.max(connectedAt.getTime(), refreshedAt?.getTime() ?? 0);
}
