import { sealedTables } from "../../encryption-keys/describe-keys.js";
import type { ServerContext } from "../../context.js";
import { countStreams } from "../../signals/stream-health.js";
import { freshAfter } from "../../skills/catalog-state.js";
import type { IssuanceCount } from "../../store/audit-search.js";
import type { Store } from "../../store/store.js";
import { showCatalogSummary } from "../catalogs/show-catalog.js";
import { isoTime } from "../door/list-query.js";
import { loadSigningKeys } from "../signing-keys/show-key.js";
import { findHints } from "./hints.js";
import type { Overview, OverviewCount } from "./schemas.js";
import { dayMs, hourMs } from "../../platform/durations.js";

const shownHours = 24;
const shownDays = 30;
const top = 10;

/** Everything on the first page of the console, from what is counted already: its cost does not grow with the trail. */
export async function loadOverview(
  { store, connectorVault }: Pick<ServerContext, "store" | "connectorVault">,
  now: Date,
): Promise<Overview> {
  const firstHour = new Date(Math.floor(now.getTime() / hourMs - shownHours + 1) * hourMs);
  const firstDay = new Date(Math.floor(now.getTime() / dayMs - shownDays + 1) * dayMs);
  const ranking = { fromDay: firstDay.toISOString().slice(0, 10), limit: top };
  const [
    progress,
    hours,
    days,
    topResources,
    topClients,
    topSkills,
    catalogs,
    keys,
    counts,
    connectorKeyIds,
    askedAppHosts,
    streams,
    settings,
  ] = await Promise.all([
    store.auditSearch.progress(),
    store.auditSearch.countIssuances({ unit: "hour", from: firstHour }),
    store.auditSearch.countIssuances({ unit: "day", from: firstDay }),
    store.auditSearch.topResources(ranking),
    store.auditSearch.topClients({ from: firstDay, limit: top }),
    store.auditSearch.topSkills({ from: firstDay, limit: top }),
    loadCatalogs(store, now),
    loadSigningKeys(store, now),
    store.installation.count(),
    listConnectorKeys(store),
    store.appRequests.countHosts(),
    store.signalStreams.listAll(),
    store.settings.get(),
  ]);
  const named = [
    ...topResources.map(({ resource }) => resource),
    ...topClients.map(({ clientId }) => clientId),
  ];
  const names = new Map((await store.auditSearch.findNames(named)).map((one) => [one.id, one]));
  const { failing, silent } = countStreams(streams, now);
  const needingAttention = keys.filter(({ advice }) => advice !== null);
  const { people, resources, scopes, assignments, identityProviders, ownSkills } = counts;
  return {
    countedThrough: progress.throughAt && isoTime(progress.throughAt),
    hours: fill(hours, { from: firstHour, stepMs: hourMs, length: shownHours }),
    days: fill(days, { from: firstDay, stepMs: dayMs, length: shownDays }),
    topResources: topResources.map(({ resource, count }) => ({
      key: names.get(resource)?.key ?? null,
      name: names.get(resource)?.name ?? null,
      resource,
      issued: count,
    })),
    topClients: topClients.map(({ clientId: id, ...use }) => ({
      id,
      name: names.get(id)?.name ?? null,
      host: names.get(id)?.host ?? null,
      ...use,
    })),
    topSkills: topSkills.map(({ skillId, count }) => ({ publishedId: skillId, reads: count })),
    catalogs,
    signingKeys: { active: keys.find(({ state }) => state === "active") ?? null, needingAttention },
    installation: {
      name: settings.installationName,
      people,
      resources,
      scopes,
      assignments,
      identityProviders,
      ownSkills,
    },
    hints: findHints({
      name: settings.installationName,
      counts,
      catalogs,
      keysNeedAttention: needingAttention.some(({ state }) => state === "active"),
      keyWaits: needingAttention.some(
        ({ state, advice }) => state === "staged" && advice?.code !== "activates_itself",
      ),
      askedAppHosts,
      brokenSignalStreams: failing + silent,
      connectorKeyMissing: connectorKeyIds.some((keyId) => !connectorVault.readable(keyId)),
    }),
  };
}

async function listConnectorKeys({
  sealedSecrets,
}: Pick<Store, "sealedSecrets">): Promise<readonly string[]> {
  return (await Promise.all(sealedTables.connectors.map((table) => sealedSecrets.listKeyIds(table)))).flat();
}

async function loadCatalogs(store: Pick<Store, "skillCatalogs">, now: Date): Promise<Overview["catalogs"]> {
  const fresh = { freshAfter: freshAfter(now) };
  const [counts, problems] = await Promise.all([
    store.skillCatalogs.countStates(fresh),
    store.skillCatalogs.listPage({
      ...fresh,
      states: ["stale", "failed"],
      limit: top,
      sort: "key",
      descending: false,
      after: undefined,
      q: undefined,
    }),
  ]);
  const total = counts.fresh + counts.stale + counts.failed + counts.pending;
  return { total, ...counts, problems: problems.items.map((catalog) => showCatalogSummary(catalog, now)) };
}

/** A count for every hour or day, those without anything included. */
function fill(
  counts: readonly IssuanceCount[],
  { from, stepMs, length }: { readonly from: Date; readonly stepMs: number; readonly length: number },
): OverviewCount[] {
  const known = new Map(counts.map((count) => [count.at.getTime(), count]));
  return Array.from({ length }, (_, index) => {
    const at = from.getTime() + index * stepMs;
    const { issued = 0, denied = 0 } = known.get(at) ?? {};
    return { at: isoTime(new Date(at)), issued, denied };
  });
}
