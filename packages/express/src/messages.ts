import type { IncomingMessage } from "node:http";
import {
  type Auth,
  type AuthzRequest,
  type RouteRequest,
  requestFromNode,
  routeRequestFromNode,
} from "@authz/verify";

/** What is needed of an Express request, whichever parameters, body and locals its route declares. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl: string;
  auth: Auth;
  body?: unknown;
}

/** What the verification needs. `originalUrl` keeps the prefix that routers strip from `url`. */
export function toAuthzRequest(req: ExpressRequest): AuthzRequest {
  return { ...requestFromNode(req), url: req.originalUrl, body: hasForm(req) ? req.body : undefined };
}

/** What the SDK's own routes need: with the body that a parser left, or else the raw one. */
export async function toRouteRequest(req: ExpressRequest): Promise<RouteRequest> {
  const bodyWasRead = req.readableDidRead || req.readableEnded;
  const request = await routeRequestFromNode(req);
  return { ...request, url: req.originalUrl, ...(bodyWasRead && { body: req.body }) };
}

/** A form is the only kind of body in which an access token is looked for. */
function hasForm(req: ExpressRequest): boolean {
  return req.headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false;
}
