import {
  changeGroupProvider,
  findGroupProvider,
  removeGroupProvider,
  saveGroupProvider,
} from "../../registry/group-provider.js";
import { notFound, requireVersion } from "../../registry/refusal.js";
import type { KnownGroup, ListedGroupProvider } from "../../store/group-providers.js";
import type { AdminArea } from "../door/area.js";
import type { ChangeReach } from "../door/call.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { probeDirectory } from "../../registry/probes/probe-directory.js";
import { type ComparedScopes, loadScopesOfGroups } from "./reach-of-groups.js";
import {
  createGroupProviderInputs,
  type Group,
  groupListSchema,
  type GroupProvider,
  groupProviderCheckResultSchema,
  groupProviderListSchema,
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

    app.get(
      "/group-providers",
      {
        schema: {
          summary: "List group providers",
          querystring: groupProviderQuerySchema,
          response: { 200: groupProviderListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const { type, enabled } = query;
        const page = await store.groupProviders.list({ ...toPageRequest(query), type, enabled });
        return fromPage(page, { query, show: showGroupProvider });
      },
    );

    app.post(
      "/group-providers",
      {
        config: { preview: true, errors: ["already_exists"] },
        schema: { summary: "Add a group provider", body: create, response: { 201: groupProviderSchema } },
      },
      async ({ body, admin: { change } }) =>
        await change(async (work) => {
          await saveGroupProvider({ before: undefined, after: body }, work);
          return showGroupProvider(await findGroupProvider(work.store, body.key));
        }),
    );

    app.get(
      "/group-providers/:key",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show a group provider",
          params: groupProviderParamsSchema,
          response: { 200: groupProviderSchema },
        },
      },
      async ({ params: { key }, admin: { store } }) => showGroupProvider(await findGroupProvider(store, key)),
    );

    app.patch(
      "/group-providers/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Change a group provider",
          params: groupProviderParamsSchema,
          body: patch,
          response: { 200: groupProviderSchema },
        },
      },
      async ({ params: { key }, body, admin: { change, version } }) =>
        await change(async (work) => {
          const { store } = work;
          requireVersion(showGroupProvider(await findGroupProvider(store, key)), version);
          const before = await store.groupProviders.findByKey(key);
          if (before === undefined) throw notFound("groupProvider", { key });
          await changeGroupProvider({ before, change: body }, work);
          return showGroupProvider(await findGroupProvider(store, key));
        }, reachOfGroupProvider(key)),
    );

    app.delete(
      "/group-providers/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a group provider",
          description: "Refused while assignments name its groups.",
          params: groupProviderParamsSchema,
        },
      },
      async ({ params: { key }, admin: { change, version } }) =>
        await change(async (work) => {
          const found = await findGroupProvider(work.store, key);
          requireVersion(showGroupProvider(found), version);
          await removeGroupProvider(found, work);
        }, reachOfGroupProvider(key)),
    );

    app.post(
      "/group-providers/checks",
      {
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
        schema: {
          summary: "List known groups",
          description:
            "Those that identity providers have named and those that assignments name. `q` finds words by their beginning.",
          querystring: groupQuerySchema,
          response: { 200: groupListSchema },
        },
      },
      async ({ query, admin: { store, now } }) => {
        const { provider } = query;
        const page = await store.groupProviders.listGroups({ ...toPageRequest(query), provider, now });
        return fromPage(page, { query, show: showGroup });
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

function showGroupProvider(provider: ListedGroupProvider): GroupProvider {
  const { key, name, type, identityProvider, url, enabled, assignments, version } = provider;
  return {
    key,
    name,
    type,
    provider: identityProvider,
    url,
    hasSecret: type === "directory",
    enabled,
    assignments,
    createdAt: isoTime(provider.createdAt),
    updatedAt: isoTime(provider.updatedAt),
    version,
  };
}

function showGroup({ key, provider, people, assignments }: KnownGroup): Group {
  return { key, provider, people, assignments };
}
