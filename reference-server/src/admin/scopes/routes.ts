import { scopeRules } from "../../objects/scope.js";
import type { ListedScope } from "../../store/scopes.js";
import { findScope, removeScope, requireOrdinary, saveScope } from "../../registry/scope.js";
import { auditorsAndOwners, decides, ownedOnly, requireSeenScope } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { Caller } from "../door/call.js";
import { note } from "../door/note.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import {
  changeScopeSchema,
  type Scope,
  scopeParamsSchema,
  scopeQuerySchema,
  scopeSchema,
} from "./schemas.js";

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
      find: async (key: string, { store, caller }: Reading) => {
        requireSeenScope(caller, key);
        return await findScope(store, key);
      },
      show: (items, { caller }) => items.map((scope) => showScope(scope, caller)),
      requireChangeable: requireOrdinary,
      list: {
        summary: "List scopes",
        query: scopeQuerySchema,
        load: async (request, { system }, { store, caller }) =>
          await store.scopes.list({ ...request, system, keys: ownedOnly(caller)?.scopes }),
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

/** An owner reads which of their own services know the scope, and not which others. */
function showScope(scope: ListedScope, caller: Caller): Scope {
  const owned = ownedOnly(caller)?.services.map(({ key }) => key);
  const resources = scope.resources.filter((key) => owned?.includes(key) ?? true);
  return showAs(scopeSchema)({ ...scope, resources, decidable: decides(caller, scope.key) });
}
