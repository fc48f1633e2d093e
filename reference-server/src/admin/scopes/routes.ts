import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../door/area.js";
import { changeScope } from "./change-scope.js";
import { createScope } from "./create-scope.js";
import { removeScope } from "./remove-scope.js";
import {
  changeScopeSchema,
  createScopeSchema,
  scopeListSchema,
  scopeParamsSchema,
  scopeQuerySchema,
  scopeSchema,
} from "./schemas.js";
import { loadScope, showScope } from "./show-scope.js";

/** Permissions that can be assigned. */
export const scopeArea: AdminArea = {
  tag: "Scopes",
  description: "Permissions that services know and that can be assigned: `namespace:permission`.",
  async routes(app) {
    app.get(
      "/scopes",
      {
        schema: {
          summary: "List scopes",
          querystring: scopeQuerySchema,
          response: { 200: scopeListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.scopeLists.list({ ...toPageRequest(query), system: query.system });
        return fromPage(page, { query, show: showScope });
      },
    );

    app.post(
      "/scopes",
      {
        config: { errors: ["already_exists"] },
        schema: { summary: "Create a scope", body: createScopeSchema, response: { 201: scopeSchema } },
      },
      async ({ body, admin: { change } }) => await change(async (work) => await createScope(body, work)),
    );

    app.get(
      "/scopes/:key",
      {
        config: { errors: ["not_found"] },
        schema: { summary: "Show a scope", params: scopeParamsSchema, response: { 200: scopeSchema } },
      },
      async ({ params, admin: { store } }) => await loadScope(store, params.key),
    );

    app.patch(
      "/scopes/:key",
      {
        config: { ifMatch: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Change the description of a scope",
          params: scopeParamsSchema,
          body: changeScopeSchema,
          response: { 200: scopeSchema },
        },
      },
      async ({ params: { key }, body, admin: { change, version } }) =>
        await change(async (work) => await changeScope({ key, change: body, version }, work)),
    );

    app.delete(
      "/scopes/:key",
      {
        config: { ifMatch: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a scope",
          description: "Refused while anything uses it; the answer says what.",
          params: scopeParamsSchema,
        },
      },
      async ({ params: { key }, admin: { change, version } }) =>
        await change(async (work) => await removeScope({ key, version }, work)),
    );
  },
};
