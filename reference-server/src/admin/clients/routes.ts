import { check, fault, faultMessage } from "../../objects/check.js";
import {
  type ClientRegistration,
  clientRegistrationSchema,
  findClient,
  removeClient,
  saveClient,
  toLimits,
} from "../../registry/client.js";
import { inUse, requireNone } from "../../registry/refusal.js";
import { given } from "../../registry/work.js";
import { revokeGrants } from "../../lifecycle/revoke.js";
import type { ListedClient } from "../../store/clients.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { note } from "../door/note.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { reachOfClient } from "./client-notes.js";
import {
  clientParamsSchema,
  type ClientPatch,
  clientPatchSchema,
  clientQuerySchema,
  clientSchema,
  clientSignOutSchema,
  clientUsageSchema,
} from "./schemas.js";
import { loadUsage, showClient } from "./show-client.js";

/** Programs that get tokens here. */
export const clientArea: AdminArea = {
  tag: "Clients",
  description: "Programs that get tokens here: for people, or as machines for themselves.",
  async routes(app) {
    addObjectRoutes(app, {
      path: "/clients",
      access: auditors,
      params: clientParamsSchema,
      shown: clientSchema,
      find: async (id: string, { store, now }: Reading) => await findClient(store, id, now),
      show: (items) => items.map(showClient),
      requireChangeable: ({ id, builtIn }) => {
        if (builtIn) throw inUse("builtInClient", { id });
      },
      list: {
        summary: "List clients",
        description: "`q` finds words of the id and the name by their beginning.",
        query: clientQuerySchema,
        load: async (request, { type, source, enabled }, { store, now }) =>
          await store.clients.list({ ...request, type, source, enabled, now }),
      },
      create: {
        summary: "Register a client",
        description: "`type` decides which members it has; the rules are those of the registry file.",
        body: clientRegistrationSchema,
        idOf: ({ client }) => client.id,
        save: (after) => async (work) => await saveClient({ before: undefined, after }, work),
        reach: ({ client }, { now }) => reachOfClient(client.id, now),
      },
      read: { summary: "Show a client" },
      change: {
        summary: "Change a client",
        description:
          "What is given replaces what was there: to replace a key, send the old and the new one first, then the new one. Of a client that nobody registered here, only `ceiling` and `enabled` can be changed: the rest is what it says about itself.",
        errors: ["in_use"],
        body: clientPatchSchema,
        save: (change) => async (before, work) =>
          await saveClient({ before, after: mergeClient(before, change) }, work),
        reach: (id, { now }) => reachOfClient(id, now),
      },
      remove: {
        summary: "Remove a client",
        description:
          "Refused while people are signed in with it. One with a metadata document comes back with the next request that names it, as long as its host may: disable it, or stop allowing the host.",
        errors: ["in_use"],
        run: removeClient,
        reach: (id, { now }) => reachOfClient(id, now),
      },
    });

    app.post(
      "/clients/:id/sign-outs",
      {
        config: { access: administrators, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Sign a client out everywhere",
          description: "Ends everything that people have allowed it. They can allow it again.",
          params: clientParamsSchema,
          response: { 200: clientSignOutSchema },
        },
      },
      async ({ params: { id }, admin: { change, now, actor, requestId } }) => {
        let ended = { grants: 0, people: 0 };
        return await change(
          async (work) => {
            await findClient(work.store, id, now);
            const reason = "revoked_by_administrator";
            const { grants, people } = await revokeGrants(
              { clientId: id, reason },
              { ...work, actor, requestId },
            );
            ended = { grants, people };
            return ended;
          },
          { notes: async () => (ended.grants === 0 ? [] : [note("appsEnd", { ...ended })]) },
        );
      },
    );

    app.get(
      "/clients/:id/usage",
      {
        config: { access: auditors, errors: ["not_found"] },
        schema: {
          summary: "Count what was issued through a client",
          params: clientParamsSchema,
          response: { 200: clientUsageSchema },
        },
      },
      async ({ params: { id }, admin: { store, now } }) => {
        await findClient(store, id, now);
        return await loadUsage(id, store, now);
      },
    );
  },
};

/** The stored client with what is to change, judged by the same rules as a new one. @throws {Refusal} */
function mergeClient(found: ListedClient, change: ClientPatch): ClientRegistration {
  if (found.source !== "registered") return mergeForeign(found, change);
  const { id, name, type, redirectUris, keys, dpopBound, scopes, ceiling, enabled } = showClient(found);
  const own = type === "machine" ? { scopes } : { redirectUris, dpopBound, ceiling };
  const merged = { id, name, type, keys, enabled, ...own, ...given(change) };
  const checked = check(clientRegistrationSchema, merged);
  if (checked.faults === undefined) return checked.value;
  requireNone(
    checked.faults.map((one) =>
      one.message.key === "administration.faults.unknownMember"
        ? { ...one, message: faultMessage("notOfClient", { type }) }
        : one,
    ),
  );
  throw new Error("A schema refuses a client for no reason.");
}

/** What a client says about itself is not for administrators to change. @throws {Refusal} */
function mergeForeign(found: ListedClient, { ceiling, enabled, ...others }: ClientPatch): ClientRegistration {
  requireNone(
    Object.entries(given(others)).map(([path]) => fault(path, "saidByClient", { source: found.source })),
  );
  const {
    machineScopes,
    grants: _grants,
    createdAt: _created,
    updatedAt: _updated,
    version: _version,
    ...client
  } = found;
  const limits = ceiling === undefined ? {} : toLimits(ceiling);
  return { client: { ...client, ...limits, ...given({ enabled }) }, machineScopes };
}
