import { findClient } from "../../registry/client.js";
import { findConnector } from "../../registry/connector.js";
import { findResource } from "../../registry/resource.js";
import { findScope } from "../../registry/scope.js";
import { loginScope } from "../../store/system-scopes.js";
import {
  auditors,
  auditorsAndOwners,
  requireSeenConnector,
  requireSeenScope,
  requireSeenService,
} from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { loadAccess } from "./load-access.js";
import {
  accessListSchema,
  accessParamsSchema,
  accessQuerySchema,
  appUserListSchema,
  appUsersQuerySchema,
  clientAccessParamsSchema,
  scopeAccessParamsSchema,
} from "./schemas.js";

/** Who can use something now, and which assignments say so. */
export const accessArea: AdminArea = {
  tag: "Access",
  description: "Who has access to a service, a connector or a permission now, and why; and who uses an app.",
  async routes(app) {
    app.get(
      "/resources/:key/people",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show who can use a resource now, and why",
          description: "Everybody who has one of its scopes; nobody while it is disabled.",
          params: accessParamsSchema,
          querystring: accessQuerySchema,
          response: { 200: accessListSchema },
        },
      },
      async ({ params, query, admin: { store, now, caller } }) => {
        requireSeenService(caller, params.key);
        const { enabled, supportedScopes } = await findResource(store, params.key);
        return await loadAccess(
          { scopes: enabled ? supportedScopes : [], match: "any" },
          { query, store, now },
        );
      },
    );

    app.get(
      "/connectors/:key/people",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show who can use a connector now, and why",
          description:
            "Everybody who has all of its required scopes, or `authz:login` when it requires none; nobody while it is disabled. An account of their own at the third party they connect themselves.",
          params: accessParamsSchema,
          querystring: accessQuerySchema,
          response: { 200: accessListSchema },
        },
      },
      async ({ params, query, admin: { store, now, caller } }) => {
        requireSeenConnector(caller, params.key);
        const { enabled, requiredScopes } = await findConnector(store, params.key);
        const needed = requiredScopes.length === 0 ? [loginScope] : requiredScopes;
        return await loadAccess({ scopes: enabled ? needed : [], match: "every" }, { query, store, now });
      },
    );

    app.get(
      "/scopes/:key/people",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show who has a scope now, and why",
          params: scopeAccessParamsSchema,
          querystring: accessQuerySchema,
          response: { 200: accessListSchema },
        },
      },
      async ({ params, query, admin: { store, now, caller } }) => {
        requireSeenScope(caller, params.key);
        const { key } = await findScope(store, params.key);
        return await loadAccess({ scopes: [key], match: "any" }, { query, store, now });
      },
    );

    app.get(
      "/clients/:id/people",
      {
        config: { access: auditors, errors: ["not_found"] },
        schema: {
          summary: "Show for whom a client can act now",
          description: "Everybody who is signed in with it. Nobody is signed in with a machine.",
          params: clientAccessParamsSchema,
          querystring: appUsersQuerySchema,
          response: { 200: appUserListSchema },
        },
      },
      async ({ params: { id }, query, admin: { store, now } }) => {
        await findClient(store, id, now);
        const [people, page] = await Promise.all([
          store.grants.countPeople({ clientId: id, now }),
          store.grants.listPeople({ ...toPageRequest(query), clientId: id, now }),
        ]);
        return {
          ...fromPage(page, {
            query,
            show: ({ since, services, ...person }) => ({
              ...person,
              services: [...services],
              since: isoTime(since),
            }),
          }),
          people,
        };
      },
    );
  },
};
