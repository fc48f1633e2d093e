import { serverVersion } from "../../platform/http/server-version.js";
import { AdminError } from "../http/admin-error.js";
import { defineRoute } from "../http/define-route.js";
import type { AdminArea } from "../http/route.js";
import { sessionSchema } from "./schemas.js";

/** Who is signed in. The console asks this first. */
export function sessionArea(): AdminArea {
  return {
    tag: "Session",
    description: "Who is signed in at the console.",
    routes: [
      defineRoute({
        method: "GET",
        path: "/session",
        summary: "Show who is signed in",
        browserOnly: true,
        answer: sessionSchema,
        handle: async (_input, { caller, context, store }) => {
          if (caller.type !== "user")
            throw new AdminError("access_denied", ({ refusals }) => refusals.browserOnly);
          const { id, email, name } = caller.user;
          const { installationName, logo } = await store.settings.get();
          return {
            user: { id, email, name },
            csrfToken: caller.csrfToken,
            installation: { name: installationName, hasLogo: logo !== null },
            issuer: context.config.issuer,
            version: serverVersion,
          };
        },
      }),
    ],
  };
}
