/** Hop-by-hop headers even if `Connection` does not list them. */
export const hopByHopHeaders: readonly string[] = [
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
];

/**
 * Never passed on, even if an administrator declares them: the caller's credentials for this server, hop-by-hop headers, the origin of
 * a request, and headers that only a browser or this server may set.
 */
const never: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  "authorization",
  "dpop",
  "cookie",
  "cookie2",
  "host",
  "content-length",
  "expect",
  "max-forwards",
  "accept-encoding",
  "forwarded",
  "via",
  "traceparent",
  "tracestate",
  "baggage",
  "origin",
  "referer",
]);

const neverPrefixes = ["authz-", "proxy-", "sec-", "x-forwarded-", "access-control-"];

/** Headers that some servers take for the method, which would bypass the allowed methods. */
export const methodOverrides: readonly string[] = [
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
];

/** Whether a header, by its lower-case name, is never passed on. */
export function isNeverSent(name: string): boolean {
  return (
    never.has(name) ||
    methodOverrides.includes(name) ||
    neverPrefixes.some((prefix) => name.startsWith(prefix))
  );
}
