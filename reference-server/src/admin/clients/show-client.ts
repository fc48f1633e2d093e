import { clientHost, type ListedClient } from "../../store/clients.js";
import type { ClientName } from "../../store/grants.js";
import { isoTime } from "../door/list-query.js";
import type { Client, NamedClient } from "./schemas.js";

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
