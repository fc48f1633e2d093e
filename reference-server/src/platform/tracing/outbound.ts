import type { OutboundFetch } from "../outbound/outbound-fetch.js";
import type { Tracing } from "./tracing.js";

/** Measures requests to other servers, and lets them continue the trace. */
export function traceOutbound(fetch: OutboundFetch, tracing: Tracing): OutboundFetch {
  return async (url, request = {}) => {
    const method = request.method ?? "GET";
    const { origin, hostname, pathname } = new URL(url);
    const attributes = {
      "http.request.method": method,
      "server.address": hostname,
      // Without the query, which may carry what is nobody's business.
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
