import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { changeClient, createClient, removeClient } from "./save-client.js";
import {
  clientListSchema,
  clientParamsSchema,
  clientPatchSchema,
  clientQuerySchema,
  clientSchema,
  newClientSchema,
} from "./schemas.js";
import { loadClient, showClient } from "./show-client.js";

const listClients = defineRoute({
  method: "GET",
  path: "/clients",
  summary: "List clients",
  description: "`q` finds words of the id and the name by their beginning.",
  query: clientQuerySchema,
  answer: clientListSchema,
  handle: async ({ query }, { store, now }) => {
    const { type, enabled } = query;
    const page = await store.clients.list({ ...toPageRequest(query), type, enabled, now });
    return fromPage(page, { query, show: showClient });
  },
});

const postClient = defineRoute({
  method: "POST",
  path: "/clients",
  summary: "Register a client",
  description: "`type` decides which members it has; the rules are those of the registry file.",
  status: 201,
  body: newClientSchema,
  answer: clientSchema,
  errors: ["already_exists"],
  handle: async ({ body }, { change }) => await change(async (work) => await createClient(body, work)),
});

const getClient = defineRoute({
  method: "GET",
  path: "/clients/{id}",
  summary: "Show a client",
  params: clientParamsSchema,
  answer: clientSchema,
  errors: ["not_found"],
  handle: async ({ params: { id } }, { store, now }) => await loadClient(store, { id, now }),
});

const patchClient = defineRoute({
  method: "PATCH",
  path: "/clients/{id}",
  summary: "Change a client",
  description:
    "What is given replaces what was there: to exchange a key, send the old and the new one first, then the new one.",
  ifMatch: true,
  params: clientParamsSchema,
  body: clientPatchSchema,
  answer: clientSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { id }, body, version }, { change }) =>
    await change(async (work) => await changeClient({ id, change: body, version }, work)),
});

const deleteClient = defineRoute({
  method: "DELETE",
  path: "/clients/{id}",
  summary: "Remove a client",
  description: "Refused while people are logged in with it.",
  ifMatch: true,
  params: clientParamsSchema,
  errors: ["not_found", "in_use"],
  handle: async ({ params: { id }, version }, { change }) => {
    await change(async (work) => {
      await removeClient({ id, version }, work);
    });
    return undefined;
  },
});

/** Programs that get tokens here. */
export function clientArea(): AdminArea {
  return {
    tag: "Clients",
    description: "Programs that get tokens here: for people, or as machines for themselves.",
    routes: [listClients, postClient, getClient, patchClient, deleteClient],
  };
}
