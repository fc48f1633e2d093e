import {
  type AuthzRequest,
  type AuthzResponse,
  type RouteRequest,
  requestFromNode,
  routeRequestFromNode,
} from "@authz/verify";
import type { Context } from "koa";

/** What is needed of a context, whatever its state is. */
export type KoaContext = Pick<Context, "req" | "request" | "originalUrl" | "status" | "set" | "body">;

/** What the verification needs. `originalUrl` keeps the prefix that koa-mount strips from `url`. */
export function toAuthzRequest(ctx: KoaContext): AuthzRequest {
  const body = hasForm(ctx) ? parsedBody(ctx) : undefined;
  return { ...requestFromNode(ctx.req), url: ctx.originalUrl, body };
}

/** What the SDK's own routes need: with the body that a parser left, or else the raw one. */
export async function toRouteRequest(ctx: KoaContext): Promise<RouteRequest> {
  const bodyWasRead = ctx.req.readableDidRead || ctx.req.readableEnded;
  const request = await routeRequestFromNode(ctx.req);
  return { ...request, url: ctx.originalUrl, ...(bodyWasRead && { body: parsedBody(ctx) }) };
}

/** Sends an answer as it is. */
export function sendResponse(ctx: KoaContext, { status, headers, body }: AuthzResponse): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, [value].flat());
  ctx.body = body;
}

/** Body parsers for Koa leave their result here; without one there is nothing. */
function parsedBody(ctx: KoaContext): unknown {
  return (ctx.request as { body?: unknown }).body;
}

/** A form is the only kind of body in which an access token is looked for. */
function hasForm({ req }: KoaContext): boolean {
  return req.headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false;
}
