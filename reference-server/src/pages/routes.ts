import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { packageFolder } from "../platform/package-folder.js";
import type { Store } from "../store/store.js";

const assets = [
  { path: "/assets/authz.css", file: "authz.css", type: "text/css; charset=utf-8" },
  { path: "/assets/api.css", file: "api.css", type: "text/css; charset=utf-8" },
  { path: "/assets/authz.svg", file: "authz.svg", type: "image/svg+xml" },
  { path: "/assets/copy.js", file: "copy.js", type: "text/javascript; charset=utf-8" },
  { path: "/assets/times.js", file: "times.js", type: "text/javascript; charset=utf-8" },
] as const;

/** Mounts the styles, scripts and icon of the pages. */
export function registerAssets(app: FastifyInstance): void {
  for (const { path, file, type } of assets) {
    const content = readFileSync(new URL(`assets/${file}`, packageFolder), "utf8");
    const etag = `"${createHash("sha256").update(content).digest("base64url")}"`;
    app.get(path, (request, reply) => {
      void reply.header("cache-control", "public, max-age=300").header("etag", etag);
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();
      return reply.type(type).send(content);
    });
  }
}

/**
 * Mounts the installation's logo. Opened by itself it is a document of an opaque origin that runs and loads nothing.
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
