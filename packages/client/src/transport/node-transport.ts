import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createIdleTimeout, type IdleTimeout } from "./idle-timeout.js";
import {
  defaultTimeoutSeconds,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.js";

const worthReadingBytes = 64 * 1024;
const worthWaitingMs = 2000;

/** Gives the connection options for one address, for example to go through a proxy. */
export type ConnectionFor = (url: URL) => Promise<RequestOptions> | RequestOptions;

/**
 * A transport on `node:http` and `node:https`.
 *
 * It costs a third of the first `fetch` of a process, which is what a short-lived command feels, and it has no
 * redirect handling that could be switched on by mistake.
 */
export function nodeTransport(connectionFor: ConnectionFor = () => ({})): Transport {
  return async (request) => {
    const url = new URL(request.url);
    const http = httpFor(url);
    const connection = await connectionFor(url);
    return await new Promise((resolve, reject) => {
      const outgoing = http.request(url, {
        ...connection,
        method: request.method,
        headers: { ...request.headers },
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
      let incoming: IncomingMessage | undefined;
      const idle = createIdleTimeout(request.timeoutSeconds ?? defaultTimeoutSeconds, (reason) =>
        (incoming ?? outgoing).destroy(reason),
      );
      outgoing.once("response", (answer: IncomingMessage) => {
        idle.headArrived();
        incoming = answer;
        resolve(toAnswer(answer, idle));
      });
      // A late error (the peer closed while we were still sending) belongs to the body that is being read.
      outgoing.on("error", (error) => {
        idle.headArrived();
        reject(error);
      });
      sendBody(outgoing, request, idle);
    });
  };
}

/**
 * The module that speaks the protocol of an address. Not imported: that reads every export of the module, and from Node 22 some of them
 * load all of `fetch` when they are read.
 */
export function httpFor({ protocol }: URL): Pick<typeof import("node:http"), "request"> {
  return protocol === "https:"
    ? process.getBuiltinModule("node:https")
    : process.getBuiltinModule("node:http");
}

function sendBody(outgoing: ClientRequest, { body, bodyLength }: TransportRequest, idle: IdleTimeout): void {
  if (body === undefined) {
    outgoing.end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
  } else {
    if (bodyLength !== undefined) outgoing.setHeader("content-length", bodyLength);
    pipeline(Readable.from(idle.whileSending(body)), outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  }
}

function toAnswer(incoming: IncomingMessage, idle: IdleTimeout): TransportAnswer {
  return {
    status: incoming.statusCode ?? 0,
    headers: joinHeaders(incoming.headers),
    body: idle.whileReceiving(incoming),
    discard: () => discard(incoming),
  };
}

/** A short rest is read, so that the connection can be used again; a long or slow one is not worth it. */
function discard(incoming: IncomingMessage): void {
  if (incoming.complete) {
    // All of it is here, and the connection belongs to it no more.
    incoming.resume();
    return;
  }
  if (!(Number(incoming.headers["content-length"]) <= worthReadingBytes)) {
    incoming.destroy();
    return;
  }
  incoming.setTimeout(worthWaitingMs, () => incoming.destroy());
  incoming.resume();
}

function joinHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
