import { defineRoute } from "../http/define-route.js";
import type { AdminArea } from "../http/route.js";
import { explainToAdministrator } from "./explain-to-administrator.js";
import { explainQuerySchema, explanationSchema } from "./schemas.js";

/** Why somebody may or may not do something. */
export function explainArea(): AdminArea {
  return {
    tag: "Explain",
    description: "Why somebody may or may not do something, and what would change it.",
    routes: [
      defineRoute({
        method: "GET",
        path: "/explain",
        summary: "Explain what somebody may do",
        description: "Asks what an issuance asks, directories included, and issues nothing.",
        query: explainQuerySchema,
        answer: explanationSchema,
        handle: async ({ query: { email, resource, scope } }, { context }) =>
          await explainToAdministrator({ email, resource, scopes: scope }, context),
      }),
    ],
  };
}
