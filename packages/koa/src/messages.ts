import type { AuthzResponse, NodeRequestOverrides } from "@authz/verify";
import type { Context } from "koa";

/**
 * `originalUrl` keeps the prefix that koa-mount strips from `url`. Body parsers for Koa leave their result on the
 * request; without one there is nothing.
 */
export function whatKoaKnows({
  originalUrl,
  request,
}: Pick<Context, "originalUrl" | "request">): Required<NodeRequestOverrides> {
  return { url: originalUrl, body: (request as { body?: unknown }).body };
}

/** Sends an answer as it is. */
export function sendResponse(
  ctx: Pick<Context, "status" | "set" | "body">,
  { status, headers, body }: AuthzResponse,
): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, [value].flat());
  ctx.body = body;
}
