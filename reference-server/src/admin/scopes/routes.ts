import { requireVersion } from "../../registry/refusal.js";
import { findScope, removeScope, requireOrdinary, saveScope } from "../../registry/scope.js";
import type { ListedScope } from "../../store/scopes.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import type { AdminArea } from "../door/area.js";
import { note } from "../door/note.js";
import {
  changeScopeSchema,
  createScopeSchema,
  type Scope,
  scopeListSchema,
  scopeParamsSchema,
  scopeQuerySchema,
  scopeSchema,
} from "./schemas.js";

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
        const page = await store.scopes.list({ ...toPageRequest(query), system: query.system });
        return fromPage(page, { query, show: showScope });
      },
    );

    app.post(
      "/scopes",
      {
        config: { preview: true, errors: ["already_exists"] },
        schema: { summary: "Create a scope", body: createScopeSchema, response: { 201: scopeSchema } },
      },
      async ({ body, admin: { change } }) =>
        await change(
          async (work) => {
            await saveScope({ before: undefined, after: body }, work);
            return showScope(await findScope(work.store, body.key));
          },
          { scopes: [body.key], notes: async () => [note("scopeNew", {})] },
        ),
    );

    app.get(
      "/scopes/:key",
      {
        config: { errors: ["not_found"] },
        schema: { summary: "Show a scope", params: scopeParamsSchema, response: { 200: scopeSchema } },
      },
      async ({ params, admin: { store } }) => showScope(await findScope(store, params.key)),
    );

    app.patch(
      "/scopes/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Change the description of a scope",
          params: scopeParamsSchema,
          body: changeScopeSchema,
          response: { 200: scopeSchema },
        },
      },
      async ({ params: { key }, body, admin: { change, now, version } }) =>
        await change(
          async (work) => {
            const before = await findScope(work.store, key);
            requireOrdinary(before);
            requireVersion(showScope(before), version);
            await saveScope({ before, after: { key, ...body } }, work);
            return showScope(await findScope(work.store, key));
          },
          {
            notes: async ({ accessLists }) => {
              const people = await accessLists.count({ scopes: [key], match: "any", now });
              return [note("scopeWords", { people })];
            },
          },
        ),
    );

    app.delete(
      "/scopes/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a scope",
          description: "Refused while anything uses it; the answer says what.",
          params: scopeParamsSchema,
        },
      },
      async ({ params: { key }, admin: { change, version } }) =>
        await change(
          async (work) => {
            const found = await findScope(work.store, key);
            requireOrdinary(found);
            requireVersion(showScope(found), version);
            await removeScope(found, work);
          },
          { scopes: [key] },
        ),
    );
  },
};

function showScope({ createdAt, updatedAt, resources, ...scope }: ListedScope): Scope {
  return {
    ...scope,
    resources: [...resources],
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}
