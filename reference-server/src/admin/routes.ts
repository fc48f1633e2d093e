import type { FastifyInstance } from "fastify";
import type { ServerContext } from "../context.js";
import { createAreas, listAreas } from "./areas.js";
import { addDoor } from "./door/door.js";
import { addOpenApi, tagRoutes } from "./door/openapi.js";
import { mountAreas } from "./http/mount.js";

/** Where the administration API lives. */
export const adminPrefix = "/api/admin/v1";

/** Mounts the administration API: the door first, then everything behind it. */
export async function registerAdmin(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { issuer, allowInsecureLoopback } = context.config;
  const options = { issuer, allowInsecureLoopback };
  const areas = listAreas();
  await app.register(
    async (scope) => {
      await addDoor(scope, context);
      await addOpenApi(scope, { url: `${issuer}${adminPrefix}`, areas });
      for (const { tag, routes } of areas) {
        // oxlint-disable-next-line no-await-in-loop -- the order of the documentation
        await scope.register(async (area) => {
          area.addHook("onRoute", tagRoutes(tag));
          await area.register(routes, options);
        });
      }
      mountAreas(scope, createAreas());
    },
    { prefix: adminPrefix },
  );
}
