import { freshAfter } from "../../skills/catalog-state.js";
import { refreshCatalog } from "../../skills/refresh-catalogs.js";
import { administrators, auditorsAndOwners, requireSeenService, seenIds } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { inUse } from "../../registry/refusal.js";
import type { AdminCall } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import {
  type AdminCatalog,
  catalogListSchema,
  catalogParamsSchema,
  catalogQuerySchema,
  catalogSchema,
} from "./schemas.js";
import { loadCatalog, loadPublishingResource, showCatalogSummary } from "./show-catalog.js";

/** The skill catalogs that resources publish. */
export const catalogArea: AdminArea = {
  tag: "Catalogs",
  description: "The copies of the skill catalogs that resources publish.",
  async routes(app) {
    app.get(
      "/catalogs",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List the skill catalogs of resources",
          querystring: catalogQuerySchema,
          response: { 200: catalogListSchema },
        },
      },
      async ({ query, admin: { store, now, caller } }) => {
        const resourceIds = seenIds(caller, "services");
        const request = {
          ...toPageRequest(query),
          states: query.state,
          freshAfter: freshAfter(now),
          resourceIds,
        };
        const page = await store.skillCatalogs.listPage(request);
        return fromPage(page, { query, show: (catalog) => showCatalogSummary(catalog, now) });
      },
    );

    app.get(
      "/catalogs/:resourceKey",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show the last good copy of a catalog",
          params: catalogParamsSchema,
          response: { 200: catalogSchema },
        },
      },
      async ({ params, admin: { store, now, caller } }) => {
        requireSeenService(caller, params.resourceKey);
        return await loadCatalog(await loadPublishingResource(store, params.resourceKey), { store, now });
      },
    );

    app.post(
      "/catalogs/:resourceKey/refreshes",
      {
        config: { access: administrators, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Fetch a catalog now",
          description:
            "Answers when the service has. A service that is away is part of the answer: `state` and `error`.",
          params: catalogParamsSchema,
          response: { 200: catalogSchema },
        },
      },
      async ({ params, admin }) => await refreshNow(params.resourceKey, admin),
    );
  },
};

/**
 * Fetches a catalog now and waits for the end. That the service is away is a result, not an error: the answer says it.
 *
 * @throws {Refusal} `not_found`, `in_use` while a process is fetching it
 */
async function refreshNow(
  resourceKey: string,
  { context, store, change }: Pick<AdminCall, "context" | "store" | "change">,
): Promise<AdminCatalog> {
  const resource = await loadPublishingResource(store, resourceKey);
  if (!(await refreshCatalog(context, resource.id))) {
    throw inUse("catalogBusy", { resource: resourceKey });
  }
  const catalog = await loadCatalog(resource, { store, now: new Date(context.clock()) });
  const { skills, error } = catalog;
  await change(({ audit }) =>
    audit({ type: "catalog.refreshed", data: { resource: resourceKey, skills, failure: error } }),
  );
  return catalog;
}
