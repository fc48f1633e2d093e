import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AreaOptions } from "../door/area.js";
import type { AdminArea, AdminRoute } from "../http/route.js";
import { inspectService } from "./inspect-service.js";
import { removeResource } from "./remove-resource.js";
import { changeResource, createResource } from "./save-resource.js";
import {
  changeResourceSchema,
  createResourceSchema,
  inspectionRequestSchema,
  inspectionSchema,
  resourceListSchema,
  resourceParamsSchema,
  resourceQuerySchema,
  resourceSchema,
} from "./schemas.js";
import { findResource, showResource } from "./show-resource.js";

const listResources = defineRoute({
  method: "GET",
  path: "/resources",
  summary: "List resources",
  query: resourceQuerySchema,
  answer: resourceListSchema,
  handle: async ({ query }, { store }) => {
    const { enabled, scope } = query;
    const page = await store.resourceLists.list({ ...toPageRequest(query), enabled, scope });
    return fromPage(page, { query, show: showResource });
  },
});

const getResource = defineRoute({
  method: "GET",
  path: "/resources/{key}",
  summary: "Show a resource",
  params: resourceParamsSchema,
  answer: resourceSchema,
  errors: ["not_found"],
  handle: async ({ params }, { store }) => showResource(await findResource(store, params.key)),
});

const deleteResource = defineRoute({
  method: "DELETE",
  path: "/resources/{key}",
  summary: "Remove a resource",
  description: "Nothing is issued for it from then on. Assignments of its scopes stay.",
  ifMatch: true,
  preview: true,
  params: resourceParamsSchema,
  errors: ["not_found"],
  handle: async ({ params: { key }, version }, { change }) =>
    await change(async (work) => await removeResource({ key, version }, work), { resource: key }),
});

function postResource(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "POST",
    path: "/resources",
    summary: "Register a resource",
    status: 201,
    preview: true,
    body: createResourceSchema(options),
    answer: resourceSchema,
    errors: ["already_exists"],
    handle: async ({ body }, { change }) =>
      await change(async (work) => await createResource(body, work), { resource: body.key }),
  });
}

function patchResource(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "PATCH",
    path: "/resources/{key}",
    summary: "Change a resource",
    description: "What is absent stays as it is. A preview says who can use which scope there afterwards.",
    ifMatch: true,
    preview: true,
    params: resourceParamsSchema,
    body: changeResourceSchema(options),
    answer: resourceSchema,
    errors: ["not_found", "already_exists"],
    handle: async ({ params: { key }, body, version }, { change }) =>
      await change(async (work) => await changeResource({ key, change: body, version }, work), {
        resource: key,
      }),
  });
}

function postInspection(options: AreaOptions): AdminRoute {
  return defineRoute({
    method: "POST",
    path: "/resources/inspections",
    summary: "Look at a service before it is registered, or again",
    description:
      "Asks the service what it publishes, and says what is missing. Stores nothing. With `key` it is compared with what is registered.",
    body: inspectionRequestSchema(options),
    answer: inspectionSchema,
    errors: ["not_found"],
    handle: async ({ body }, { context, now, texts }) => await inspectService(body, { context, now, texts }),
  });
}

/** Services that are protected. */
export function resourceArea(options: AreaOptions): AdminArea {
  return {
    tag: "Resources",
    description: "Registered services: what assertions are issued for, and where clients may send requests.",
    routes: [
      listResources,
      postResource(options),
      postInspection(options),
      getResource,
      patchResource(options),
      deleteResource,
    ],
  };
}
