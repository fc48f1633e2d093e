import { check } from "../../registry/check.js";
import {
  type ClientRegistration,
  clientRegistrationSchema,
  findClient,
  removeClient,
  saveClient,
} from "../../registry/client.js";
import { faultMessage, inUse, requireNone, requireVersion } from "../../registry/refusal.js";
import { given } from "../../registry/work.js";
import type { ListedClient } from "../../store/clients.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import {
  type Client,
  clientListSchema,
  clientParamsSchema,
  type ClientPatch,
  clientPatchSchema,
  clientQuerySchema,
  clientSchema,
  newClientSchema,
} from "./schemas.js";

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
        const { type, enabled } = query;
        const page = await store.clients.list({ ...toPageRequest(query), type, enabled, now });
        return fromPage(page, { query, show: showClient });
      },
    );

    app.post(
      "/clients",
      {
        config: { errors: ["already_exists"] },
        schema: {
          summary: "Register a client",
          description: "`type` decides which members it has; the rules are those of the registry file.",
          body: newClientSchema,
          response: { 201: clientSchema },
        },
      },
      async ({ body, admin: { change, now } }) =>
        await change(async (work) => {
          await saveClient({ before: undefined, after: body }, work);
          return showClient(await findClient(work.store, body.client.id, now));
        }),
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
        config: { ifMatch: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Change a client",
          description:
            "What is given replaces what was there: to exchange a key, send the old and the new one first, then the new one.",
          params: clientParamsSchema,
          body: clientPatchSchema,
          response: { 200: clientSchema },
        },
      },
      async ({ params: { id }, body, admin: { change, now, version } }) =>
        await change(async (work) => {
          const before = await findClient(work.store, id, now);
          if (before.builtIn) throw inUse("builtInClient", { id });
          requireVersion(showClient(before), version);
          await saveClient({ before, after: mergeClient(showClient(before), body) }, work);
          return showClient(await findClient(work.store, id, now));
        }),
    );

    app.delete(
      "/clients/:id",
      {
        config: { ifMatch: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Remove a client",
          description: "Refused while people are logged in with it.",
          params: clientParamsSchema,
        },
      },
      async ({ params: { id }, admin: { change, now, version } }) =>
        await change(async (work) => {
          const found = await findClient(work.store, id, now);
          if (found.builtIn) throw inUse("builtInClient", { id });
          requireVersion(showClient(found), version);
          await removeClient(found, work);
        }),
    );
  },
};

/** The stored client with what is to change, judged by the same rules as a new one. @throws {Refusal} */
function mergeClient(found: Client, change: ClientPatch): ClientRegistration {
  const { id, name, type, redirectUris, keys, dpopBound, scopes, enabled } = found;
  const own = type === "machine" ? { scopes } : { redirectUris, dpopBound };
  const merged = { id, name, type, keys, enabled, ...own, ...given(change) };
  const checked = check(clientRegistrationSchema, merged);
  if (checked.faults === undefined) return checked.value;
  requireNone(
    checked.faults.map((fault) =>
      fault.message.key === "administration.faults.unknownMember"
        ? { ...fault, message: faultMessage("notOfClient", { type }) }
        : fault,
    ),
  );
  throw new Error("A schema refuses a client for no reason.");
}

function showClient(client: ListedClient): Client {
  const { id, name, type, redirectUris, keys, dpopBound, builtIn, enabled, grants, version } = client;
  return {
    id,
    name,
    type,
    redirectUris: [...redirectUris],
    keys: keys.map(({ kid, publicJwk: { x, y } }) => ({ kid, kty: "EC", crv: "P-256", x, y })),
    dpopBound,
    scopes: [...client.machineScopes],
    builtIn,
    enabled,
    grants,
    createdAt: isoTime(client.createdAt),
    updatedAt: isoTime(client.updatedAt),
    version,
  };
}
