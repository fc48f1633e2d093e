import { randomUUID } from "node:crypto";
import type { RefusalRecord } from "../../audit/refusals.js";
import type { Config } from "../../config/config.js";
import { applyRules } from "../../forwarding/apply-rules.js";
import type { ForwardLimits } from "../../forwarding/destination.js";
import { checkLength, checkMethod } from "../../forwarding/exchange.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import type { HeaderLine } from "../../forwarding/header-lines.js";
import {
  type CallTarget,
  denialData,
  openCall,
  type OpeningCall,
  type PreparedCall,
} from "../../forwarding/open-call.js";
import { orRefuseTarget } from "../../forwarding/refusals.js";
import { parseTarget } from "../../forwarding/target.js";
import { isServiceScope, serviceAccess } from "../../oauth/grants/service-access.js";
import type { Keys } from "../../oauth/keys/keys.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { placesCovering } from "../../protocol/request-places.js";
import { connectorMethods } from "../../store/connectors.js";
import type { BegunServiceCall } from "../../store/forwarded-calls.js";
import type { Resource } from "../../store/resources.js";
import { serviceRefusals } from "./refusals.js";
import { createServiceCredentials, type ServiceCredentials } from "./service-credentials.js";

/** Limits of one call, the same for every service. */
export const serviceLimits: ForwardLimits = {
  requestBytes: 10 * 1024 * 1024,
  responseBytes: 10 * 1024 * 1024,
  timeoutSeconds: 60,
  requestsPerMinute: 600,
};

/** Methods with which services are called. */
const serviceMethods: readonly string[] = connectorMethods;

/** As many as a service may have: each is compared with every one of the service. */
const maximumScopes = 500;

/** After the longest time a call can take, its process has certainly ended it. */
const orphanSeconds = serviceLimits.timeoutSeconds + 60;

/** A request that an agent wants to have sent to a service. */
export interface ServiceRequest {
  readonly caller: Caller;
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
}

/**
 * Sends a request to the service whose request prefix covers its address, with a token for the person and their client that is bound
 * to this server's own key, and hands back the beginning of the answer. It is sent once, and again only when the service wants a nonce
 * in the proof.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export type CallService = (request: ServiceRequest) => Promise<HandedAnswer>;

interface CallDependencies {
  readonly forwarder: Forwarder;
  readonly credentials: ServiceCredentials;
  /** Of this server, which is no service of its own. */
  readonly issuerOrigin: string;
}

/** One for each process: it generates the key that the tokens are bound to. */
export async function createCallService(
  context: { readonly config: Pick<Config, "issuer">; readonly keys: Pick<Keys, "sign" | "keySet"> },
  forwarder: Forwarder,
): Promise<CallService> {
  const { issuer } = context.config;
  const credentials = await createServiceCredentials({ issuer, keys: context.keys, clock: forwarder.clock });
  const dependencies = { forwarder, credentials, issuerOrigin: new URL(issuer).origin };
  return async (request) => {
    const { caller, requestId, refusals } = request;
    return await openCall(
      {
        who: { userId: caller.user.id, clientId: caller.clientId, requestId },
        refusals,
        target: targetOf(request, undefined),
        prepare: async (opening) => await prepare(request, opening, dependencies),
      },
      forwarder,
    );
  };
}

/** Addresses that no service covers are counted together. */
function targetOf({ caller, method }: ServiceRequest, resource: Resource | undefined): CallTarget {
  const { name = "Services", requestPrefixes = [], requestHeaders = [] } = resource ?? {};
  const known = serviceMethods.includes(method) ? method : undefined;
  return {
    destination: { name, requestPrefixes, requestHeaders, limits: serviceLimits, limitsAreFixed: true },
    limit: { name: "service.person", id: resource?.id ?? "" },
    denied: (facts, refusal) => ({
      type: "service.call_denied",
      ...facts,
      data: {
        ...(resource !== undefined && { resource: resource.key }),
        grantId: caller.grant.id,
        ...denialData(refusal, known),
      },
    }),
  };
}

/** Everything before the first byte leaves. */
async function prepare(
  request: ServiceRequest,
  opening: OpeningCall,
  { forwarder, credentials, issuerOrigin }: CallDependencies,
): Promise<PreparedCall> {
  const { caller, method, body, headers, signal } = request;
  checkMethod(request, opening.target.destination, serviceMethods);
  const wanted = readScopes(request.scopes);
  const url = orRefuseTarget(() => parseTarget(request.url, forwarder.allowInsecureLoopback));
  if (url.origin === issuerOrigin) throw serviceRefusals.unknown(url.host);
  opening.takeSlot();
  const grantId = caller.grant.id;
  const startedAt = new Date(forwarder.clock());
  const call = { id: randomUUID(), method, host: url.host, startedAt };
  const begun = await forwarder.store.forwardedCalls.beginAtService({
    ...call,
    userId: caller.user.id,
    clientId: caller.clientId,
    requestId: request.requestId,
    grantId,
    origin: url.origin,
    places: placesCovering(url),
    endsBefore: new Date(startedAt.getTime() + orphanSeconds * 1000),
  });
  if (begun.begun) opening.noted = call.id;
  opening.target = targetOf(request, begun.resource);
  const { destination } = opening.target;
  const resource = requireService(begun, url.host);
  checkLength({ body }, destination);
  const scopes = decideScopes(wanted, caller, resource);
  await opening.count();
  const parts = { method, headers, body: body?.length === 0 ? undefined : body, signal };
  if (resource.rules.length > 0) {
    const { id, key, rules } = resource;
    const { user, clientId } = caller;
    const noted = { ...call, user, clientId, grantId, requestId: request.requestId, url, request: parts };
    await applyRules(
      { type: "resource", id, key, resource: resource.resource, rules, destination },
      noted,
      forwarder,
    );
  }
  return {
    request: parts,
    destination,
    url,
    ...credentials.for({ caller, resource, scopes }, { method, url }),
    owner: grantId,
    call: {
      ...call,
      connection: null,
      service: { resource: resource.key, grantId },
      pathTemplate: begun.pathTemplate,
    },
  };
}

/** The scopes that are asked for, each once; those about the person are no service's (OpenID Connect). @throws {UseRefusal} */
function readScopes(scopes: readonly string[] = []): readonly string[] {
  if (scopes.length > maximumScopes) throw serviceRefusals.tooManyScopes(maximumScopes);
  return [...new Set(scopes.filter(isServiceScope))];
}

/** The service of a call that is noted. @throws {UseRefusal} */
function requireService({ resource, isLive, isStopped, begun }: BegunServiceCall, host: string): Resource {
  if (resource === undefined) throw serviceRefusals.unknown(host);
  if (!isLive) throw serviceRefusals.accessEnded();
  if (isStopped) throw serviceRefusals.stopped(resource, host);
  if (!resource.enabled) throw serviceRefusals.disabled(resource, host);
  if (!resource.agentCalls || !begun) throw serviceRefusals.declines(resource, host);
  return resource;
}

/** @throws {UseRefusal} Not all that is asked for is held, or nothing is. */
function decideScopes(wanted: readonly string[], caller: Caller, resource: Resource): readonly string[] {
  const unknown = wanted.filter((scope) => !resource.supportedScopes.includes(scope));
  if (unknown.length > 0) throw serviceRefusals.unknownScopes(resource, unknown);
  const { permissions: person, client } = caller;
  // Rules are applied to the call itself.
  const withoutRules = { ...resource, rules: [] };
  const { scopes, left, undecided } = serviceAccess(wanted, { person, client, resource: withoutRules });
  if (left.length > 0) throw serviceRefusals.missingScopes(resource, left);
  if (undecided.length > 0 && (wanted.length > 0 || scopes.length === 0)) throw serviceRefusals.undecided();
  if (scopes.length === 0) throw serviceRefusals.nothingHeld(resource);
  return scopes;
}
