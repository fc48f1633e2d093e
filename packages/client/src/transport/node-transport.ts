import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  DEFAULT_TIMEOUT_SECONDS,
  openStream,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.js";

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
    const http = url.protocol === "https:" ? await import("node:https") : await import("node:http");
    const connection = await connectionFor(url);
    return await new Promise((resolve, reject) => {
      const outgoing = http.request(url, {
        ...connection,
        method: request.method,
        headers: { ...request.headers },
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
      const timer = limitWait(outgoing, request);
      outgoing.once("response", (incoming: IncomingMessage) => {
        clearTimeout(timer);
        resolve(toAnswer(incoming));
      });
      // A late error (the peer closed while we were still sending) belongs to the body that is being read.
      outgoing.on("error", (error) => {
        clearTimeout(timer);
        reject(error);
      });
      sendBody(outgoing, request);
    });
  };
}

function limitWait(outgoing: ClientRequest, request: TransportRequest): NodeJS.Timeout {
  const seconds = request.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  return setTimeout(
    () => outgoing.destroy(new Error(`No answer within ${String(seconds)} seconds.`)),
    seconds * 1000,
  );
}

function sendBody(outgoing: ClientRequest, { body, bodyLength }: TransportRequest): void {
  if (body === undefined) {
    outgoing.end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
  } else {
    if (bodyLength !== undefined) outgoing.setHeader("content-length", bodyLength);
    pipeline(Readable.from(openStream(body)), outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  }
}

function toAnswer(incoming: IncomingMessage): TransportAnswer {
  return {
    status: incoming.statusCode ?? 0,
    headers: joinHeaders(incoming.headers),
    body: incoming,
    discard: () => incoming.resume(),
  };
}

function joinHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
