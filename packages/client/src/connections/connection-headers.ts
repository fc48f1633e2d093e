import { AuthzClientError } from "../errors.js";
import { type HeaderInput, parseRequestHeaders } from "../request/request-headers.js";

/** Headers about who calls and which way a request takes, which the server does not send on or sets itself. */
const NOT_SENT_ON: ReadonlySet<string> = new Set([
  "accept-encoding",
  "baggage",
  "cookie2",
  "forwarded",
  "max-forwards",
  "origin",
  "referer",
  "traceparent",
  "tracestate",
  "true-client-ip",
  "via",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-host",
  "x-http-host-override",
  "x-original-host",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url",
]);
const NOT_SENT_ON_PREFIX = /^(?:access-control|authz|proxy|sec|x-forwarded)-/;

/**
 * Headers of a request through a connection, in lower case.
 *
 * @throws {AuthzClientError} `header_not_allowed` for one that the third party would not get: silence about it would mislead.
 */
export function parseConnectionHeaders(input: HeaderInput | undefined): Record<string, string> {
  const headers = parseRequestHeaders(input);
  const name = Object.keys(headers).find((header) => {
    // Some servers read underscores as hyphens.
    const asRead = header.replaceAll("_", "-");
    return NOT_SENT_ON.has(asRead) || NOT_SENT_ON_PREFIX.test(asRead);
  });
  if (name === undefined) return headers;
  throw new AuthzClientError("header_not_allowed", {
    what: `The header ${name} cannot be sent through a connection.`,
    why: "It says where a request comes from or which way it takes: the server does not send it on, or sets it itself.",
    hint: "Leave it out.",
  });
}
