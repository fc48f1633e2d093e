import { shortCode } from "../oauth/short-code.js";
import type { Store } from "../store/store.js";

/** A device that acts for a person. */
export interface Device {
  readonly clientName: string;
  readonly shortCode: string;
  readonly since: Date;
}

/** The newest devices that act for a person. */
export async function loadDevices(
  store: Pick<Store, "grants" | "clients">,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<readonly Device[]> {
  const grants = await store.grants.listLive({ userId, now, limit: 20 });
  const clientIds = [...new Set(grants.map(({ clientId }) => clientId))];
  const clients = await Promise.all(clientIds.map((id) => store.clients.find(id)));
  const names = new Map(
    clients.flatMap((client) => (client === undefined ? [] : [[client.id, client.name]])),
  );
  return grants.map(({ clientId, jkt, createdAt }) => ({
    clientName: names.get(clientId) ?? clientId,
    shortCode: shortCode(jkt),
    since: createdAt,
  }));
}
