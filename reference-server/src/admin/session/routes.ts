import { serverVersion } from "../../platform/http/server-version.js";
import { roles } from "../../permissions/roles.js";
import { everyRole, hasRole } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { AdminRefusal } from "../door/refusals.js";
import { sessionSchema } from "./schemas.js";

/** Who is signed in. The console asks this first. */
export const sessionArea: AdminArea = {
  tag: "Session",
  description: "Who is signed in at the console.",
  async routes(app) {
    app.get(
      "/session",
      {
        config: { access: everyRole, browserOnly: true },
        schema: { summary: "Show who is signed in", response: { 200: sessionSchema } },
      },
      async ({ admin: { allowedRoutes, caller, context, store } }) => {
        if (caller.type !== "user") {
          throw new AdminRefusal("access_denied", "browserOnly");
        }
        const { id, email, name } = caller.user;
        const { installationName, logo } = await store.settings.get();
        return {
          user: { id, email, name },
          roles: roles.filter((role) => hasRole(caller, role)),
          may: [...allowedRoutes()],
          csrfToken: caller.csrfToken,
          installation: { name: installationName, hasLogo: logo !== null },
          issuer: context.config.issuer,
          version: serverVersion,
        };
      },
    );
  },
};
