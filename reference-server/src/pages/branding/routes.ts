import type { FastifyInstance } from "fastify";
import type { Store } from "../../store/store.js";

/**
 * Mounts the installation's logo. Opened by itself it is a document of an origin of its own that runs nothing and loads
 * nothing, whatever is in it.
 */
export function registerLogo(app: FastifyInstance, store: Pick<Store, "settings">): void {
  app.get("/assets/logo", async (request, reply) => {
    const logo = await store.settings.findLogo();
    if (logo === undefined) return reply.callNotFound();
    const etag = `"${logo.digest}"`;
    void reply
      .header("cache-control", "public, max-age=300")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .header("x-content-type-options", "nosniff")
      .header("etag", etag);
    if (request.headers["if-none-match"] === etag) return await reply.code(304).send();
    return await reply.type(logo.type).send(logo.content);
  });
}
