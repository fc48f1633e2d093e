import type { Agent, Dispatcher } from "undici";
import { createAddressFilter } from "./addresses.js";
import { checkUrl, createFilteredLookup } from "./guard.js";
import { OutboundError } from "./outbound-error.js";

/** The part of a Fetch request that the server's own requests need. */
export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | Uint8Array | null;
  readonly signal?: AbortSignal | null;
  /** Instead of the client's usual time-out. */
  readonly timeoutSeconds?: number;
  /** Instead of the client's usual limit on the answer's size. */
  readonly maxBytes?: number;
}

/**
 * Fetches an address that comes from a user; a drop-in for `fetch` where a library accepts one.
 *
 * @throws {OutboundError} The address is forbidden, away, slow, redirects, or answers too much.
 */
export type OutboundFetch = (url: string | URL, request?: OutboundRequest) => Promise<Response>;

export interface OutboundFetchOptions {
  /** Plain HTTP to a loopback address is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** Networks that may be reached although they are not public, as CIDR. */
  readonly allowedNetworks?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly maxBytes?: number;
  /** Multiplies every time-out, for tests: no result depends on how fast the machine is. */
  readonly timeoutFactor?: number;
}

/** The guarded client, and its connections. */
export interface OutboundClient {
  readonly fetch: OutboundFetch;
  close(): Promise<void>;
}

/**
 * Creates the one client for addresses that come from users.
 *
 * The name is resolved once, its addresses are filtered, and the connection goes to an address that passed,
 * so an answer that changes between check and use gains nothing. Redirects are never followed.
 */
export function createOutboundClient(options: OutboundFetchOptions): OutboundClient {
  const { allowInsecureLoopback, allowedNetworks = [], maxBytes: usualBytes = 1024 * 1024 } = options;
  const { timeoutSeconds: usualSeconds = 5, timeoutFactor = 1 } = options;
  const isAllowed = createAddressFilter({ allowLoopback: allowInsecureLoopback, allowedNetworks });
  const connect = { lookup: createFilteredLookup(isAllowed), timeout: usualSeconds * timeoutFactor * 1000 };
  let agent: Agent | undefined;

  const outboundFetch: OutboundFetch = async (input, init = {}) => {
    const url = checkUrl(input, { allowInsecureLoopback, isAllowed });
    const { maxBytes = usualBytes } = init;
    const timeoutSeconds = (init.timeoutSeconds ?? usualSeconds) * timeoutFactor;
    const deadline = new AbortController();
    // AbortSignal.timeout stops working on Node 20 once the request object is collected.
    const timer = setTimeout(() => deadline.abort(new Error("deadline")), timeoutSeconds * 1000);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline.signal]) : deadline.signal;
    try {
      // Loaded with the first request: many servers never make one.
      const undici = await import("undici");
      agent ??= new undici.Agent({
        connect,
        connections: 8,
        keepAliveTimeout: 10_000,
        maxHeaderSize: 16 * 1024,
      });
      const response = await undici.request(url, { dispatcher: agent, signal, ...requestOptions(init) });
      if (response.statusCode >= 300 && response.statusCode < 400 && response.statusCode !== 304) {
        await response.body.dump();
        const message = `${url.origin} answered with a redirect, which is not followed.`;
        throw new OutboundError("redirect", message, { values: { origin: url.origin } });
      }
      return toResponse(response, await readCapped(response.body, maxBytes, url.origin));
    } catch (error) {
      throw toOutboundError(error, url.origin, deadline.signal.aborted ? timeoutSeconds : undefined);
    } finally {
      clearTimeout(timer);
    }
  };
  return { fetch: outboundFetch, close: async () => await agent?.destroy() };
}

function requestOptions(init: OutboundRequest) {
  const headers: Record<string, string> = { "user-agent": "authz-server", ...init.headers };
  const form = init.body instanceof URLSearchParams;
  if (form) headers["content-type"] ??= "application/x-www-form-urlencoded;charset=UTF-8";
  const body = form ? String(init.body) : init.body;
  return { method: init.method ?? "GET", headers, body: body ?? null };
}

async function readCapped(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  origin: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (length > maxBytes) {
      const values = { origin, bytes: maxBytes };
      throw new OutboundError("too_large", `${origin} answered with more than ${maxBytes} bytes.`, {
        values,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toResponse(response: Dispatcher.ResponseData, body: Buffer): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, item);
  }
  const empty = response.statusCode === 204 || response.statusCode === 304 || response.statusCode < 200;
  return new Response(empty ? null : new Uint8Array(body), { status: response.statusCode, headers });
}

function toOutboundError(error: unknown, origin: string, expiredSeconds: number | undefined): unknown {
  if (error instanceof OutboundError) return error;
  if (expiredSeconds !== undefined) {
    return new OutboundError("timeout", `${origin} did not answer within ${expiredSeconds} s.`, {
      cause: error,
      values: { origin, seconds: expiredSeconds },
    });
  }
  const { code, name } = error as { code?: string; name?: string };
  const cause =
    error instanceof AggregateError ? (error.errors[0] as { code?: string }).code : (code ?? name);
  return new OutboundError("unreachable", `${origin} cannot be reached (${cause ?? "unknown"}).`, {
    cause: error,
    values: { origin, cause: cause ?? "unknown" },
  });
}
