import { appHostRules } from "../../objects/app-host.js";
import { changeOf } from "../../objects/object.js";
import { findAppHost, removeAppHost, saveAppHost } from "../../registry/app-host.js";
import { requireVersion } from "../../registry/refusal.js";
import { sample } from "../../registry/scope.js";
import { saveSettings } from "../../registry/settings.js";
import { given } from "../../registry/work.js";
import type { UsedClient } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import type { Message } from "../../text/message.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { AdminCall, ChangeReach } from "../door/call.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import { note } from "../door/note.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import {
  appHostParamsSchema,
  appHostQuerySchema,
  appHostSchema,
  type AppPolicy,
  appPolicySchema,
  askedHostListSchema,
  askedHostQuerySchema,
  askedHostSchema,
  askersSchema,
  changeAppPolicySchema,
} from "./schemas.js";

/** Most people that are listed for a requested host. */
const maximumAskers = 50;

/** Which unregistered apps are admitted. */
export const appHostArea: AdminArea = {
  tag: "Hosts of apps",
  description:
    "Apps whose client id is the address of a metadata document come from a host, and hosts are what an administrator allows or refuses.",
  async routes(app) {
    app.get(
      "/app-policy",
      {
        config: { access: auditors },
        schema: { summary: "Show which apps get in unregistered", response: { 200: appPolicySchema } },
      },
      async ({ admin: { store } }) => await loadPolicy(store),
    );

    app.patch(
      "/app-policy",
      {
        config: { access: administrators, ifMatch: true, preview: true },
        schema: {
          summary: "Decide which apps get in unregistered",
          description:
            "Takes effect with the next request of each app. An app that is shut out keeps what people allowed it, and can use it again when it is let in.",
          body: changeAppPolicySchema,
          response: { 200: appPolicySchema },
        },
      },
      async ({ body: { trust, dynamicRegistration }, admin }) =>
        await admin.change(async (work) => {
          requireVersion(await loadPolicy(work.store), admin.version);
          await saveSettings(given({ appTrust: trust, dynamicRegistration }), work);
          return await loadPolicy(work.store);
        }, reachOfTrust(admin)),
    );

    addObjectRoutes(app, {
      path: "/app-hosts",
      access: auditors,
      params: appHostParamsSchema,
      shown: appHostSchema,
      find: async (host: string, { store }: Reading) => await findAppHost(store, host),
      show: (items) => items.map(showAs(appHostSchema)),
      list: {
        summary: "List hosts that somebody has decided about",
        description: "`q` finds words of the host and the name by their beginning.",
        query: appHostQuerySchema,
        load: async (request, { allowed }, { store }) => await store.appHosts.list({ ...request, allowed }),
      },
      create: {
        summary: "Allow or refuse a host",
        description: "Who asked for it is forgotten once it is allowed.",
        body: appHostRules,
        idOf: ({ host }) => host,
        save: (after) => async (work) => await saveAppHost({ before: undefined, after }, work),
        reach: (_host, call) => reachOfTrust(call),
      },
      read: { summary: "Show a host" },
      change: {
        summary: "Allow, refuse or rename a host",
        body: changeOf(appHostRules, "host"),
        save: (change) => async (before, work) => {
          const { host, name, allowed } = before;
          await saveAppHost({ before, after: { host, name, allowed, ...given(change) } }, work);
        },
        reach: (_host, call) => reachOfTrust(call),
      },
      remove: {
        summary: "Take a host off the list",
        description: "After that, it is treated like any other host.",
        run: removeAppHost,
        reach: (_host, call) => reachOfTrust(call),
      },
    });

    app.get(
      "/app-requests",
      {
        config: { access: auditors },
        schema: {
          summary: "List hosts that people asked for and nobody has decided about",
          description: "`q` finds any part of the host.",
          querystring: askedHostQuerySchema,
          response: { 200: askedHostListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.appRequests.listHosts(toPageRequest(query));
        return fromPage(page, { query, show: showAs(askedHostSchema) });
      },
    );

    app.get(
      "/app-requests/:host",
      {
        config: { access: auditors },
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

/** Which of the unregistered apps that people use stop or go on with a change of what is trusted. */
function reachOfTrust({ now }: Pick<AdminCall, "now">): ChangeReach {
  let before: ReadonlyMap<string, boolean> = new Map();
  return {
    scopes: async ({ clients }) => {
      before = new Map((await clients.listUsedUnregistered(now)).map(({ id, trusted }) => [id, trusted]));
      return [];
    },
    notes: async ({ clients }) => {
      const changed = (await clients.listUsedUnregistered(now)).filter(
        ({ id, trusted }) => before.get(id) !== trusted,
      );
      const stopped = changed.filter(({ trusted }) => !trusted);
      const resumed = changed.filter(({ trusted }) => trusted);
      return [...describeApps("appsStop", stopped), ...describeApps("appsResume", resumed)];
    },
  };
}

function describeApps(code: "appsStop" | "appsResume", apps: readonly UsedClient[]): readonly Message[] {
  if (apps.length === 0) return [];
  const grants = apps.reduce((sum, app) => sum + app.grants, 0);
  return [note(code, { ...sample(apps.map(({ name }) => name)), grants })];
}

async function loadPolicy({
  settings,
  appRequests,
}: Pick<Store, "settings" | "appRequests">): Promise<AppPolicy> {
  const { appTrust: trust, dynamicRegistration, version, updatedAt } = await settings.get();
  const asked = await appRequests.countHosts();
  return { trust, dynamicRegistration, asked, version, updatedAt: isoTime(updatedAt) };
}
