import { scopeRules } from "../../objects/scope.js";
import { findScope, removeScope, requireOrdinary, saveScope } from "../../registry/scope.js";
import { auditorsAndOwners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { note } from "../door/note.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import { changeScopeSchema, scopeParamsSchema, scopeQuerySchema, scopeSchema } from "./schemas.js";

/** Permissions that can be assigned. */
export const scopeArea: AdminArea = {
  tag: "Scopes",
  description: "Permissions that services know and that can be assigned: `namespace:permission`.",
  async routes(app) {
    addObjectRoutes(app, {
      path: "/scopes",
      access: auditorsAndOwners,
      params: scopeParamsSchema,
      shown: scopeSchema,
      find: async (key: string, { store }: Reading) => await findScope(store, key),
      show: (items) => items.map(showAs(scopeSchema)),
      requireChangeable: requireOrdinary,
      list: {
        summary: "List scopes",
        query: scopeQuerySchema,
        load: async (request, { system }, { store }) => await store.scopes.list({ ...request, system }),
      },
      create: {
        summary: "Create a scope",
        body: scopeRules,
        idOf: ({ key }) => key,
        save: (after) => async (work) => await saveScope({ before: undefined, after }, work),
        reach: ({ key }) => ({ scopes: [key], notes: async () => [note("scopeNew", {})] }),
      },
      read: { summary: "Show a scope" },
      change: {
        summary: "Change the description of a scope",
        errors: ["in_use"],
        body: changeScopeSchema,
        save: (change) => async (before, work) =>
          await saveScope({ before, after: { key: before.key, ...change } }, work),
        reach: (key, { now }) => ({
          notes: async ({ accessLists }) => {
            const people = await accessLists.count({ scopes: [key], match: "any", now });
            return [note("scopeWords", { people })];
          },
        }),
      },
      remove: {
        summary: "Remove a scope",
        description: "Refused while anything uses it; the answer says what.",
        errors: ["in_use"],
        run: removeScope,
        reach: (key) => ({ scopes: [key] }),
      },
    });
  },
};
