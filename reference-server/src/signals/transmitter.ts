import { isJsonObject, type JsonObject, JwsError, parseStrictJsonObject } from "@authz/dpop/jws";
import { OutboundError } from "../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { isSecureUrl } from "../registry/probes/fetch-document.js";
import type { TransmitterStatus } from "../store/signal-streams.js";
import { readStatus } from "./events.js";
import { SignalError } from "./signal-error.js";

/** Why a transmitter does not do what is asked of it. */
export type TransmitterProblem =
  | "unreachable"
  | "metadata"
  | "issuer"
  | "unsupported"
  | "unauthorized"
  | "conflict"
  | "status"
  | "malformed";

/** A transmitter does not answer, or not as its standard says. Nothing in it is the transmitter's own text. */
export class TransmitterError extends Error {
  override readonly name = "TransmitterError";
  readonly problem: TransmitterProblem;
  /** What the sentence about it names. */
  readonly values: Readonly<Record<string, string | number>>;
  constructor(
    problem: TransmitterProblem,
    values: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(`The transmitter failed: ${problem} ${JSON.stringify(values)}.`, options);
    this.problem = problem;
    this.values = values;
  }
}

/** Where a transmitter manages its streams (SSF 1.0 §7.1). */
export interface TransmitterMetadata {
  readonly issuer: string;
  /** Where it was found. */
  readonly configurationUrl: string;
  readonly configurationEndpoint: string | undefined;
  readonly statusEndpoint: string | undefined;
  readonly verificationEndpoint: string | undefined;
}

/** A stream as its transmitter describes it (SSF 1.0 §8.1.1). */
export interface StreamConfiguration {
  readonly streamId: string;
  readonly audience: string;
  /** Of a stream that is polled. */
  readonly pollUrl: string | undefined;
}

/** What asking transmitters takes. */
export interface TransmitterClient {
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
}

const deliveryMethods = { push: "urn:ietf:rfc:8935", poll: "urn:ietf:rfc:8936" } as const;

const maxAnswerBytes = 256 * 1024;
const wellKnown = "/.well-known/ssf-configuration";

/** The addresses of a transmitter's metadata: as SSF 1.0 §7.2.1 says, and behind the path, as some have it. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [...new Set([`${origin}${wellKnown}${path}`, `${origin}${path}${wellKnown}`])];
}

/**
 * Reads the metadata of a transmitter.
 *
 * @throws {TransmitterError}
 */
export async function discoverTransmitter(
  issuer: string,
  client: TransmitterClient,
): Promise<TransmitterMetadata> {
  let problem = new TransmitterError("metadata", { url: metadataUrls(issuer)[0] ?? issuer });
  for (const url of metadataUrls(issuer)) {
    try {
      return await readMetadata(url, issuer, client);
    } catch (error) {
      if (!(error instanceof TransmitterError) || error.problem !== "metadata") throw error;
      problem = error;
    }
  }
  throw problem;
}

/** @throws {TransmitterError} */
export async function readMetadata(
  url: string,
  issuer: string,
  client: TransmitterClient,
): Promise<TransmitterMetadata> {
  const { status, body } = await ask(url, { method: "GET" }, client);
  if (status !== 200 || body === undefined) throw new TransmitterError("metadata", { url });
  if (body["issuer"] !== issuer) throw new TransmitterError("issuer", { issuer });
  requireUrl(body["jwks_uri"], client);
  const endpoint = (name: string) => (body[name] === undefined ? undefined : requireUrl(body[name], client));
  return {
    issuer,
    configurationUrl: url,
    configurationEndpoint: endpoint("configuration_endpoint"),
    statusEndpoint: endpoint("status_endpoint"),
    verificationEndpoint: endpoint("verification_endpoint"),
  };
}

/** Where a transmitter pushes events, and what it presents there. */
export interface PushTarget {
  readonly url: string;
  readonly credential: string;
}

/** A stream to be created at a transmitter. */
export interface NewStream {
  readonly delivery: keyof typeof deliveryMethods;
  readonly push: PushTarget | undefined;
  readonly events: readonly string[];
  readonly description: string;
}

/** Creates a stream. @throws {TransmitterError} */
export async function createStream(
  { delivery, push, events, description }: NewStream,
  token: string,
  { metadata, client }: Managing,
): Promise<StreamConfiguration> {
  const wanted = push === undefined ? { method: deliveryMethods[delivery] } : pushDelivery(push);
  const body = { delivery: wanted, events_requested: events, description };
  const answer = await manage(
    requireEndpoint(metadata, "configurationEndpoint"),
    { method: "POST", token, body },
    client,
  );
  return readConfiguration(answer, { metadata, client });
}

/** Reads a stream that exists. @throws {TransmitterError} */
export async function readStream(
  streamId: string,
  token: string,
  { metadata, client }: Managing,
): Promise<StreamConfiguration> {
  const endpoint = ofStream(requireEndpoint(metadata, "configurationEndpoint"), streamId);
  const answer = await manage(endpoint, { method: "GET", token }, client);
  const found = readConfiguration(answer, { metadata, client });
  if (found.streamId !== streamId) throw new TransmitterError("malformed");
  return found;
}

/** Has the events of a stream pushed to another target. @throws {TransmitterError} */
export async function updateStream(
  { streamId, push }: { readonly streamId: string; readonly push: PushTarget },
  token: string,
  { metadata, client }: Managing,
): Promise<void> {
  const body = { stream_id: streamId, delivery: pushDelivery(push) };
  await manage(requireEndpoint(metadata, "configurationEndpoint"), { method: "PATCH", token, body }, client);
}

function pushDelivery({ url, credential }: PushTarget) {
  const { push: method } = deliveryMethods;
  return { method, endpoint_url: url, authorization_header: `Bearer ${credential}` };
}

/** @throws {TransmitterError} */
export async function removeStream(
  streamId: string,
  token: string,
  { metadata, client }: Managing,
): Promise<void> {
  const endpoint = ofStream(requireEndpoint(metadata, "configurationEndpoint"), streamId);
  await manage(endpoint, { method: "DELETE", token }, client);
}

/** Makes the transmitter send a verification event with this state. @throws {TransmitterError} */
export async function requestVerification(
  { streamId, state }: { readonly streamId: string; readonly state: string },
  token: string,
  { metadata, client }: Managing,
): Promise<void> {
  const body = { stream_id: streamId, state };
  await manage(requireEndpoint(metadata, "verificationEndpoint"), { method: "POST", token, body }, client);
}

/** @throws {TransmitterError} */
export async function setStreamStatus(
  { streamId, status }: { readonly streamId: string; readonly status: "enabled" | "paused" },
  token: string,
  { metadata, client }: Managing,
): Promise<TransmitterStatus> {
  const body = { stream_id: streamId, status };
  const endpoint = requireEndpoint(metadata, "statusEndpoint");
  return statusOf(await manage(endpoint, { method: "POST", token, body }, client));
}

/** What a poll acknowledges and asks for (RFC 8936 §2.2). */
export interface PollRequest {
  readonly ack: readonly string[];
  readonly setErrs: Readonly<Record<string, { readonly err: string; readonly description: string }>>;
  readonly maxEvents: number;
}

/** The tokens of one answer, by their `jti`. */
export interface PollAnswer {
  readonly sets: readonly (readonly [tokenId: string, token: string])[];
  readonly moreAvailable: boolean;
}

const maxPollBytes = 4 * 1024 * 1024;

/** Polls once, without waiting for events. @throws {TransmitterError} */
export async function pollTransmitter(
  url: string,
  { ack, setErrs, maxEvents }: PollRequest,
  { token, client }: { readonly token: string; readonly client: TransmitterClient },
): Promise<PollAnswer> {
  const body = {
    maxEvents,
    returnImmediately: true,
    ...(ack.length > 0 && { ack }),
    ...(Object.keys(setErrs).length > 0 && { setErrs }),
  };
  const answer = await manage(url, { method: "POST", token, body, maxBytes: maxPollBytes }, client);
  const { sets = {}, moreAvailable = false } = answer;
  if (!isJsonObject(sets) || typeof moreAvailable !== "boolean") throw new TransmitterError("malformed");
  // The rest stays unacknowledged, and comes again.
  const entries = Object.entries(sets).slice(0, maxEvents);
  return {
    sets: entries.map(([tokenId, set]) => [tokenId, typeof set === "string" ? set : ""]),
    moreAvailable,
  };
}

/** A transmitter and the way to ask it. */
export interface Managing {
  readonly metadata: TransmitterMetadata;
  readonly client: TransmitterClient;
}

function readConfiguration(answer: JsonObject, { metadata, client }: Managing): StreamConfiguration {
  const { stream_id: streamId, iss, aud, delivery } = answer;
  if (typeof streamId !== "string" || streamId === "" || streamId.length > 200)
    throw new TransmitterError("malformed");
  if (iss !== undefined && iss !== metadata.issuer)
    throw new TransmitterError("issuer", { issuer: metadata.issuer });
  const [audience] = Array.isArray(aud) ? (aud as readonly unknown[]) : [aud];
  if (typeof audience !== "string" || audience === "" || audience.length > 2000)
    throw new TransmitterError("malformed");
  const polled = isJsonObject(delivery) && delivery["method"] === deliveryMethods.poll;
  const pollUrl = polled ? requireUrl(delivery["endpoint_url"], client) : undefined;
  return { streamId, audience, pollUrl };
}

function statusOf({ status }: JsonObject): TransmitterStatus {
  try {
    return readStatus(status);
  } catch (cause) {
    if (cause instanceof SignalError) throw new TransmitterError("malformed", {}, { cause });
    throw cause;
  }
}

function requireEndpoint(
  metadata: TransmitterMetadata,
  name: "configurationEndpoint" | "statusEndpoint" | "verificationEndpoint",
): string {
  const endpoint = metadata[name];
  if (endpoint === undefined) throw new TransmitterError("unsupported", { endpoint: wireNames[name] });
  return endpoint;
}

const wireNames = {
  configurationEndpoint: "configuration_endpoint",
  statusEndpoint: "status_endpoint",
  verificationEndpoint: "verification_endpoint",
} as const;

function ofStream(endpoint: string, streamId: string): string {
  const url = new URL(endpoint);
  url.searchParams.set("stream_id", streamId);
  return url.href;
}

function requireUrl(value: unknown, { allowInsecureLoopback }: TransmitterClient): string {
  if (typeof value === "string" && value.length <= 2000 && isSecureUrl(value, allowInsecureLoopback))
    return value;
  throw new TransmitterError("malformed");
}

interface ManagementRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly token?: string;
  readonly body?: object;
  readonly maxBytes?: number;
}

/** Asks with the token, and refuses every answer but a success. */
async function manage(
  url: string,
  request: ManagementRequest,
  client: TransmitterClient,
): Promise<JsonObject> {
  const { status, body } = await ask(url, request, client);
  if (status === 401 || status === 403) throw new TransmitterError("unauthorized", { status });
  if (status === 409) throw new TransmitterError("conflict");
  if (status < 200 || status > 299) throw new TransmitterError("status", { status });
  return body ?? {};
}

async function ask(
  url: string,
  { method, token, body, maxBytes = maxAnswerBytes }: ManagementRequest,
  { outboundFetch }: TransmitterClient,
): Promise<{ readonly status: number; readonly body: JsonObject | undefined }> {
  try {
    const response = await outboundFetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      maxBytes,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isRead = response.status >= 200 && response.status < 300 && bytes.length > 0;
    return { status: response.status, body: isRead ? parseStrictJsonObject(bytes) : undefined };
  } catch (cause) {
    if (cause instanceof OutboundError) throw new TransmitterError("unreachable", {}, { cause });
    if (cause instanceof JwsError) throw new TransmitterError("malformed", {}, { cause });
    throw cause;
  }
}
