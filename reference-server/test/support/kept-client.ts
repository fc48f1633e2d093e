import type { Client } from "../../src/store/clients.js";
import type { Store } from "../../src/store/store.js";

/** Stores a client that came with its document a moment ago, from a host that is allowed: nobody asks for it today. */
export async function saveKeptClient(store: Store, client: Client): Promise<void> {
  await store.clients.save(client, new Date());
  await keepDocumentOf(store, client.id);
}

/** The same for a client that is stored already. */
async function keepDocumentOf(store: Store, clientId: string): Promise<void> {
  const at = new Date();
  const { host } = new URL(clientId);
  await store.appHosts.save({ host, name: host, allowed: true }, at);
  await store.clientDocuments.save({
    clientId,
    host,
    digest: Buffer.alloc(32),
    etag: null,
    fetchedAt: at,
    freshUntil: new Date(at.getTime() + 24 * 3600 * 1000),
    countsUntil: new Date(at.getTime() + 24 * 3600 * 1000),
  });
}
