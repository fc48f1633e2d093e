import type { FastifyInstance } from "fastify";
import { createTokenEndpoint } from "../grants/endpoint.js";
import { mountFormEndpoint } from "../clients/routes.js";
import type { OauthContext } from "../context.js";
import { paths } from "../../protocol/vocabulary.js";

/** Mounts the token endpoint (RFC 6749 §3.2). */
export function registerToken(app: FastifyInstance, context: OauthContext): void {
  const answer = createTokenEndpoint(context);
  mountFormEndpoint(app, paths.token, async (request) => ({ body: await answer(request) }));
}
