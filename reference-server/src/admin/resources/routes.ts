import { changeOf } from "../../objects/object.js";
import { resourceRules } from "../../objects/resource.js";
import { probeService } from "../../registry/probes/probe-service.js";
import { findResource, removeResource, saveResource } from "../../registry/resource.js";
import { given } from "../../registry/work.js";
import { administrators, auditorsAndOwners, requireSeenService, seenIds } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import {
  inspectionRequestSchema,
  inspectionSchema,
  resourceParamsSchema,
  resourceQuerySchema,
  resourceSchema,
} from "./schemas.js";

/** Services that are protected. */
export const resourceArea: AdminArea = {
  tag: "Resources",
  description: "Registered services: what assertions are issued for, and where clients may send requests.",
  async routes(app, options) {
    addObjectRoutes(app, {
      path: "/resources",
      access: auditorsAndOwners,
      params: resourceParamsSchema,
      shown: resourceSchema,
      find: async (key: string, { store, caller }: Reading) => {
        requireSeenService(caller, key);
        return await findResource(store, key);
      },
      show: (items) => items.map(showAs(resourceSchema)),
      list: {
        summary: "List resources",
        query: resourceQuerySchema,
        load: async (request, { enabled, scope }, { store, caller }) =>
          await store.resources.list({ ...request, enabled, scope, ids: seenIds(caller, "services") }),
      },
      create: {
        summary: "Register a resource",
        body: resourceRules(options),
        idOf: ({ key }) => key,
        save: (after) => async (work) => await saveResource({ before: undefined, after }, work),
        reach: ({ key }) => ({ resource: key }),
      },
      read: { summary: "Show a resource" },
      change: {
        summary: "Change a resource",
        description:
          "What is absent stays as it is. A preview says who can use which scope there afterwards.",
        errors: ["already_exists", "in_use"],
        body: changeOf(resourceRules(options), "key"),
        save: (change) => async (found, work) => {
          const { createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...before } = found;
          await saveResource({ before, after: { ...before, ...given(change) } }, work);
        },
        reach: (key) => ({ resource: key }),
      },
      remove: {
        summary: "Remove a resource",
        description: "Nothing is issued for it from then on. Assignments of its scopes stay.",
        errors: ["in_use"],
        run: removeResource,
        reach: (key) => ({ resource: key }),
      },
    });

    app.post(
      "/resources/inspections",
      {
        config: { access: administrators, errors: ["not_found"] },
        schema: {
          summary: "Look at a service before it is registered, or again",
          description:
            "Asks the service what it publishes, and says what is missing. Stores nothing. With `key` it is compared with what is registered.",
          body: inspectionRequestSchema(options),
          response: { 200: inspectionSchema },
        },
      },
      async ({ body, admin: { context, now, say } }) =>
        showAs(inspectionSchema)(await probeService(body, { context, now, say })),
    );
  },
};
