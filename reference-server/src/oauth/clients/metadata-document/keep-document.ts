import { recordAudit } from "../../../audit/record.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { changedFields } from "../../../audit/changed-fields.js";
import { type Client, registeredClient } from "../../../store/clients.js";
import type { OpenStore, Store } from "../../../store/store.js";
import { HostNotAllowedError } from "../host-not-allowed.js";
import type { FetchedDocument } from "./fetch-document.js";
import type { ClientDescription } from "./read-document.js";

/**
 * Documents that are kept: far more than an installation has apps, and so few that strangers who may come from any host cannot fill the
 * table. The oldest that nobody uses makes room.
 */
const mostDocuments = { ofHost: 50, ofAll: 2_000 } as const;

type Document = Omit<Extract<FetchedDocument, { kind: "document" }>, "freshSeconds"> & {
  readonly freshUntil: Date;
};

/**
 * Stores what a document says, and the client with it when it is new.
 *
 * The host is judged once more, while nobody can change what is decided about it: so there is no client of a host that has just
 * lost its permission.
 *
 * @throws {HostNotAllowedError}
 * @throws {OAuthError} `temporarily_unavailable`: there is no room.
 */
export async function keepDocument(
  address: URL,
  fetched: Document,
  { store, at }: { readonly store: Pick<OpenStore, "transaction">; readonly at: Date },
): Promise<Client> {
  const { href: clientId, host } = address;
  const { description, digest, etag, freshUntil } = fetched;
  return await store.transaction(async (transaction) => {
    await transaction.settings.hold();
    if (!(await transaction.appHosts.judge(host)).allowed) throw new HostNotAllowedError({ clientId, host });
    const before = await transaction.clients.find(clientId);
    if (before === undefined) await addClient(transaction, { clientId, host, description, at });
    else await changeClient(transaction, { before, description, at });
    await transaction.clientDocuments.save({ clientId, host, digest, etag, fetchedAt: at, freshUntil });
    const client = await transaction.clients.find(clientId);
    if (client === undefined) throw new Error("A client that was just stored is not there.");
    return client;
  });
}

interface NewClient {
  readonly clientId: string;
  readonly host: string;
  readonly description: ClientDescription;
  readonly at: Date;
}

async function addClient(store: Store, { clientId, host, description, at }: NewClient): Promise<void> {
  const source = "metadata_document";
  const ofHost = await store.clients.makeRoom({ source, host, most: mostDocuments.ofHost });
  if (!ofHost || !(await store.clients.makeRoom({ source, host: null, most: mostDocuments.ofAll }))) {
    throw new OAuthError(
      "temporarily_unavailable",
      "registrations_full",
      "There are too many apps here that nobody uses yet. Try again later.",
      { retryAfterSeconds: 60 },
    );
  }
  const decided = { id: clientId, source, builtIn: false, enabled: true } as const;
  if (!(await store.clients.insertMissing({ ...registeredClient, ...description, ...decided }, at))) return;
  const { name, redirectUris } = description;
  await recordAudit(store, {
    type: "client.registered",
    outcome: "success",
    actor: { type: "system" },
    at,
    clientId,
    data: { source, name, redirectUris },
  });
}

interface ChangedClient {
  readonly before: Client;
  readonly description: ClientDescription;
  readonly at: Date;
}

async function changeClient(store: Store, { before, description, at }: ChangedClient): Promise<void> {
  const fields = changedFields(before, description);
  if (fields.length === 0) return;
  await store.clients.describeAnew(before.id, description, at);
  await recordAudit(store, {
    type: "client_document.changed",
    outcome: "success",
    actor: { type: "system" },
    at,
    clientId: before.id,
    data: { fields },
  });
}
