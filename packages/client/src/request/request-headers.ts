import { AuthzClientError } from "../errors.js";

/** Headers that say who is calling, or where the request ends: only the client and HTTP itself set them. */
const RESERVED: ReadonlySet<string> = new Set([
  "authorization",
  "dpop",
  "cookie",
  "host",
  "proxy-authorization",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers as a caller gives them. */
export type HeaderInput = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/**
 * Headers of a request, in lower case.
 *
 * @throws {AuthzClientError} `header_not_allowed` for a header that only the client may set; `invalid_request` for one HTTP
 * does not allow.
 */
export function parseRequestHeaders(input: HeaderInput = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [rawName, value] of Symbol.iterator in input ? input : Object.entries(input)) {
    const name = rawName.toLowerCase();
    if (RESERVED.has(name)) throw reserved(rawName);
    if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw malformed(rawName);
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function reserved(name: string): AuthzClientError {
  return new AuthzClientError("header_not_allowed", {
    what: `The header ${name} cannot be set.`,
    why: "It says who is calling or how the connection works, and authz sets it itself.",
    hint: "Leave it out.",
  });
}

function malformed(name: string): AuthzClientError {
  return new AuthzClientError("invalid_request", {
    what: `The header ${JSON.stringify(name)} is not valid.`,
    why: "Names are letters, digits and dashes; values are one line of plain text.",
    hint: 'Write it like this: "Accept: application/json"',
  });
}
