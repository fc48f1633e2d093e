import type { AuthzRequest, AuthzResponse, RouteRequest } from "@authz/verify";
import type { Context } from "koa";
import { hasForm, headerLines, parsedOrRawBody } from "./node-request.js";

/** What the verification needs. `originalUrl` keeps the prefix that koa-mount strips from `url`. */
export function toAuthzRequest(ctx: Pick<Context, "req" | "request" | "originalUrl">): AuthzRequest {
  const { req } = ctx;
  return {
    method: req.method ?? "",
    url: ctx.originalUrl,
    authorization: headerLines(req, "authorization"),
    dpop: headerLines(req, "dpop"),
    body: hasForm(req) ? parsedBody(ctx) : undefined,
  };
}

/** What the SDK's own routes need besides. */
export async function toRouteRequest(ctx: Context): Promise<RouteRequest> {
  return {
    ...toAuthzRequest(ctx),
    contentType: headerLines(ctx.req, "content-type"),
    ifNoneMatch: headerLines(ctx.req, "if-none-match"),
    body: await parsedOrRawBody(ctx.req, parsedBody(ctx)),
  };
}

/** Sends an answer as it is. */
export function sendResponse(ctx: Pick<Context, "status" | "set" | "body">, answer: AuthzResponse): void {
  ctx.status = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) ctx.set(name, [value].flat());
  ctx.body = answer.body;
}

function parsedBody(ctx: Pick<Context, "request">): unknown {
  return (ctx.request as { body?: unknown }).body;
}
