import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { readLimited } from "../forms.js";
import type { AuthzRequest, AuthzRoute, RouteRequest, RouteResponse } from "../messages.js";
import { findRoute } from "../routes/find-route.js";

/** A request to `node:http`, or to `node:http2` through its compatibility API. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The answer that belongs to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** What a framework knows about a request beyond the request itself. */
export interface NodeRequestOverrides {
  /** What the client asked for, if a router has changed `url`. */
  readonly url?: string;
  /** What the application's body parser made of the body, if one ran. */
  readonly body?: unknown;
}

/** Takes from a Node request what `decide` needs. Its body is left alone. */
export function requestFromNode(
  message: NodeRequest,
  { url = message.url ?? "/", body }: NodeRequestOverrides = noOverrides,
): AuthzRequest {
  // One pass over the headers, and no array for those that are not there: this runs before every protected request.
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
  return { method: message.method ?? "", url, authorization, dpop, contentType, body };
}

const noOverrides: NodeRequestOverrides = Object.freeze({});
const noLines: readonly string[] = Object.freeze([]);

/** Takes from a Node request what a route needs: with the body that a parser left, or else at most 64 KiB of the raw one. */
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
 * Reads a body to just past the 64 KiB that a form may have, and leaves the connection open for the answer.
 *
 * For frameworks that hand the body to a parser as a stream.
 */
export async function readNodeBody(message: NodeRequest): Promise<Uint8Array> {
  // Leaving the loop early must not destroy the socket: the refusal still has to go out on it.
  const body = await readLimited(message.iterator({ destroyOnReturn: false }));
  if (!message.complete && "stream" in message) abandonRest(message);
  return body;
}

/** In HTTP/2 unread data would keep the stream open forever: once the answer is out, the sender is told to stop. */
function abandonRest({ stream }: Http2ServerRequest): void {
  stream.once("finish", () => {
    stream.close();
    stream.resume();
  });
}

/** Sends an answer as it is. */
export function sendNodeResponse(response: NodeResponse, { status, headers, body }: RouteResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Serves the routes over `node:http` and `node:http2`; false for everything else. */
export function createNodeHandler(
  routes: readonly AuthzRoute[],
  checkUpgrades: (message: NodeRequest) => void,
): (message: NodeRequest, response: NodeResponse, overrides?: NodeRequestOverrides) => Promise<boolean> {
  return async (message, response, overrides) => {
    checkUpgrades(message);
    const route = findRoute(routes, { method: message.method, url: overrides?.url ?? message.url });
    if (route === undefined) return false;
    const answer = await route.handle(await routeRequestFromNode(message, overrides));
    // A body that was not read to its end is not worth waiting for. In HTTP/2 that ends with the stream.
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

/** Every line of a header. Unlike `headersDistinct`, `rawHeaders` is there in HTTP/2 and in injected requests as well. */
function headerLines(message: NodeRequest, name: string): readonly string[] {
  const rawHeaders = rawHeadersOf(message);
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeader(rawHeaders[index] as string, name)) lines.push(rawHeaders[index + 1] as string);
  }
  return lines;
}

/**
 * Names and values by turns. A request that no connection brought, such as an event of AWS Lambda in the hands of serverless-http, may have
 * `headers` alone: there, repeated lines are joined with a comma, as in Fetch.
 */
function rawHeadersOf(message: NodeRequest): readonly string[] {
  const { rawHeaders } = message;
  if (rawHeaders.length > 0) return rawHeaders;
  // Not before: Node makes this object when it is first asked for, which costs a request more than reading its lines.
  return Object.entries(message.headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((line) => [name, line]),
  );
}

/** Most names differ in length already, so that few are lower-cased. */
function isHeader(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}
