import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authz } from "../authz.js";
import type { AuthzRequest, AuthzResponse, RouteRequest } from "../messages.js";
import { findRoute } from "../routes/find-route.js";
import { readLimited } from "./read-limited.js";

/** What `authenticate` needs of a request to `node:http`. Its body is left alone. */
export function requestFromNode(message: IncomingMessage): AuthzRequest {
  return {
    method: message.method ?? "GET",
    url: message.url ?? "/",
    authorization: message.headersDistinct["authorization"] ?? [],
    dpop: message.headersDistinct["dpop"] ?? [],
  };
}

/** What a route needs of a request to `node:http`; reads at most 64 KiB of the body. */
export async function routeRequestFromNode(message: IncomingMessage): Promise<RouteRequest> {
  return {
    ...requestFromNode(message),
    contentType: message.headersDistinct["content-type"] ?? [],
    ifNoneMatch: message.headersDistinct["if-none-match"] ?? [],
    // Leaving the loop early must not destroy the socket: the refusal still has to go out on it.
    ...(message.method === "POST" && {
      body: await readLimited(message.iterator({ destroyOnReturn: false })),
    }),
  };
}

/** Sends an answer as it is. */
export function sendNodeResponse(response: ServerResponse, { status, headers, body }: AuthzResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Answers a request to one of the routes. False when the request is for the application. */
export async function handleNodeRequest(
  authz: Pick<Authz, "routes">,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const route = findRoute(authz.routes, message.method ?? "GET", message.url ?? "/");
  if (route === undefined) return false;
  const answer = await route.handle(await routeRequestFromNode(message));
  // A body that was not read to its end is not worth waiting for.
  if (message.method === "POST" && !message.complete) response.setHeader("connection", "close");
  sendNodeResponse(response, answer);
  return true;
}
