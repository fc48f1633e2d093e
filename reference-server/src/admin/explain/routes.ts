import { everyRole } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { explainToAdministrator } from "./explain-to-administrator.js";
import { explainQuerySchema, explanationSchema } from "./schemas.js";

/** Why a person may or may not do something. */
export const explainArea: AdminArea = {
  tag: "Explain",
  description: "Why somebody may or may not do something, and what would change it.",
  async routes(app) {
    app.get(
      "/explain",
      {
        config: { access: everyRole },
        schema: {
          summary: "Explain what somebody may do",
          description: "Asks what an issuance asks, directories included, and issues nothing.",
          querystring: explainQuerySchema,
          response: { 200: explanationSchema },
        },
      },
      async ({ query: { email, resource, scope }, admin: { context } }) =>
        await explainToAdministrator({ email, resource, scopes: scope }, context),
    );
  },
};
