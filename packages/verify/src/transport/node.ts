import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { readLimited } from "../forms.js";
import type { AuthzRequest, AuthzRoute, RouteRequest, RouteResponse } from "../messages.js";
import { findRoute } from "../routes/find-route.js";

/** A request to `node:http`, or to `node:http2` through its compatibility API. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** Its response. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Facts about a request that only the framework knows. */
export interface NodeRequestOverrides {
  /** The original request target, if a router has changed `url`. */
  readonly url?: string;
  /** The result of the application's body parser, if one ran. */
  readonly body?: unknown;
}

/** Converts a Node request for `decide`. Does not read its body. */
export function requestFromNode(
  message: NodeRequest,
  { url = message.url ?? "/", body }: NodeRequestOverrides = noOverrides,
): AuthzRequest {
  // One pass and no array for missing headers, because this runs for every protected request.
  let authorization = noLines;
  let dpop = noLines;
  let contentType = noLines;
  const rawHeaders = rawHeadersOf(message);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    if (isHeader(name, "authorization")) authorization = add(authorization, value);
    else if (isHeader(name, "dpop")) dpop = add(dpop, value);
    else if (isHeader(name, "content-type")) contentType = add(contentType, value);
  }
  const header = (name: string): readonly string[] => headerLines(message, name);
  return { method: message.method ?? "", url, authorization, dpop, contentType, header, body };
}

const noOverrides: NodeRequestOverrides = Object.freeze({});
const noLines: readonly string[] = Object.freeze([]);

/** Converts a Node request for a route, with the parsed body, or else at most 64 KiB of the raw one. */
export async function routeRequestFromNode(
  message: NodeRequest,
  overrides: NodeRequestOverrides = noOverrides,
): Promise<RouteRequest> {
  const isRaw = message.method === "POST" && !message.readableDidRead && !message.readableEnded;
  return {
    ...requestFromNode(message, overrides),
    contentType: headerLines(message, "content-type"),
    ifNoneMatch: headerLines(message, "if-none-match"),
    body: isRaw ? await readNodeBody(message) : overrides.body,
  };
}

/**
 * Reads a body to just beyond the limit of a form, 64 KiB, and leaves the connection open for the response.
 *
 * For frameworks that pass the body to a parser as a stream.
 */
export async function readNodeBody(message: NodeRequest): Promise<Uint8Array> {
  // Leaving the loop early must not destroy the socket, which still has to carry the refusal.
  const body = await readLimited(message.iterator({ destroyOnReturn: false }));
  if (!message.complete && "stream" in message) abandonRest(message);
  return body;
}

/**
 * The bytes of a body that a parser has kept, for `requireApproval()`. Without any, the request must have no body.
 *
 * @throws {TypeError} The body was not kept. `remedy` says how to keep it.
 */
export function keptNodeBody(message: NodeRequest, kept: readonly unknown[], remedy: string): Uint8Array {
  for (const body of kept) {
    if (body instanceof Uint8Array) return body;
    if (typeof body === "string") return Buffer.from(body);
  }
  if (!hasBody(message)) return new Uint8Array();
  throw new TypeError(
    `requireApproval() needs the bytes of the body, because approval is for exactly these, and no parser kept them. ${remedy}`,
  );
}

function hasBody(message: NodeRequest): boolean {
  if ("stream" in message) return !message.stream.endAfterHeaders;
  const { "content-length": length = "0", "transfer-encoding": encoding } = message.headers;
  return encoding !== undefined || length !== "0";
}

/** Closes an HTTP/2 stream after the response, because unread data would keep it open forever. */
function abandonRest({ stream }: Http2ServerRequest): void {
  stream.once("finish", () => {
    stream.close();
    stream.resume();
  });
}

/** Sends a response unchanged. */
export function sendNodeResponse(response: NodeResponse, { status, headers, body }: RouteResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Serves the routes over `node:http` and `node:http2`; false for other requests. */
export function createNodeHandler(
  routes: readonly AuthzRoute[],
  checkUpgrades: (message: NodeRequest) => void,
): (message: NodeRequest, response: NodeResponse, overrides?: NodeRequestOverrides) => Promise<boolean> {
  return async (message, response, overrides) => {
    checkUpgrades(message);
    const route = findRoute(routes, { method: message.method, url: overrides?.url ?? message.url });
    if (route === undefined) return false;
    const answer = await route.handle(await routeRequestFromNode(message, overrides));
    // Closes the connection instead of reading the rest of the body. In HTTP/2 it ends with the stream.
    if (message.method === "POST" && !message.complete && message.httpVersionMajor === 1) {
      response.setHeader("connection", "close");
    }
    sendNodeResponse(response, answer);
    return true;
  };
}

function add(lines: readonly string[], line: string): readonly string[] {
  return lines === noLines ? [line] : [...lines, line];
}

/** Every line of a header. Unlike `headersDistinct`, `rawHeaders` also exists in HTTP/2 and in injected requests. */
function headerLines(message: NodeRequest, name: string): readonly string[] {
  const rawHeaders = rawHeadersOf(message);
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeader(rawHeaders[index] as string, name)) lines.push(rawHeaders[index + 1] as string);
  }
  return lines;
}

/**
 * Names and values in turn. A request without a connection, such as an AWS Lambda event through serverless-http, may have only
 * `headers`, with repeated lines joined by a comma as in Fetch.
 */
function rawHeadersOf(message: NodeRequest): readonly string[] {
  const { rawHeaders } = message;
  if (rawHeaders.length > 0) return rawHeaders;
  // Last, because Node creates this object on first access, which costs more than reading the lines.
  return Object.entries(message.headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((line) => [name, line]),
  );
}

/** Compares lengths first, so that few names are lower-cased. */
function isHeader(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}
