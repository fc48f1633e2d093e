import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createPrivateCa } from "./certificates.js";

/** What arrived at the upstream. */
interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: readonly string[];
  readonly body: string;
  /** Numbered from 1 in the order they were opened. */
  readonly connection: number;
}

export type Respond = (response: ServerResponse, seen: SeenRequest) => void;

/** An authorization server's stand-in with a certificate of a private CA. */
export interface TestUpstream {
  readonly origin: string;
  readonly ca: string;
  readonly seen: readonly SeenRequest[];
  /** Changes what it answers from now on. */
  respond: Respond;
  /** Resolves as soon as that many requests have arrived. */
  untilSeen(count: number): Promise<void>;
  close(): Promise<void>;
}

export const metadataPath = "/.well-known/oauth-authorization-server";
export const keySetPath = "/api/oauth/jwks";

const authority = createPrivateCa();
const identity = authority.issue("127.0.0.1");

/** A key set as the server sends it; the odd spaces would change if the proxy serialized it again. */
export const keySet = '{ "keys" : [ { "kty":"EC",\t"kid":"\u00fc" } ] }\n';

export const keySetHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "public, max-age=300",
  ETag: '"one"',
};

export function respondKeySet(response: ServerResponse): void {
  response.writeHead(200, keySetHeaders).end(keySet);
}

export async function startUpstream(respond: Respond = respondKeySet): Promise<TestUpstream> {
  const seen: SeenRequest[] = [];
  const connections = new WeakMap<object, number>();
  const waiting = new Set<() => void>();
  let opened = 0;
  const server = createServer({ ...identity, keepAliveTimeout: 60_000 });
  server.on("secureConnection", (socket) => {
    opened += 1;
    connections.set(socket, opened);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void receive(request, response);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, rawHeaders: headers, socket } = request;
    const connection = connections.get(socket) ?? 0;
    const entry = { method, url, headers, body: await text(request), connection };
    seen.push(entry);
    upstream.respond(response, entry);
    for (const check of waiting) check();
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upstream: TestUpstream = {
    origin: `https://127.0.0.1:${port}`,
    ca: authority.certificate,
    seen,
    respond,
    untilSeen: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (seen.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return upstream;
}
