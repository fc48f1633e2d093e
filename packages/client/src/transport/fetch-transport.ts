import {
  DEFAULT_TIMEOUT_SECONDS,
  openStream,
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
    const seconds = request.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const timer = setTimeout(
      () => controller.abort(new Error(`No answer within ${String(seconds)} seconds.`)),
      seconds * 1000,
    );
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers: { ...request.headers },
        redirect: "manual",
        signal: controller.signal,
        ...bodyInit(request),
      });
      return toAnswer(response);
    } finally {
      clearTimeout(timer);
    }
  };
}

function bodyInit({ body }: TransportRequest): RequestInit {
  if (body === undefined) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { body };
  return { body: ReadableStream.from(openStream(body)), duplex: "half" };
}

function toAnswer(response: Response): TransportAnswer {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body ?? noBytes(),
    discard: () => {
      response.body?.cancel().catch(() => undefined);
    },
  };
}

async function* noBytes(): AsyncIterable<Uint8Array> {}
