import { recordAudit } from "../../../audit/record.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { changedFields } from "../../../audit/changed-fields.js";
import type { Refusal, Refusals } from "../../../audit/refusals.js";
import { type Client, registeredClient } from "../../../store/clients.js";
import type { ClientDocument, DocumentedClient } from "../../../store/client-documents.js";
import type { OpenStore, Store } from "../../../store/store.js";
import { HostNotAllowedError } from "./document-error.js";
import type { FetchedDocument } from "./fetch-document.js";
import type { ClientDescription } from "./read-document.js";

/**
 * Documents that are kept: far more than an installation has apps, and so few that strangers who may come from any host cannot fill the
 * table. The oldest that nobody uses makes room.
 */
const mostDocuments = { ofHost: 50, ofAll: 2_000 } as const;

type Document = Omit<Extract<FetchedDocument, { kind: "document" }>, "freshSeconds"> &
  Pick<ClientDocument, "freshUntil" | "countsUntil">;

export interface KeepContext {
  readonly store: Pick<OpenStore, "transaction">;
  readonly refusals: Pick<Refusals, "from">;
  /** What was known before the document was fetched. */
  readonly kept: DocumentedClient | undefined;
  /** The address of the request that it was fetched for. */
  readonly requester: () => string;
  readonly at: Date;
}

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
  { store, refusals, kept, requester, at }: KeepContext,
): Promise<Client> {
  const { href: clientId, host } = address;
  const { description, digest, etag, freshUntil, countsUntil } = fetched;
  const described = { clientId, host, description, at };
  // Asked before the transaction, which must not wait for a second connection. An app that is new counts against the address that brings
  // it, one that changes against the host that changes it.
  const expected = eventOf(kept?.client, described);
  const counted = refusals.from(kept === undefined ? requester() : host);
  const isAdmitted = expected !== undefined && (await counted.admit(expected));
  return await store.transaction(async (transaction) => {
    await transaction.settings.hold();
    if (!(await transaction.appHosts.judge(host)).allowed) throw new HostNotAllowedError({ clientId, host });
    const before = await transaction.clients.find(clientId);
    const event = eventOf(before, described);
    if (event !== undefined && (await describe(event))) {
      // Another process may have stored or removed the client since: what was not expected is recorded.
      if (isAdmitted || event.type !== expected?.type) await recordAudit(transaction, event);
    }
    const row = { clientId, host, digest, etag, fetchedAt: at, freshUntil, countsUntil };
    await transaction.clientDocuments.save(row);
    const client = await transaction.clients.find(clientId);
    if (client === undefined) throw new Error("A client that was just stored is not there.");
    return client;

    async function describe({ type }: Refusal): Promise<boolean> {
      if (type === "client.registered") return await addClient(transaction, described);
      await transaction.clients.describeAnew(clientId, description, at);
      return true;
    }
  });
}

interface DescribedClient {
  readonly clientId: string;
  readonly host: string;
  readonly description: ClientDescription;
  readonly at: Date;
}

const source = "metadata_document";

/** What is new about a client; `undefined` when it says what it said before. */
function eventOf(
  before: Client | undefined,
  { clientId, description, at }: DescribedClient,
): Refusal | undefined {
  const common = { outcome: "success", actor: { type: "system" }, at, clientId } as const;
  const { name, redirectUris } = description;
  if (before === undefined)
    return { ...common, type: "client.registered", data: { source, name, redirectUris } };
  const fields = changedFields(before, description);
  return fields.length === 0 ? undefined : { ...common, type: "client_document.changed", data: { fields } };
}

/** Returns whether the client was new: another process may have stored it at the same moment. */
async function addClient(
  store: Store,
  { clientId, host, description, at }: DescribedClient,
): Promise<boolean> {
  const ofHost = await store.clients.makeRoom({ source, host, most: mostDocuments.ofHost });
  if (!ofHost || !(await store.clients.makeRoom({ source, host: null, most: mostDocuments.ofAll }))) {
    throw new OAuthError(
      "temporarily_unavailable",
      "registrations_full",
      "There are too many apps here that people are signed in with. Try again later.",
      { retryAfterSeconds: 60 },
    );
  }
  const decided = { id: clientId, source, builtIn: false, enabled: true } as const;
  return await store.clients.insertMissing({ ...registeredClient, ...description, ...decided }, at);
}
