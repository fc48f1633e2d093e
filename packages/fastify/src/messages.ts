import type { AuthzResponse, NodeRequestOverrides } from "@authz/verify";
import type { FastifyReply, FastifyRequest, RawServerBase, RouteGenericInterface } from "fastify";

/** A request of an HTTP/1.1 or HTTP/2 server. */
export type AnyRequest = FastifyRequest<RouteGenericInterface, RawServerBase>;
/** Its reply. */
export type AnyReply = FastifyReply<RouteGenericInterface, RawServerBase>;

/** `originalUrl` is what the client asked for, before `rewriteUrl`; `body` is there when a parser ran. */
export function whatFastifyKnows({ originalUrl, body }: AnyRequest): Required<NodeRequestOverrides> {
  return { url: originalUrl, body };
}

/** Sends an answer as it is; to a JSON text Fastify would add a charset. */
export function sendResponse(reply: AnyReply, { status, headers, body }: AuthzResponse): AnyReply {
  return reply
    .code(status)
    .headers(headers as Record<string, string | string[]>)
    .send(Buffer.from(body));
}
