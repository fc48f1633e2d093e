import { requireVersion } from "../../registry/refusal.js";
import { findResource, removeResource, saveResource } from "../../registry/resource.js";
import { given } from "../../registry/work.js";
import type { ListedResource } from "../../store/resources.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { probeService } from "../../registry/probes/probe-service.js";
import {
  changeResourceSchema,
  createResourceSchema,
  inspectionRequestSchema,
  inspectionSchema,
  type Resource,
  resourceListSchema,
  resourceParamsSchema,
  resourceQuerySchema,
  resourceSchema,
} from "./schemas.js";

/** Services that are protected. */
export const resourceArea: AdminArea = {
  tag: "Resources",
  description: "Registered services: what assertions are issued for, and where clients may send requests.",
  async routes(app, options) {
    app.get(
      "/resources",
      {
        schema: {
          summary: "List resources",
          querystring: resourceQuerySchema,
          response: { 200: resourceListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const { enabled, scope } = query;
        const page = await store.resources.list({ ...toPageRequest(query), enabled, scope });
        return fromPage(page, { query, show: showResource });
      },
    );

    app.post(
      "/resources",
      {
        config: { preview: true, errors: ["already_exists"] },
        schema: {
          summary: "Register a resource",
          body: createResourceSchema(options),
          response: { 201: resourceSchema },
        },
      },
      async ({ body, admin: { change } }) =>
        await change(
          async (work) => {
            await saveResource({ before: undefined, after: body }, work);
            return showResource(await findResource(work.store, body.key));
          },
          { resource: body.key },
        ),
    );

    app.post(
      "/resources/inspections",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Look at a service before it is registered, or again",
          description:
            "Asks the service what it publishes, and says what is missing. Stores nothing. With `key` it is compared with what is registered.",
          body: inspectionRequestSchema(options),
          response: { 200: inspectionSchema },
        },
      },
      async ({ body, admin: { context, now, say } }) => await probeService(body, { context, now, say }),
    );

    app.get(
      "/resources/:key",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show a resource",
          params: resourceParamsSchema,
          response: { 200: resourceSchema },
        },
      },
      async ({ params, admin: { store } }) => showResource(await findResource(store, params.key)),
    );

    app.patch(
      "/resources/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "already_exists", "in_use"] },
        schema: {
          summary: "Change a resource",
          description:
            "What is absent stays as it is. A preview says who can use which scope there afterwards.",
          params: resourceParamsSchema,
          body: changeResourceSchema(options),
          response: { 200: resourceSchema },
        },
      },
      async ({ params: { key }, body, admin: { change, version } }) =>
        await change(
          async (work) => {
            const found = await findResource(work.store, key);
            requireVersion(showResource(found), version);
            const { createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...before } = found;
            await saveResource({ before, after: { ...before, ...given(body) } }, work);
            return showResource(await findResource(work.store, key));
          },
          { resource: key },
        ),
    );

    app.delete(
      "/resources/:key",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a resource",
          description: "Nothing is issued for it from then on. Assignments of its scopes stay.",
          params: resourceParamsSchema,
        },
      },
      async ({ params: { key }, admin: { change, version } }) =>
        await change(
          async (work) => {
            const found = await findResource(work.store, key);
            requireVersion(showResource(found), version);
            await removeResource(found, work);
          },
          { resource: key },
        ),
    );
  },
};

function showResource(resource: ListedResource): Resource {
  const {
    id: _id,
    createdAt,
    updatedAt,
    requestPrefixes,
    requestHeaders,
    supportedScopes,
    ...rest
  } = resource;
  return {
    ...rest,
    requestPrefixes: [...requestPrefixes],
    requestHeaders: [...requestHeaders],
    supportedScopes: [...supportedScopes],
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}
