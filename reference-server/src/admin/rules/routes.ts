import { findConnector } from "../../registry/connector.js";
import { findResource } from "../../registry/resource.js";
import { administrators } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { ruleParamsSchema, ruleTrialRequestSchema, ruleTrialSchema } from "./schemas.js";
import { tryRules } from "./try-rules.js";

const route = {
  config: { access: administrators, errors: ["not_found"] },
  schema: {
    description:
      "Replays the last calls from the audit trail and stores nothing. Paths are known as shapes only, and bodies are not kept, so what depends on them is counted as `unclear`.",
    params: ruleParamsSchema,
    body: ruleTrialRequestSchema,
    response: { 200: ruleTrialSchema },
  },
} as const;

/** Rules for calls of agents, before they are saved. They are members of the service or connector. */
export const ruleArea: AdminArea = {
  tag: "Rules",
  description: "What rules for calls of agents would have said of calls in the past.",
  async routes(app) {
    app.post(
      "/resources/:key/rules/trials",
      { ...route, schema: { ...route.schema, summary: "Try rules of a resource on its last calls" } },
      async ({ params, body, admin: { store } }) => {
        const { key, resource, rules } = await findResource(store, params.key);
        return await tryRules(body.rules ?? rules, { service: { key, resource } }, store);
      },
    );

    app.post(
      "/connectors/:key/rules/trials",
      { ...route, schema: { ...route.schema, summary: "Try rules of a connector on its last calls" } },
      async ({ params, body, admin: { store } }) => {
        const { key, rules } = await findConnector(store, params.key);
        return await tryRules(body.rules ?? rules, { connector: key }, store);
      },
    );
  },
};
