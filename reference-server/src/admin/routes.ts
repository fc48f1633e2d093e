import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerContext } from "../context.js";
import { areas as everyArea } from "./areas.js";
import { everyRole } from "./door/access.js";
import type { AdminArea } from "./door/area.js";
import { addDoor } from "./door/door.js";
import { addOpenApi, tagRoutes } from "./door/openapi.js";
import { AdminRefusal } from "./door/refusals.js";
import { adminPrefix } from "./prefix.js";

/** Mounts the administration API. */
export async function registerAdmin(app: FastifyInstance, context: ServerContext): Promise<void> {
  await mountAdmin(app, { context, areas: everyArea });
}

/** Mounts the door first, then some areas behind it. */
export async function mountAdmin(
  app: FastifyInstance,
  { context, areas }: { readonly context: ServerContext; readonly areas: readonly AdminArea[] },
): Promise<void> {
  const { issuer, allowInsecureLoopback } = context.config;
  await app.register(
    async (scope) => {
      await addDoor(scope, context);
      await addOpenApi(scope, { url: `${issuer}${adminPrefix}`, areas });
      for (const { tag, routes } of areas) {
        await scope.register(async (area) => {
          area.addHook("onRoute", tagRoutes(tag));
          await area.register(routes, { issuer, allowInsecureLoopback });
        });
      }
      scope.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/*",
        config: { access: everyRole },
        schema: { hide: true, querystring: z.unknown() },
        handler: async () => undefined,
        onRequest: async () => {
          throw new AdminRefusal("not_found", "noAddress");
        },
      });
    },
    { prefix: adminPrefix },
  );
}
