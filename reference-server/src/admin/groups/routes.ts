import {
  changeGroupProvider,
  findGroupProvider,
  removeGroupProvider,
  saveGroupProvider,
} from "../../registry/group-provider.js";
import { notFound } from "../../registry/refusal.js";
import type { ListedGroupProvider } from "../../store/group-providers.js";
import { administrators, auditors, auditorsAndOwners, ownedOnly } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { ChangeReach } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import { probeDirectory } from "../../registry/probes/probe-directory.js";
import { type ComparedScopes, loadScopesOfGroups } from "./reach-of-groups.js";
import {
  createGroupProviderInputs,
  groupSchema,
  groupListSchema,
  groupProviderCheckResultSchema,
  groupProviderParamsSchema,
  groupProviderQuerySchema,
  groupProviderSchema,
  groupQuerySchema,
} from "./schemas.js";

/** Where groups come from, and which are known. */
export const groupArea: AdminArea = {
  tag: "Groups",
  description: "Where groups come from, and which groups are known.",
  async routes(app, options) {
    const { create, patch, check } = createGroupProviderInputs(options);

    addObjectRoutes(app, {
      path: "/group-providers",
      access: auditors,
      params: groupProviderParamsSchema,
      shown: groupProviderSchema,
      find: async (key: string, { store }: Reading) => await findGroupProvider(store, key),
      show: (items) => items.map(showGroupProvider),
      list: {
        summary: "List group providers",
        query: groupProviderQuerySchema,
        load: async (request, { type, enabled }, { store }) =>
          await store.groupProviders.list({ ...request, type, enabled }),
      },
      create: {
        summary: "Add a group provider",
        body: create,
        idOf: ({ key }) => key,
        save: (after) => async (work) => await saveGroupProvider({ before: undefined, after }, work),
        // A new provider has no groups yet, so its preview is empty.
        reach: () => ({}),
      },
      read: { summary: "Show a group provider" },
      change: {
        summary: "Change a group provider",
        body: patch,
        save:
          (change) =>
          async ({ key }, work) => {
            const before = await work.store.groupProviders.findByKey(key);
            if (before === undefined) throw notFound("groupProvider", { key });
            await changeGroupProvider({ before, change }, work);
          },
        reach: reachOfGroupProvider,
      },
      remove: {
        summary: "Remove a group provider",
        description: "Refused while assignments name its groups.",
        errors: ["in_use"],
        run: removeGroupProvider,
        reach: reachOfGroupProvider,
      },
    });

    app.post(
      "/group-providers/checks",
      {
        config: { access: administrators },
        schema: {
          summary: "Ask a directory once",
          description: "Nothing is stored. `detail` says what went wrong.",
          body: check,
          response: { 200: groupProviderCheckResultSchema },
        },
      },
      async ({ body, admin: { store, say, context } }) => {
        const { credentials, outboundFetch } = context;
        return await probeDirectory(body, { store, credentials, outboundFetch, say });
      },
    );

    app.get(
      "/groups",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List known groups",
          description:
            "Those that identity providers have named and those that assignments name. `q` finds words by their beginning.",
          querystring: groupQuerySchema,
          response: { 200: groupListSchema },
        },
      },
      async ({ query, admin: { store, now, caller } }) => {
        const { provider } = query;
        const page = await store.groupProviders.listGroups({ ...toPageRequest(query), provider, now });
        // An owner names groups, and has no business with what else they have.
        const none = { assignments: 0, roleScopes: [] };
        const ownOnly = ownedOnly(caller) !== undefined;
        return fromPage(page, {
          query,
          show: (group) => showAs(groupSchema)(ownOnly ? { ...group, ...none } : group),
        });
      },
    );
  },
};

/** The scopes that people have by groups of a provider. */
function reachOfGroupProvider(key: string): ChangeReach {
  let compared: ComparedScopes = { scopes: [], notes: [] };
  return {
    scopes: async (store) => {
      const found = await store.groupProviders.findByKey(key);
      if (found !== undefined) compared = await loadScopesOfGroups(store, found.id);
      return compared.scopes;
    },
    notes: async () => compared.notes,
  };
}

function showGroupProvider(provider: ListedGroupProvider) {
  const { identityProvider, type } = provider;
  return showAs(groupProviderSchema)({
    ...provider,
    provider: identityProvider,
    hasSecret: type === "directory",
  });
}
