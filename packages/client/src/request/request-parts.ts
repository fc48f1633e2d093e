import { AuthzClientError } from "../errors.js";
import { isScope } from "@authz/dpop/jwt";
import type { RequestBody } from "../transport/transport.js";
import { quoted } from "../transport/quoted.js";
import { parseRequestAddress } from "./request-address.js";

/** Headers as a caller gives them. */
export type HeaderInput = Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** A request to a registered service. */
export interface AuthorizedRequest {
  url: string;
  /** `GET` unless given. */
  method?: string;
  headers?: HeaderInput;
  /** Text, bytes and a function that opens a stream can be sent again when a retry is needed; a stream is sent once. */
  body?: RequestBody;
  /** Bytes of a body that is a stream, when they are known. */
  bodyLength?: number;
  /** Permissions the request needs. May be left out when the person has exactly one for the service. */
  scopes?: readonly string[];
  signal?: AbortSignal;
  /** Seconds without any progress, sending or receiving, after which the request is given up. Default: 30. */
  timeoutSeconds?: number;
  /**
   * Masks the token and the proof with asterisks where the service repeats them, in headers and body. Use it when you show answers to
   * others, such as an agent. Other encodings of them (base64, a compressed body) are not found.
   */
  hideCredentials?: boolean;
}

/** The parts of a request that decide where it goes, checked. */
export interface RequestParts {
  method: string;
  url: URL;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** @throws {AuthzClientError} `invalid_request`, `header_not_allowed` */
export function parseRequestParts({
  method,
  url,
  headers,
}: Pick<AuthorizedRequest, "method" | "url" | "headers">): RequestParts {
  return {
    headers: parseRequestHeaders(headers),
    method: parseMethod(method),
    url: parseRequestAddress(url),
  };
}

/** The method of a request, in capitals. @throws {AuthzClientError} `invalid_request` */
function parseMethod(text = "GET"): string {
  const method = text.toUpperCase();
  if (/^[A-Z][A-Z-]{0,19}$/.test(method) && !["CONNECT", "TRACE", "TRACK"].includes(method)) return method;
  throw new AuthzClientError("method_invalid", {
    what: `"${text}" is not a method authz sends.`,
  });
}

/**
 * Permissions as they are asked for, each once.
 *
 * @param service - the one that they are for, when it is known
 * @throws {AuthzClientError} `invalid_request`
 */
export function parseScopes(
  scopes: readonly string[],
  service?: { name: string; supportedScopes: readonly string[] },
): readonly string[] {
  const place = scopes.findIndex((scope) => !isScope(scope));
  if (place < 0) return [...new Set(scopes)];
  throw new AuthzClientError("scope_invalid", {
    what: `${quoted(String(scopes[place]))} is not a scope.`,
    why:
      service === undefined
        ? 'Scopes are "namespace:permission", in lowercase letters, digits and hyphens.'
        : `${service.name} has these: ${service.supportedScopes.join(", ")}.`,
    availableScopes: service?.supportedScopes,
  });
}

/** Scopes of a third party, which are its own affair: what OAuth allows (RFC 6749 §3.3). @throws {AuthzClientError} `invalid_request` */
export function parseThirdPartyScopes(scopes: readonly string[]): readonly string[] {
  const malformed = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (malformed === undefined) return [...new Set(scopes)];
  throw new AuthzClientError("third_party_scope_invalid", {
    what: `"${malformed}" is not a scope.`,
  });
}

/** Headers that say who is calling, or where the request ends: only the client and HTTP itself set them. */
const reservedHeaders: ReadonlySet<string> = new Set([
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

/**
 * Headers of a request, in lower case.
 *
 * @throws {AuthzClientError} `header_not_allowed` for a header that only the client may set; `invalid_request` for one HTTP
 * does not allow.
 */
function parseRequestHeaders(input: HeaderInput = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [rawName, value] of Symbol.iterator in input ? input : Object.entries(input)) {
    const name = rawName.toLowerCase();
    if (reservedHeaders.has(name)) throw reserved(rawName);
    if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw malformedHeader(rawName);
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function reserved(name: string): AuthzClientError {
  return new AuthzClientError("header_reserved", {
    what: `The header ${name} cannot be set.`,
    why: "It says who is calling or how the connection works, and authz sets it itself.",
  });
}

function malformedHeader(name: string): AuthzClientError {
  return new AuthzClientError("header_invalid", {
    what: `The header ${JSON.stringify(name)} is not valid.`,
    why: "Names are letters, digits and dashes; values are one line of plain text.",
  });
}
