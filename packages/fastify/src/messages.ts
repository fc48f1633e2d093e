import type { AuthzRequest, AuthzResponse, RouteRequest } from "@authz/verify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasForm, headerLines } from "./node-request.js";

/** What the verification needs. `originalUrl` is what the client asked for, before `rewriteUrl`. */
export function toAuthzRequest(request: FastifyRequest): AuthzRequest {
  const { raw } = request;
  return {
    method: raw.method ?? "",
    url: request.originalUrl,
    authorization: headerLines(raw, "authorization"),
    dpop: headerLines(raw, "dpop"),
    body: hasForm(raw) ? request.body : undefined,
  };
}

/** What the SDK's own routes need besides. */
export function toRouteRequest(request: FastifyRequest): RouteRequest {
  return {
    ...toAuthzRequest(request),
    contentType: headerLines(request.raw, "content-type"),
    ifNoneMatch: headerLines(request.raw, "if-none-match"),
    body: request.body,
  };
}

/** Sends an answer as it is; to a JSON text Fastify would add a charset. */
export function sendResponse(reply: FastifyReply, { status, headers, body }: AuthzResponse): FastifyReply {
  return reply
    .code(status)
    .headers(headers as Record<string, string | string[]>)
    .send(Buffer.from(body));
}
