import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import type { LiveKeys } from "../oauth/keys/keys.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import type { DueCatalog } from "../store/skill-catalogs.js";
import type { Store } from "../store/store.js";
import { CatalogError, fetchCatalog } from "./fetch-catalog.js";
import { fetchFiles } from "./fetch-files.js";

/** Interval at which a process looks for due catalogs. */
export const lookSeconds = 5;
/** Interval of fetches per catalog. */
export const refreshSeconds = 5 * 60;
/** Interval of fetches while a service is away. */
export const retrySeconds = 30;
/** Longer than any fetch: when a process dies, its catalogs become due after this time. */
const leaseSeconds = 60;
const batchSize = 20;

interface RefreshContext {
  readonly config: Config;
  readonly store: Store;
  readonly keys: LiveKeys;
  readonly outboundFetch: OutboundFetch;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Fetches every catalog that is due by `dueBefore` and that no other process is fetching.
 *
 * A service that is away costs nothing but its freshness: the last good copy stays. Returns how many catalogs
 * were tried.
 */
export async function refreshCatalogs(context: RefreshContext, dueBefore: Date): Promise<number> {
  const now = context.clock();
  const leaseUntil = new Date(Math.max(now, dueBefore.getTime()) + leaseSeconds * 1000);
  const due = await context.store.skillCatalogs.takeDue({ dueBefore, leaseUntil, limit: batchSize });
  await Promise.all(due.map((catalog) => refreshOne(context, catalog)));
  return due.length;
}

/**
 * Fetches the catalog of one resource now, due or not. Returns whether it was tried: not while a process is fetching it,
 * and not when the resource publishes none.
 */
export async function refreshCatalog(context: RefreshContext, resourceId: string): Promise<boolean> {
  const now = context.clock();
  const lease = { resourceId, now: new Date(now), leaseUntil: new Date(now + leaseSeconds * 1000) };
  const catalog = await context.store.skillCatalogs.take(lease);
  if (catalog === undefined) return false;
  await refreshOne(context, catalog);
  return true;
}

async function refreshOne(context: RefreshContext, catalog: DueCatalog): Promise<void> {
  const { config, store, keys, outboundFetch: fetch, clock, log } = context;
  const { resourceId, resourceKey, authorizationServer, failure: lastFailure } = catalog;
  const after = (seconds: number) => ({
    at: new Date(clock()),
    refreshAt: new Date(clock() + seconds * 1000),
  });
  try {
    const options = { issuer: config.issuer, keys, fetch, now: new Date(clock()) };
    const items = await fetchCatalog(authorizationServer, options);
    const known = await store.skillCatalogs.listFiles(resourceId);
    const files = await fetchFiles(authorizationServer, { ...options, items, known });
    await store.skillCatalogs.saveSuccess({ resourceId, items, files, ...after(refreshSeconds) });
    const message = `The skill catalog of ${resourceKey} is fresh: ${items.length} skills.`;
    if (lastFailure === null) log.debug({ resource: resourceKey }, message);
    else log.info({ resource: resourceKey }, message);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    await store.skillCatalogs.saveFailure({ resourceId, failure: error.message, ...after(retrySeconds) });
    const message = `The skill catalog of ${resourceKey} could not be fetched; the last good copy stays. ${error.message}`;
    // One warning per outage; repeats are logged at debug level.
    if (lastFailure === error.message) log.debug({ resource: resourceKey }, message);
    else log.warn({ code: "SKILL_CATALOG_NOT_FRESH", resource: resourceKey }, message);
  }
}
