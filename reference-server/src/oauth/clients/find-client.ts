import type { Client } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import { looksLikeAddress } from "./metadata-document/address.js";
import type { ClientDocuments, Requester } from "./metadata-document/client-documents.js";

/** Where clients are found. */
export interface ClientSources {
  readonly store: Pick<Store, "clients">;
  readonly clientDocuments: ClientDocuments;
}

/**
 * The client with this id, however this server knows it: the one way in for every endpoint.
 *
 * Whether it may act is the caller's question. A document that is kept and counts costs no outbound request.
 *
 * @throws {HostNotAllowedError}
 * @throws {ClientDocumentError}
 * @throws {OAuthError} `temporarily_unavailable`
 */
export async function findClient(
  clientId: string,
  requester: Requester,
  { store, clientDocuments }: ClientSources,
): Promise<Client | undefined> {
  return looksLikeAddress(clientId)
    ? await clientDocuments.find(clientId, requester)
    : await store.clients.find(clientId);
}
