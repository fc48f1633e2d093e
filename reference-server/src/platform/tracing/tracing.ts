import type { OutboundFetch } from "../outbound/outbound-fetch.js";

type Attributes = Readonly<Record<string, string | number>>;

interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client";
  readonly attributes: Attributes;
  /** The headers of a request whose trace this span continues (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** A piece of work that is being measured. */
export interface TraceSpan {
  readonly traceId: string;
  /** Runs work; spans that begin in it become children. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  fail(error: unknown): void;
  end(): void;
}

/** The server's interface to tracing. Absent unless traces are configured. */
export interface Tracing {
  start(span: SpanStart): TraceSpan;
  /** Whether there is a span that a new one would become a child of. */
  isActive(): boolean;
  /** The headers that continue the current trace at another server. */
  headers(): Readonly<Record<string, string>>;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** Measures requests to other servers, and sends them the headers that continue the trace. */
export function traceOutbound(fetch: OutboundFetch, tracing: Tracing): OutboundFetch {
  return async (url, request = {}) => {
    const method = request.method ?? "GET";
    const { origin, hostname, pathname } = new URL(url);
    const attributes = {
      "http.request.method": method,
      "server.address": hostname,
      // Without the query, which may carry secrets.
      "url.full": `${origin}${pathname}`,
    };
    const span = tracing.start({ name: method, kind: "client", attributes });
    try {
      return await span.run(async () => {
        const headers = { ...request.headers, ...tracing.headers() };
        const response = await fetch(url, { ...request, headers });
        span.set({ "http.response.status_code": response.status });
        return response;
      });
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  };
}
