import { randomUUID } from "node:crypto";
import type { RefusalRecord } from "../audit/refusals.js";
import { type CallAhead, createCallAhead } from "../forwarding/call-ahead.js";
import type { Destination } from "../forwarding/destination.js";
import { type AllowedCall, checkLength, checkMethod } from "../forwarding/exchange.js";
import type { Forwarder } from "../forwarding/forwarder.js";
import type { HandedAnswer } from "../forwarding/hand-answer.js";
import type { HeaderLine } from "../forwarding/header-lines.js";
import {
  type CallProgress,
  denialData,
  noteCall,
  openCall,
  type PersonLimit,
} from "../forwarding/open-call.js";
import { orRefuseTarget } from "../forwarding/refusals.js";
import { ifTarget, parseTarget } from "../forwarding/target.js";
import { isServiceScope, serviceAccess } from "../oauth/grants/service-access.js";
import { placesCovering } from "../protocol/request-places.js";
import type { BegunServiceCall, NewServiceCall } from "../store/forwarded-calls.js";
import type { Resource } from "../store/resources.js";
import type { AgentCaller } from "./agent-caller.js";
import { serviceRefusals } from "./refusals.js";
import { orphanSeconds, serviceLimits, serviceMethods } from "./service-limits.js";
import type { ServiceCredentials } from "./service-credentials.js";

/** A request that an agent wants to have sent to a service. */
export interface ServiceRequest {
  readonly caller: AgentCaller;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | undefined;
  /** What the request needs: all of it must be held. `undefined` or none: everything that is held. */
  readonly scopes: readonly string[] | undefined;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
  /** The caller went away. */
  readonly signal: AbortSignal;
  /** The call, if it was noted when the caller was identified. */
  readonly ahead?: CallAhead<BegunServiceCall> | undefined;
}

/** What is known of a request before its caller is identified: what their token says. */
export interface ServiceRequestAhead extends Pick<ServiceRequest, "method" | "url" | "requestId"> {
  readonly claims: { readonly userId: string; readonly clientId: string; readonly grantId: string };
}

export interface CallServiceDependencies {
  readonly forwarder: Forwarder;
  readonly credentials: ServiceCredentials;
  /** Of this server, which is no service of its own. */
  readonly issuerOrigin: string;
}

/**
 * Sends a request to the service whose request prefix covers its address, with a token for the person and their client that is bound
 * to this server's own key, and hands back the beginning of the answer. Once, and once more only when the service wants a
 * nonce in the proof.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export async function callService(
  request: ServiceRequest,
  dependencies: CallServiceDependencies,
): Promise<HandedAnswer> {
  const { caller, method, requestId } = request;
  let resource: Resource | undefined;
  return await openCall(
    {
      who: { userId: caller.user.id, clientId: caller.clientId, requestId },
      prepare: async (progress) =>
        await prepare(request, { progress, found: (service) => void (resource = service) }, dependencies),
      denial: () => ({
        destination: resource === undefined ? anyService : destinationOf(resource),
        limit: personLimit(request, resource),
        refusals: request.refusals,
        event: (refusal, common) => ({
          type: "service.call_denied",
          ...common,
          data: {
            ...(resource !== undefined && { resource: resource.key }),
            grantId: caller.grant.id,
            ...denialData(refusal, serviceMethods.includes(method) ? method : undefined),
          },
        }),
      }),
    },
    dependencies.forwarder,
  );
}

/** Prepares to note a call while its caller is identified. `undefined`: nobody may make such a call anyway. */
export function callServiceAhead(
  { method, url: text, requestId, claims }: ServiceRequestAhead,
  { forwarder, issuerOrigin }: Pick<CallServiceDependencies, "forwarder" | "issuerOrigin">,
): CallAhead<BegunServiceCall> | undefined {
  const url = serviceMethods.includes(method)
    ? ifTarget(() => parseTarget(text, forwarder.allowInsecureLoopback))
    : undefined;
  if (url === undefined || url.origin === issuerOrigin) return undefined;
  const call = newCall({ ...claims, requestId, method, url }, forwarder);
  return createCallAhead({
    id: call.id,
    startedAt: call.startedAt,
    name: nameOf(method, url),
    begin: (shown) => forwarder.store.forwardedCalls.actAtService({ shown, call }),
    isNoted: ({ begun }) => begun,
    calls: forwarder.calls,
  });
}

function nameOf(method: string, url: URL): string {
  return `${method} ${url.href}`;
}

interface CallDescription
  extends Pick<NewServiceCall, "userId" | "clientId" | "grantId" | "requestId" | "method"> {
  readonly url: URL;
}

function newCall(
  { url, ...described }: CallDescription,
  { clock }: Pick<Forwarder, "clock">,
): NewServiceCall {
  const startedAt = new Date(clock());
  return {
    userId: described.userId,
    clientId: described.clientId,
    grantId: described.grantId,
    requestId: described.requestId,
    method: described.method,
    id: randomUUID(),
    host: url.host,
    startedAt,
    origin: url.origin,
    places: placesCovering(url),
    endsBefore: new Date(startedAt.getTime() + orphanSeconds * 1000),
  };
}

/** What preparing a call reports. */
interface Preparation {
  readonly progress: CallProgress;
  /** Called with the service of the address, also when it is refused. */
  readonly found: (resource: Resource | undefined) => void;
}

/** Everything before the first byte leaves. */
async function prepare(
  request: ServiceRequest,
  { progress, found }: Preparation,
  { forwarder, credentials, issuerOrigin }: CallServiceDependencies,
): Promise<AllowedCall> {
  const { caller, method, body, headers, signal } = request;
  checkMethod(request, anyService, serviceMethods);
  const wish = readWish(request.scopes);
  const url = orRefuseTarget(() => parseTarget(request.url, forwarder.allowInsecureLoopback));
  if (url.origin === issuerOrigin) throw serviceRefusals.unknown(url.host);
  const giveSlotBack = forwarder.takeSlot(caller.user.id);
  progress.giveSlotBack = giveSlotBack;
  const who = { userId: caller.user.id, clientId: caller.clientId, requestId: request.requestId, method };
  const { id, startedAt, begun } = await noteCall({
    ahead: request.ahead,
    name: nameOf(method, url),
    create: () => newCall({ ...who, grantId: caller.grant.id, url }, forwarder),
    begin: (call) => forwarder.store.forwardedCalls.beginAtService(call),
  });
  if (begun.begun) progress.noted = id;
  found(begun.resource);
  const resource = requireService(begun, url.host);
  const destination = destinationOf(resource);
  checkLength({ body }, destination);
  const scopes = decideScopes(wish, caller, resource);
  progress.counted = true;
  await forwarder.limiter.takeOwn(personLimit(request, resource));
  signal.throwIfAborted();
  return {
    request: { method, headers, body: body?.length === 0 ? undefined : body, signal },
    destination,
    url,
    ...credentials.for({ caller, resource, scopes }, { method, url }),
    owner: caller.grant.id,
    call: forwarder.calls.follow({
      ...who,
      id,
      host: url.host,
      startedAt,
      connection: null,
      service: { resource: resource.key, grantId: caller.grant.id },
      pathTemplate: begun.pathTemplate,
    }),
    giveSlotBack,
  };
}

/** The scopes that are asked for, each once; those about the person are no service's (OpenID Connect). @throws {UseRefusal} */
function readWish(scopes: readonly string[] = []): readonly string[] {
  // Each is compared with every one of the service.
  if (scopes.length > mostScopes) throw serviceRefusals.tooManyScopes(mostScopes);
  return [...new Set(scopes.filter(isServiceScope))];
}

/** The service of a call that is noted. @throws {UseRefusal} */
function requireService({ resource, isLive, begun }: BegunServiceCall, host: string): Resource {
  if (resource === undefined) throw serviceRefusals.unknown(host);
  if (!isLive) throw serviceRefusals.accessEnded();
  if (!resource.enabled) throw serviceRefusals.disabled(resource, host);
  if (!resource.agentCalls || !begun) throw serviceRefusals.declines(resource, host);
  return resource;
}

/** @throws {UseRefusal} Not all that is asked for is held, or nothing is. */
function decideScopes(wish: readonly string[], caller: AgentCaller, resource: Resource): readonly string[] {
  const unknown = wish.filter((scope) => !resource.supportedScopes.includes(scope));
  if (unknown.length > 0) throw serviceRefusals.unknownScopes(resource, unknown);
  const { permissions: person, client } = caller;
  const { scopes, left, undecided } = serviceAccess(wish, { person, client, resource });
  if (left.length > 0) throw serviceRefusals.missingScopes(resource, left);
  if (undecided.length > 0 && (wish.length > 0 || scopes.length === 0)) throw serviceRefusals.undecided();
  if (scopes.length === 0) throw serviceRefusals.nothingHeld(resource);
  return scopes;
}

function destinationOf({ name, requestPrefixes, requestHeaders }: Resource): Destination {
  return { name, requestPrefixes, requestHeaders, limits: serviceLimits, limitsAreFixed: true };
}

/** Addresses that no service has count together. */
function personLimit({ caller }: ServiceRequest, resource: Resource | undefined): PersonLimit {
  const key = `${caller.user.id} ${resource?.id ?? ""}`;
  return { name: "service.person", key, perMinute: serviceLimits.requestsPerMinute };
}

/** As many as a service may have. */
const mostScopes = 500;

const anyService: Destination = {
  name: "Services",
  requestPrefixes: [],
  requestHeaders: [],
  limits: serviceLimits,
  limitsAreFixed: true,
};
