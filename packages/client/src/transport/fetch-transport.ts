import { createIdleTimeout, type IdleTimeout } from "./idle-timeout.js";
import {
  defaultTimeoutSeconds,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.js";

/** A transport over a `fetch` function, for tests and for runtimes that bring their own. */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return async (request) => {
    const controller = new AbortController();
    const abort = (): void => controller.abort(request.signal?.reason);
    request.signal?.addEventListener("abort", abort, { once: true });
    if (request.signal?.aborted === true) abort();
    const idle = createIdleTimeout(request.timeoutSeconds ?? defaultTimeoutSeconds, (reason) =>
      controller.abort(reason),
    );
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers: { ...request.headers },
        redirect: "manual",
        signal: controller.signal,
        ...bodyInit(request, idle),
      });
      return toAnswer(response, idle);
    } finally {
      idle.headArrived();
    }
  };
}

function bodyInit({ body }: TransportRequest, idle: IdleTimeout): RequestInit {
  if (body === undefined) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { body };
  return { body: ReadableStream.from(idle.whileSending(body)), duplex: "half" };
}

function toAnswer(response: Response, idle: IdleTimeout): TransportAnswer {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body === null ? noBytes() : idle.whileReceiving(response.body),
    discard: () => {
      response.body?.cancel().catch(() => undefined);
    },
  };
}

async function* noBytes(): AsyncIterable<Uint8Array> {}
