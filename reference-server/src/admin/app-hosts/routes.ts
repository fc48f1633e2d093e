import { findAppHost, removeAppHost, saveAppHost } from "../../registry/app-host.js";
import { requireVersion } from "../../registry/refusal.js";
import { saveSettings } from "../../registry/settings.js";
import { given, type Work } from "../../registry/work.js";
import type { ListedAppHost } from "../../store/app-hosts.js";
import type { AskedHost as StoredAskedHost } from "../../store/app-requests.js";
import type { Store } from "../../store/store.js";
import type { Message } from "../../text/message.js";
import type { AdminArea } from "../door/area.js";
import type { AdminCall } from "../door/call.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import {
  type AppHost,
  appHostListSchema,
  appHostParamsSchema,
  appHostQuerySchema,
  appHostSchema,
  type AppPolicy,
  appPolicySchema,
  askedHostListSchema,
  askedHostQuerySchema,
  type AskedHost,
  askersSchema,
  changeAppHostSchema,
  changeAppPolicySchema,
  newAppHostSchema,
} from "./schemas.js";
import { watchApps } from "./stopped-apps.js";

/** Nobody looks through more of those who asked. */
const maximumAskers = 50;

/** Which apps get in that nobody registered. */
export const appHostArea: AdminArea = {
  tag: "Hosts of apps",
  description:
    "Apps whose client id is the address of a metadata document come from a host, and hosts are what an administrator allows or refuses.",
  async routes(app) {
    app.get(
      "/app-policy",
      { schema: { summary: "Show which apps get in unregistered", response: { 200: appPolicySchema } } },
      async ({ admin: { store } }) => await loadPolicy(store),
    );

    app.patch(
      "/app-policy",
      {
        config: { ifMatch: true, preview: true },
        schema: {
          summary: "Decide which apps get in unregistered",
          description:
            "Takes effect with the next request of each app. An app that is shut out keeps what people allowed it, and can use it again when it is let in.",
          body: changeAppPolicySchema,
          response: { 200: appPolicySchema },
        },
      },
      async ({ body: { trust, dynamicRegistration }, admin }) =>
        await changeTrust(admin, async (work) => {
          requireVersion(await loadPolicy(work.store), admin.version);
          await saveSettings(given({ appTrust: trust, dynamicRegistration }), work);
          return await loadPolicy(work.store);
        }),
    );

    app.get(
      "/app-hosts",
      {
        schema: {
          summary: "List hosts that somebody has decided about",
          description: "`q` finds words of the host and the name by their beginning.",
          querystring: appHostQuerySchema,
          response: { 200: appHostListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.appHosts.list({ ...toPageRequest(query), allowed: query.allowed });
        return fromPage(page, { query, show: showAppHost });
      },
    );

    app.post(
      "/app-hosts",
      {
        config: { preview: true, errors: ["already_exists"] },
        schema: {
          summary: "Allow or refuse a host",
          description: "Who asked for it is forgotten once it is allowed.",
          body: newAppHostSchema,
          response: { 201: appHostSchema },
        },
      },
      async ({ body, admin }) =>
        await changeTrust(admin, async (work) => {
          await saveAppHost({ before: undefined, after: body }, work);
          return showAppHost(await findAppHost(work.store, body.host));
        }),
    );

    app.get(
      "/app-hosts/:host",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show a host",
          params: appHostParamsSchema,
          response: { 200: appHostSchema },
        },
      },
      async ({ params: { host }, admin: { store } }) => showAppHost(await findAppHost(store, host)),
    );

    app.patch(
      "/app-hosts/:host",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Allow, refuse or rename a host",
          params: appHostParamsSchema,
          body: changeAppHostSchema,
          response: { 200: appHostSchema },
        },
      },
      async ({ params: { host }, body, admin }) =>
        await changeTrust(admin, async (work) => {
          const before = await findAppHost(work.store, host);
          requireVersion(before, admin.version);
          const { name, allowed } = before;
          await saveAppHost({ before, after: { host, name, allowed, ...given(body) } }, work);
          return showAppHost(await findAppHost(work.store, host));
        }),
    );

    app.delete(
      "/app-hosts/:host",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Take a host off the list",
          description: "After that, it is treated like any other host.",
          params: appHostParamsSchema,
        },
      },
      async ({ params: { host }, admin }) =>
        await changeTrust(admin, async (work) => {
          const found = await findAppHost(work.store, host);
          requireVersion(found, admin.version);
          await removeAppHost(found, work);
        }),
    );

    app.get(
      "/app-requests",
      {
        schema: {
          summary: "List hosts that people asked for and nobody has decided about",
          description: "`q` finds any part of the host.",
          querystring: askedHostQuerySchema,
          response: { 200: askedHostListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.appRequests.listHosts(toPageRequest(query));
        return fromPage(page, { query, show: showAskedHost });
      },
    );

    app.get(
      "/app-requests/:host",
      {
        schema: {
          summary: "Show who asked for a host",
          params: appHostParamsSchema,
          response: { 200: askersSchema },
        },
      },
      async ({ params: { host }, admin: { store } }) => {
        const people = await store.appRequests.listPeople(host, maximumAskers);
        return {
          host,
          people: people.map(({ userId: id, email, name, clientId, askedAt }) => ({
            user: { id, email, name },
            clientId,
            askedAt: isoTime(askedAt),
          })),
        };
      },
    );
  },
};

/** A change after which other apps may act: its preview says which of those that people use stop or go on. */
async function changeTrust<T>(
  { change, preview, now }: AdminCall,
  work: (work: Work) => Promise<T>,
): Promise<T> {
  let notes: (store: Store) => Promise<readonly Message[]> = async () => [];
  return await change(
    async (inside) => {
      if (preview) notes = await watchApps(inside.store, now);
      return await work(inside);
    },
    { notes: async (store) => await notes(store) },
  );
}

async function loadPolicy({
  settings,
  appRequests,
}: Pick<Store, "settings" | "appRequests">): Promise<AppPolicy> {
  const { appTrust: trust, dynamicRegistration, version, updatedAt } = await settings.get();
  const asked = await appRequests.countHosts();
  return { trust, dynamicRegistration, asked, version, updatedAt: isoTime(updatedAt) };
}

function showAppHost({ createdAt, updatedAt, ...host }: ListedAppHost): AppHost {
  return { ...host, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

function showAskedHost({ firstAskedAt, lastAskedAt, ...asked }: StoredAskedHost): AskedHost {
  return { ...asked, firstAskedAt: isoTime(firstAskedAt), lastAskedAt: isoTime(lastAskedAt) };
}
