import type { IncomingMessage, ServerResponse } from "node:http";
import type { Auth, AuthzRequest, AuthzResponse, RouteRequest } from "@authz/verify";
import { hasForm, headerLines, parsedOrRawBody } from "./node-request.js";

/** What is needed of an Express request, whichever parameters, body and locals its route declares. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl: string;
  auth: Auth;
  body?: unknown;
}

/** What the verification needs. `originalUrl` keeps the prefix that routers strip from `url`. */
export function toAuthzRequest(req: ExpressRequest): AuthzRequest {
  return {
    method: req.method ?? "",
    url: req.originalUrl,
    authorization: headerLines(req, "authorization"),
    dpop: headerLines(req, "dpop"),
    body: hasForm(req) ? req.body : undefined,
  };
}

/** What the SDK's own routes need besides. */
export async function toRouteRequest(req: ExpressRequest): Promise<RouteRequest> {
  return {
    ...toAuthzRequest(req),
    contentType: headerLines(req, "content-type"),
    ifNoneMatch: headerLines(req, "if-none-match"),
    body: await parsedOrRawBody(req, req.body),
  };
}

/** Sends an answer as it is; `res.send` would add an ETag and a charset. */
export function sendResponse(res: ServerResponse, { status, headers, body }: AuthzResponse): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(body);
}
