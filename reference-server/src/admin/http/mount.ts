import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";
import { readJson, readUpload, takePreview } from "../door/requests.js";
import { AdminRefusal } from "../door/refusals.js";
import { RawAnswer } from "./raw-answer.js";
import type { AdminArea, AdminRoute } from "./route.js";
import { createRouteTable, type FoundRoute } from "./route-table.js";
import { parseIfMatch } from "./versions.js";

/** Mounts the areas that are not plugins yet, behind the door. */
export function mountAreas(scope: FastifyInstance, areas: readonly AdminArea[]): void {
  const find = createRouteTable(areas);
  scope.route({
    method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    url: "/*",
    config: { legacy: true, contentTypes: [] },
    schema: { hide: true, querystring: z.unknown() },
    handler: async (request, reply) => {
      const found = find(
        request.method === "HEAD" ? "GET" : request.method,
        `/${(request.params as { "*": string })["*"]}`,
      );
      if (found === undefined) throw new AdminRefusal("not_found", "noAddress");
      return await answer(found, request, reply);
    },
  });
}

async function answer(
  { route, params }: FoundRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { admin } = request;
  if (route.browserOnly === true && admin.caller.type !== "user") {
    throw new AdminRefusal("access_denied", "browserOnly");
  }
  const version = route.ifMatch ? parseIfMatch(request.headers["if-match"]) : undefined;
  if (route.preview === true) admin.preview = takePreview(request);
  admin.upload = route.upload === undefined ? undefined : readUpload(route.upload, request);
  const body = admin.upload === undefined ? readJson(request) : undefined;
  const result = await route.run({ params, query: request.query, body, version }, admin);
  return send(route, { reply, result });
}

async function send(
  route: AdminRoute,
  { reply, result }: { readonly reply: FastifyReply; readonly result: unknown },
): Promise<unknown> {
  if (result instanceof RawAnswer) {
    const { headers, contentType, body } = result;
    const isUnread = reply.request.method === "HEAD" && body instanceof Readable;
    if (isUnread) body.destroy();
    return await reply
      .headers(headers)
      .type(contentType)
      .send(isUnread ? Readable.from([]) : body);
  }
  void reply.code(route.status ?? (route.schemas.answer === undefined ? 204 : 200));
  return await (result === undefined ? reply.send() : reply.send(result));
}
