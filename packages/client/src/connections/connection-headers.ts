import { AuthzClientError } from "../errors.js";
import { type HeaderInput, parseRequestHeaders } from "../request/request-headers.js";

/** Headers about the way a request took, which the server does not send on. */
const NOT_SENT_ON =
  /^(?:authz-.*|forwarded|x-forwarded-.*|x-real-ip|via|proxy-.*|traceparent|tracestate|baggage|origin|referer|sec-.*)$/;

/**
 * Headers of a request through a connection, in lower case.
 *
 * @throws {AuthzClientError} `header_not_allowed` for one that the third party would not get: silence about it would mislead.
 */
export function parseConnectionHeaders(input: HeaderInput | undefined): Record<string, string> {
  const headers = parseRequestHeaders(input);
  const name = Object.keys(headers).find((header) => NOT_SENT_ON.test(header));
  if (name === undefined) return headers;
  throw new AuthzClientError("header_not_allowed", {
    what: `The header ${name} cannot be sent through a connection.`,
    why: "It says where a request comes from or which way it takes, and the server does not send it on.",
    hint: "Leave it out.",
  });
}
