import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
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

const listScopes = defineRoute({
  method: "GET",
  path: "/scopes",
  summary: "List scopes",
  query: scopeQuerySchema,
  answer: scopeListSchema,
  handle: async ({ query }, { store }) => {
    const page = await store.scopes.list({ ...toPageRequest(query), system: query.system });
    return fromPage(page, { query, show: showScope });
  },
});

const postScope = defineRoute({
  method: "POST",
  path: "/scopes",
  summary: "Create a scope",
  status: 201,
  body: createScopeSchema,
  answer: scopeSchema,
  errors: ["already_exists"],
  handle: async ({ body }, { change }) => await change(async (work) => await createScope(body, work)),
});

const getScope = defineRoute({
  method: "GET",
  path: "/scopes/{key}",
  summary: "Show a scope",
  params: scopeParamsSchema,
  answer: scopeSchema,
  errors: ["not_found"],
  handle: async ({ params }, { store }) => await loadScope(store, params.key),
});

const patchScope = defineRoute({
  method: "PATCH",
  path: "/scopes/{key}",
  summary: "Change the description of a scope",
  ifMatch: true,
  params: scopeParamsSchema,
  body: changeScopeSchema,
  answer: scopeSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { key }, body, version }, { change }) =>
    await change(async (work) => await changeScope({ key, change: body, version }, work)),
});

const deleteScope = defineRoute({
  method: "DELETE",
  path: "/scopes/{key}",
  summary: "Remove a scope",
  description: "Refused while anything uses it; the answer says what.",
  ifMatch: true,
  params: scopeParamsSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { key }, version }, { change }) =>
    await change(async (work) => await removeScope({ key, version }, work)),
});

/** Permissions that can be assigned. */
export function scopeArea(): AdminArea {
  return {
    tag: "Scopes",
    description: "Permissions that services know and that can be assigned: `namespace:permission`.",
    routes: [listScopes, postScope, getScope, patchScope, deleteScope],
  };
}
