import { dayMs, hourMs } from "../../platform/durations.js";
import { clientHost, type ListedClient } from "../../store/clients.js";
import type { ClientName } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import { isoTime } from "../door/list-query.js";
import type { Client, ClientUsage, NamedClient } from "./schemas.js";

export function showClient(client: ListedClient): Client {
  const { id, name, type, source, trusted, redirectUris, keys, builtIn, enabled, grants } = client;
  return {
    id,
    name,
    type,
    source,
    host: clientHost(client),
    trusted,
    redirectUris: [...redirectUris],
    keys: keys.map(({ kid, publicJwk: { x, y } }) => ({ kid, kty: "EC", crv: "P-256", x, y })),
    grantTypes: [...client.grantTypes],
    dpopBound: client.dpopBound,
    scopes: [...client.machineScopes],
    ceiling: client.limited ? [...client.ceiling] : null,
    builtIn,
    enabled,
    grants,
    createdAt: isoTime(client.createdAt),
    updatedAt: isoTime(client.updatedAt),
    version: client.version,
  };
}

/** A client beside something of it, with the host that it has proven. */
export function showClientName({ id, name, source }: ClientName): NamedClient {
  return { id, name, source, host: clientHost({ id, source }) };
}

const periods = [
  { period: "24h", stepMs: hourMs, steps: 24 },
  { period: "7d", stepMs: dayMs, steps: 7 },
  { period: "30d", stepMs: dayMs, steps: 30 },
  { period: "90d", stepMs: dayMs, steps: 90 },
] as const;

/** What went through a client in the last hours and days, from what is counted already. */
export async function loadUsage(
  clientId: string,
  { auditSearch }: Pick<Store, "auditSearch">,
  now: Date,
): Promise<ClientUsage> {
  const [{ throughAt }, ...counted] = await Promise.all([
    auditSearch.progress(),
    ...periods.map(async ({ period, stepMs, steps }) => {
      const from = new Date(Math.floor(now.getTime() / stepMs - steps + 1) * stepMs);
      return { period, ...(await auditSearch.countClientUse({ clientId, from })) };
    }),
  ]);
  return { countedThrough: throughAt && isoTime(throughAt), periods: counted };
}
