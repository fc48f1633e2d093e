import type { AppHost, ListedAppHost } from "../store/app-hosts.js";
import type { Store } from "../store/store.js";
import { notFound, taken } from "./refusal.js";
import type { Saving, Work } from "./work.js";

/**
 * Allows or refuses a host, and with it every client that has come from it, in the same transaction.
 *
 * @throws {Refusal} `already_exists`
 */
export async function saveAppHost(
  { before, after }: Saving<AppHost, AppHost>,
  { store, at, audit }: Work,
): Promise<void> {
  const { host, name, allowed } = after;
  if (before === undefined && (await store.appHosts.describe(host)) !== undefined)
    throw taken("appHost", { host }, "host");
  if (before?.name === name && before.allowed === allowed) return;
  await store.appHosts.save({ host, name, allowed }, at);
  if (allowed) await store.appRequests.removeHost(host);
  await store.clients.judgeTrust(at);
  if (before?.allowed !== allowed)
    await audit({
      type: "app_host.changed",
      data: { host, allowed: { from: before?.allowed ?? null, to: allowed } },
    });
}

/** Removes the decision about a host. Its clients stay trusted only while any host is. */
export async function removeAppHost({ host, allowed }: AppHost, { store, at, audit }: Work): Promise<void> {
  if (!(await store.appHosts.remove(host))) return;
  await store.clients.judgeTrust(at);
  await audit({ type: "app_host.changed", data: { host, allowed: { from: allowed, to: null } } });
}

/** @throws {Refusal} `not_found` */
export async function findAppHost(store: Pick<Store, "appHosts">, host: string): Promise<ListedAppHost> {
  const found = await store.appHosts.describe(host);
  if (found === undefined) throw notFound("appHost", { host });
  return found;
}
