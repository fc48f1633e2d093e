import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import type { Agent, Dispatcher } from "undici";
import { createAddressFilter } from "./addresses.js";
import { checkUrl, createFilteredLookup, type Resolve } from "./guard.js";
import { type StreamFailure, streamFailureOf } from "./stream-failure.js";

/** A request whose body and answer are streamed. */
export interface OutboundStreamRequest {
  readonly method: string;
  readonly url: URL;
  /** Header lines as they are sent; framing and `Host` are added. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A stream that is destroyed with an error ends the request. */
  readonly body: Readable | Buffer | null;
  /** For everything together: connecting, sending, waiting, receiving. */
  readonly timeoutSeconds: number;
  /** Ends the request at any moment. */
  readonly signal: AbortSignal;
  /** Requests of different owners never share a connection, so no answer ever reaches another owner. */
  readonly owner: string;
}

/** The beginning of an answer. */
export interface OutboundStreamAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Ends with an `OutboundStreamError` when the rest does not come. Destroying it ends the request. */
  readonly body: Readable;
}

/** There is no answer, or not all of it. */
export class OutboundStreamError extends Error {
  override readonly name = "OutboundStreamError";
  readonly reason: StreamFailure;
  /** `false`: certainly nothing of the request has left this server. */
  readonly maybeSent: boolean;
  constructor(reason: StreamFailure, maybeSent: boolean, cause: unknown) {
    super(`The request failed: ${reason}.`, { cause });
    this.reason = reason;
    this.maybeSent = maybeSent;
  }
}

export interface OutboundStreamOptions {
  /** Plain HTTP to a loopback address is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** Networks that may be reached although they are not public, as CIDR. */
  readonly allowedNetworks?: readonly string[];
  /** Owners whose connections are kept at a time. */
  readonly maxOwners?: number;
  readonly resolve?: Resolve;
}

/** The guarded client for streams, and its connections. */
export interface OutboundStreamClient {
  /** @throws {OutboundStreamError} | {@link OutboundError} for an address that is not allowed */
  readonly send: (request: OutboundStreamRequest) => Promise<OutboundStreamAnswer>;
  close(): Promise<void>;
}

const connectSeconds = 10;

/**
 * Creates the client for forwarded requests.
 *
 * Nothing that was written is ever sent a second time. undici gives up a request whose connection breaks
 * (`onHttpSocketClose` in its client-h1.js fails the request at the head) for every method; it moves requests on to
 * another connection only while nothing of them is written. This depends on `pipelining: 1`. Redirects are answers.
 */
export function createOutboundStreamClient(options: OutboundStreamOptions): OutboundStreamClient {
  const { allowInsecureLoopback, allowedNetworks = [], maxOwners = 1_000, resolve } = options;
  const isAllowed = createAddressFilter({ allowLoopback: allowInsecureLoopback, allowedNetworks });
  const agents = new LRUCache<string, Agent>({
    max: maxOwners,
    // An evicted agent ends once its requests have; its errors concern no request.
    dispose: (agent) => void agent.close().catch(() => undefined),
  });
  // Loaded with the first request. TLS sessions are resumed across owners.
  let open: Promise<(owner: string) => Agent> | undefined;
  let closed = false;

  async function load(): Promise<(owner: string) => Agent> {
    const { Agent: UndiciAgent, buildConnector } = await import("undici");
    const lookup = createFilteredLookup(isAllowed, resolve);
    const connect = buildConnector({ lookup, timeout: connectSeconds * 1000 });
    const create = () =>
      new UndiciAgent({
        connect,
        pipelining: 1,
        // Shorter than servers' own: fewer stale connections, fewer broken requests.
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 10_000,
        // `exchange` has one timer for everything.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: 32 * 1024,
      });
    return (owner) => {
      const known = agents.get(owner);
      if (known !== undefined) return known;
      const agent = create();
      agents.set(owner, agent);
      return agent;
    };
  }

  return {
    async send(request) {
      const url = checkUrl(request.url, { allowInsecureLoopback, isAllowed });
      open ??= load();
      const agentOf = await open;
      if (closed) throw new OutboundStreamError("connection_terminated", false, undefined);
      return await exchange(agentOf(request.owner), { ...request, url });
    },
    async close() {
      closed = true;
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** Sends one request. Everything that can end it early goes through `stop`. */
function exchange(agent: Agent, request: OutboundStreamRequest): Promise<OutboundStreamAnswer> {
  return new Promise((resolve, reject) => {
    const { body } = request;
    const upload = body instanceof Readable ? body : undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Readable | undefined;
    let over = false;

    const finish = () => {
      over = true;
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown) => {
      if (over) return;
      finish();
      const failure = new OutboundStreamError(streamFailureOf(error), controller !== undefined, error);
      upload?.destroy();
      if (answer === undefined) reject(failure);
      else answer.destroy(failure);
    };
    const stop = (error: Error | undefined) => {
      if (over) return;
      // Without a controller nothing is written, and `onRequestStart` aborts the request.
      const reason = error ?? new Error("The rest of the answer is not wanted.");
      fail(reason);
      controller?.abort(reason);
    };
    const onAbort = () => stop(asError(request.signal.reason));
    const timer = setTimeout(() => stop(new DeadlineError()), request.timeoutSeconds * 1000);
    request.signal.addEventListener("abort", onAbort, { once: true });
    // Before undici listens to it: a body may break while there is no connection yet.
    upload?.on("error", stop);
    if (request.signal.aborted) return onAbort();

    agent.dispatch(
      {
        origin: request.url.origin,
        path: `${request.url.pathname}${request.url.search}`,
        method: request.method,
        headers: request.headers.flat(),
        body,
        idempotent: false,
        // Servers that expect no body there would parse it as the next request.
        reset: body !== null && ["GET", "HEAD", "DELETE"].includes(request.method),
      },
      {
        onRequestStart(started) {
          if (over) started.abort(new Error("The request is over."));
          else controller = started;
        },
        onResponseStart(started, status) {
          if (status < 200 || over) return;
          answer = createBody(started, stop);
          resolve({ status, headers: readHeaders(started.rawHeaders), body: answer });
        },
        onResponseData(started, chunk) {
          if (answer?.push(chunk) === false) started.pause();
        },
        onResponseEnd() {
          if (over) return;
          finish();
          answer?.push(null);
        },
        onResponseError: (_started, error) => fail(error),
      },
    );
  });
}

function createBody(
  controller: Dispatcher.DispatchController,
  stop: (error: Error | undefined) => void,
): Readable {
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read: () => controller.resume(),
    destroy(error, done) {
      stop(error ?? undefined);
      done(error);
    },
  });
  // It may break before it is read; reading it then fails.
  return body.on("error", () => undefined);
}

/** Everything together took longer than it may. */
class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The request was ended.");
}

/** undici hands out names and values in turns. */
function readHeaders(raw: Dispatcher.DispatchController["rawHeaders"]): (readonly [string, string])[] {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((item: Buffer | string) =>
    typeof item === "string" ? item : item.toString("latin1"),
  );
  return Array.from({ length: texts.length / 2 }, (_, index) => [
    texts[index * 2] ?? "",
    texts[index * 2 + 1] ?? "",
  ]);
}
