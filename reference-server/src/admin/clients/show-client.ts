import type { ListedClient } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import { inUse, notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Client } from "./schemas.js";

export function showClient(client: ListedClient): Client {
  const { id, name, type, redirectUris, keys, dpopBound, builtIn, enabled, logIns, version } = client;
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
    logIns,
    createdAt: isoTime(client.createdAt),
    updatedAt: isoTime(client.updatedAt),
    version,
  };
}

/** @throws {AdminError} `not_found` */
export async function loadClient(
  store: Store,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Client> {
  const client = await store.clients.describe(id, now);
  if (client === undefined) throw notFound(({ things }) => things.client(id));
  return showClient(client);
}

/** @throws {AdminError} `in_use`: every installation needs it as it is. */
export function requireRegistered({ id, builtIn }: Client): void {
  if (builtIn) throw inUse(({ refusals }) => refusals.builtInClient(id));
}
