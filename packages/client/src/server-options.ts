import { type ClientCache, memoryCache } from "./stores/client-cache.js";
import type { AuthzClientEventListener, ServerContext } from "./tokens/server-context.js";
import { ServerHints } from "./tokens/server-hints.js";
import { parseIssuer } from "./tokens/server-metadata.js";
import { fetchTransport } from "./transport/fetch-transport.js";
import { nodeTransport } from "./transport/node-transport.js";
import type { Clock } from "./transport/time.js";
import type { Transport } from "./transport/transport.js";

/** How an authorization server is reached: options that people's clients and machines' clients share. */
export interface ServerOptions {
  /** Address of the authorization server: https, or http on this computer. */
  issuer: string;
  /** Where metadata and the list of services are kept while they are fresh; in memory unless given. */
  cache?: ClientCache;
  /** Sends the requests; `node:http` and `node:https` unless given. */
  transport?: Transport;
  /** Sends the requests through a `fetch` function instead. */
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
  /** Called with what happens behind a call. */
  onEvent?: AuthzClientEventListener;
}

/** @throws {AuthzClientError} `invalid_request` when the issuer is not an https address (or http on this computer). */
export function createServerContext(options: ServerOptions & { clientId: string }): ServerContext {
  const { issuer, clientId, fetch, clock = Date.now, onEvent = () => undefined } = options;
  const { cache = memoryCache(clock) } = options;
  const { transport = fetch === undefined ? nodeTransport() : fetchTransport(fetch) } = options;
  return {
    issuer: parseIssuer(issuer),
    clientId,
    cache,
    transport,
    hints: new ServerHints(clock),
    clock,
    onEvent,
  };
}
