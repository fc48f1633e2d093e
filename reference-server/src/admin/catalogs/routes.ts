import { freshAfter } from "../../skills/catalog-state.js";
import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { refreshNow } from "./refresh.js";
import { catalogListSchema, catalogParamsSchema, catalogQuerySchema, catalogSchema } from "./schemas.js";
import { loadCatalog, loadPublishingResource, showCatalogSummary } from "./show-catalog.js";

const listCatalogs = defineRoute({
  method: "GET",
  path: "/catalogs",
  summary: "List the skill catalogs of resources",
  query: catalogQuerySchema,
  answer: catalogListSchema,
  handle: async ({ query }, { store, now }) => {
    const request = { ...toPageRequest(query), states: query.state, freshAfter: freshAfter(now) };
    const page = await store.skillCatalogs.listPage(request);
    return fromPage(page, { query, show: (catalog) => showCatalogSummary(catalog, now) });
  },
});

const getCatalog = defineRoute({
  method: "GET",
  path: "/catalogs/{resourceKey}",
  summary: "Show the last good copy of a catalog",
  params: catalogParamsSchema,
  answer: catalogSchema,
  errors: ["not_found"],
  handle: async ({ params }, { store, now }) =>
    await loadCatalog(await loadPublishingResource(store, params.resourceKey), { store, now }),
});

const postRefresh = defineRoute({
  method: "POST",
  path: "/catalogs/{resourceKey}/refreshes",
  summary: "Fetch a catalog now",
  description:
    "Answers when the service has. A service that is away is part of the answer: `state` and `error`.",
  params: catalogParamsSchema,
  answer: catalogSchema,
  errors: ["not_found", "in_use"],
  handle: ({ params }, call) => refreshNow(params.resourceKey, call),
});

/** The skill catalogs that resources publish. */
export function catalogArea(): AdminArea {
  return {
    tag: "Catalogs",
    description: "The copies of the skill catalogs that resources publish.",
    routes: [listCatalogs, getCatalog, postRefresh],
  };
}
