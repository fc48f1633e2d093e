import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AreaOptions } from "../door/area.js";
import type { AdminArea } from "../http/route.js";
import { checkDirectory } from "./check-directory.js";
import {
  changeGroupProvider,
  createGroupProvider,
  reachOfGroupProvider,
  removeGroupProvider,
} from "./save-group-provider.js";
import {
  createGroupProviderInputs,
  groupListSchema,
  groupProviderCheckResultSchema,
  groupProviderListSchema,
  groupProviderParamsSchema,
  groupProviderQuerySchema,
  groupProviderSchema,
  groupQuerySchema,
} from "./schemas.js";
import { loadGroupProvider, showGroup, showGroupProvider } from "./show-group-provider.js";

const listGroupProviders = defineRoute({
  method: "GET",
  path: "/group-providers",
  summary: "List group providers",
  query: groupProviderQuerySchema,
  answer: groupProviderListSchema,
  handle: async ({ query }, { store }) => {
    const { type, enabled } = query;
    const page = await store.groupProviders.list({ ...toPageRequest(query), type, enabled });
    return fromPage(page, { query, show: showGroupProvider });
  },
});

const getGroupProvider = defineRoute({
  method: "GET",
  path: "/group-providers/{key}",
  summary: "Show a group provider",
  params: groupProviderParamsSchema,
  answer: groupProviderSchema,
  errors: ["not_found"],
  handle: async ({ params: { key } }, { store }) => await loadGroupProvider(store, key),
});

const deleteGroupProvider = defineRoute({
  method: "DELETE",
  path: "/group-providers/{key}",
  summary: "Remove a group provider",
  description: "Refused while assignments name its groups.",
  ifMatch: true,
  preview: true,
  params: groupProviderParamsSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { key }, version }, { change }) => {
    await change(async (work) => {
      await removeGroupProvider({ key, version }, work);
    }, reachOfGroupProvider(key));
    return undefined;
  },
});

const listGroups = defineRoute({
  method: "GET",
  path: "/groups",
  summary: "List known groups",
  description:
    "Those that identity providers have named and those that assignments name. `q` finds words by their beginning.",
  query: groupQuerySchema,
  answer: groupListSchema,
  handle: async ({ query }, { store, now }) => {
    const { provider } = query;
    const page = await store.groupProviders.listGroups({ ...toPageRequest(query), provider, now });
    return fromPage(page, { query, show: showGroup });
  },
});

/** Where groups come from, and which are known. */
export function groupArea(options: AreaOptions): AdminArea {
  const { create, patch, check } = createGroupProviderInputs(options);
  const postGroupProvider = defineRoute({
    method: "POST",
    path: "/group-providers",
    summary: "Add a group provider",
    status: 201,
    body: create,
    answer: groupProviderSchema,
    errors: ["already_exists"],
    handle: async ({ body }, { change }) =>
      await change(async (work) => await createGroupProvider(body, work)),
  });
  const patchGroupProvider = defineRoute({
    method: "PATCH",
    path: "/group-providers/{key}",
    summary: "Change a group provider",
    ifMatch: true,
    preview: true,
    params: groupProviderParamsSchema,
    body: patch,
    answer: groupProviderSchema,
    errors: ["not_found"],
    handle: async ({ params: { key }, body, version }, { change }) =>
      await change(
        async (work) => await changeGroupProvider({ key, change: body, version }, work),
        reachOfGroupProvider(key),
      ),
  });
  const postCheck = defineRoute({
    method: "POST",
    path: "/group-providers/checks",
    summary: "Ask a directory once",
    description: "Nothing is stored. What went wrong is said in `detail`.",
    body: check,
    answer: groupProviderCheckResultSchema,
    handle: async ({ body }, { store, texts, context: { credentials, outboundFetch } }) =>
      await checkDirectory(body, { store, credentials, outboundFetch, texts }),
  });
  return {
    tag: "Groups",
    description: "Where groups come from, and which groups are known.",
    routes: [
      listGroupProviders,
      postGroupProvider,
      getGroupProvider,
      patchGroupProvider,
      deleteGroupProvider,
      postCheck,
      listGroups,
    ],
  };
}
