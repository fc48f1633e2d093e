import { check, fault, faultMessage } from "../../objects/check.js";
import {
  type ClientRegistration,
  clientRegistrationSchema,
  findClient,
  removeClient,
  saveClient,
  toLimits,
} from "../../registry/client.js";
import { inUse, requireNone, requireVersion } from "../../registry/refusal.js";
import { given } from "../../registry/work.js";
import { revokeGrants } from "../../sign-in/revoke.js";
import type { ListedClient } from "../../store/clients.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { note } from "../door/note.js";
import { reachOfClient } from "./client-notes.js";
import {
  clientListSchema,
  clientParamsSchema,
  type ClientPatch,
  clientPatchSchema,
  clientQuerySchema,
  clientSchema,
  clientSignOutSchema,
  clientUsageSchema,
  newClientSchema,
} from "./schemas.js";
import { showClient } from "./show-client.js";
import { loadUsage } from "./usage.js";

/** Programs that get tokens here. */
export const clientArea: AdminArea = {
  tag: "Clients",
  description: "Programs that get tokens here: for people, or as machines for themselves.",
  async routes(app) {
    app.get(
      "/clients",
      {
        schema: {
          summary: "List clients",
          description: "`q` finds words of the id and the name by their beginning.",
          querystring: clientQuerySchema,
          response: { 200: clientListSchema },
        },
      },
      async ({ query, admin: { store, now } }) => {
        const { type, source, enabled } = query;
        const page = await store.clients.list({ ...toPageRequest(query), type, source, enabled, now });
        return fromPage(page, { query, show: showClient });
      },
    );

    app.post(
      "/clients",
      {
        config: { preview: true, errors: ["already_exists"] },
        schema: {
          summary: "Register a client",
          description: "`type` decides which members it has; the rules are those of the registry file.",
          body: newClientSchema,
          response: { 201: clientSchema },
        },
      },
      async ({ body, admin: { change, now } }) =>
        await change(
          async (work) => {
            await saveClient({ before: undefined, after: body }, work);
            return showClient(await findClient(work.store, body.client.id, now));
          },
          reachOfClient(body.client.id, now),
        ),
    );

    app.get(
      "/clients/:id",
      {
        config: { errors: ["not_found"] },
        schema: { summary: "Show a client", params: clientParamsSchema, response: { 200: clientSchema } },
      },
      async ({ params: { id }, admin: { store, now } }) => showClient(await findClient(store, id, now)),
    );

    app.patch(
      "/clients/:id",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Change a client",
          description:
            "What is given replaces what was there: to replace a key, send the old and the new one first, then the new one. Of a client that nobody registered here, only `ceiling` and `enabled` can be changed: the rest is what it says about itself.",
          params: clientParamsSchema,
          body: clientPatchSchema,
          response: { 200: clientSchema },
        },
      },
      async ({ params: { id }, body, admin: { change, now, version } }) =>
        await change(
          async (work) => {
            const before = await findClient(work.store, id, now);
            if (before.builtIn) throw inUse("builtInClient", { id });
            requireVersion(showClient(before), version);
            await saveClient({ before, after: mergeClient(before, body) }, work);
            return showClient(await findClient(work.store, id, now));
          },
          reachOfClient(id, now),
        ),
    );

    app.delete(
      "/clients/:id",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a client",
          description:
            "Refused while people are signed in with it. One with a metadata document comes back with the next request that names it, as long as its host may: disable it, or stop allowing the host.",
          params: clientParamsSchema,
        },
      },
      async ({ params: { id }, admin: { change, now, version } }) =>
        await change(
          async (work) => {
            const found = await findClient(work.store, id, now);
            if (found.builtIn) throw inUse("builtInClient", { id });
            requireVersion(showClient(found), version);
            await removeClient(found, work);
          },
          reachOfClient(id, now),
        ),
    );

    app.post(
      "/clients/:id/sign-outs",
      {
        config: { preview: true, errors: ["not_found"] },
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
            ended = await revokeGrants({ clientId: id, reason }, { ...work, actor, requestId });
            return ended;
          },
          { notes: async () => (ended.grants === 0 ? [] : [note("appsEnd", { ...ended })]) },
        );
      },
    );

    app.get(
      "/clients/:id/usage",
      {
        config: { errors: ["not_found"] },
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
