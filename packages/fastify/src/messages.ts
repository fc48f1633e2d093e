import type { AuthzRequest, AuthzResponse, RouteRequest } from "@authz/verify";
import type { FastifyReply, FastifyRequest, RawServerBase, RouteGenericInterface } from "fastify";
import { hasForm, headerLines } from "./raw-request.js";

/** A request of an HTTP/1.1 or HTTP/2 server. */
export type AnyRequest = FastifyRequest<RouteGenericInterface, RawServerBase>;
/** Its reply. */
export type AnyReply = FastifyReply<RouteGenericInterface, RawServerBase>;

/** What the verification needs. `originalUrl` is what the client asked for, before `rewriteUrl`. */
export function toAuthzRequest(request: AnyRequest): AuthzRequest {
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
export function toRouteRequest(request: AnyRequest): RouteRequest {
  return {
    ...toAuthzRequest(request),
    contentType: headerLines(request.raw, "content-type"),
    ifNoneMatch: headerLines(request.raw, "if-none-match"),
    body: request.body,
  };
}

/** Sends an answer as it is; to a JSON text Fastify would add a charset. */
export function sendResponse(reply: AnyReply, { status, headers, body }: AuthzResponse): AnyReply {
  return reply
    .code(status)
    .headers(headers as Record<string, string | string[]>)
    .send(Buffer.from(body));
}
