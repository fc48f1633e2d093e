import type { Logger } from "pino";
import type { OutboundFetch } from "../../../platform/outbound/outbound-fetch.js";
import type { RateLimiter } from "../../../platform/rate-limits/rate-limiter.js";
import { recordAudit } from "../../../audit/record.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { changedFields } from "../../../audit/changed-fields.js";
import type { Refusal, Refusals } from "../../../audit/refusals.js";
import { type Client, registeredClient } from "../../../store/clients.js";
import type { ClientDocument, DocumentedClient } from "../../../store/client-documents.js";
import type { OpenStore, Store } from "../../../store/store.js";
import { ClientDocumentError, HostNotAllowedError } from "./document-error.js";
import {
  type FetchedDocument,
  fetchDocument,
  longestUseSeconds,
  shortestFreshSeconds,
} from "./fetch-document.js";
import type { ClientDescription } from "./read-document.js";

/**
 * Fetches per minute. Those of unknown documents count by the address of the request and by host, so that a stranger uses up neither the
 * share of others nor that of known documents.
 */
const fetchesPerMinute = { ofAddress: 10, ofHost: 60, ofKnown: 6 } as const;
/** Stored documents: far above what an installation uses, low enough that strangers cannot fill the table. The oldest unused one is evicted. */
const mostDocuments = { ofHost: 50, ofAll: 2_000 } as const;

/** Returns the address that a request came from. */
export type Requester = () => string;

/** A document to be fetched, what is stored of it, and the request that needs it. */
export interface Wanted {
  readonly address: URL;
  readonly kept: DocumentedClient | undefined;
  readonly requester: Requester;
}

export interface RefreshContext {
  readonly store: OpenStore;
  readonly outboundFetch: OutboundFetch;
  readonly rateLimiter: Pick<RateLimiter, "takeOwn">;
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
}

interface RefreshedClient {
  readonly client: Client;
  readonly freshUntil: Date;
}

/** Returns whether clients may have documents at all. @throws {HostNotAllowedError} */
export async function judgeHost({ href, host }: URL, store: Pick<Store, "appHosts">): Promise<boolean> {
  const { allowed, trust } = await store.appHosts.judge(host);
  if (trust === "off") return false;
  if (!allowed) throw new HostNotAllowedError({ clientId: href, host });
  return true;
}

/**
 * Fetches a document and stores what it says. A refused one ends the stored one; an outage of its publisher does not.
 * `undefined` while clients may not have documents.
 *
 * @throws {HostNotAllowedError}
 * @throws {ClientDocumentError}
 * @throws {RateLimitedError}
 * @throws {OAuthError} `temporarily_unavailable`: there is no room.
 */
export async function refreshDocument(
  wanted: Wanted,
  context: RefreshContext,
): Promise<RefreshedClient | undefined> {
  const { address, kept } = wanted;
  const { store, clock } = context;
  if (kept === undefined && !(await judgeHost(address, store))) return undefined;
  await countFetch(wanted, context);
  try {
    return await fetchAndStore(wanted, context);
  } catch (error) {
    if (!(error instanceof ClientDocumentError)) throw error;
    await recordRefusal(wanted, error, context);
    if (kept !== undefined && !error.isOutage) {
      await store.clientDocuments.withdraw(kept.document, new Date(clock()));
    } else if (kept !== undefined && kept.document.countsUntil.getTime() > clock()) {
      const freshUntil = new Date(clock() + shortestFreshSeconds * 1000);
      await store.clientDocuments.extend(address.href, freshUntil);
    }
    throw error;
  }
}

/** @throws {RateLimitedError} */
async function countFetch(
  { address: { href, host }, kept, requester }: Wanted,
  { rateLimiter }: RefreshContext,
): Promise<void> {
  const { ofAddress, ofHost, ofKnown } = fetchesPerMinute;
  if (kept !== undefined)
    return await rateLimiter.takeOwn({ name: "client-document.known", key: href, perMinute: ofKnown });
  await rateLimiter.takeOwn({ name: "client-document.address", key: requester(), perMinute: ofAddress });
  await rateLimiter.takeOwn({ name: "client-document.host", key: host, perMinute: ofHost });
}

async function fetchAndStore(wanted: Wanted, context: RefreshContext): Promise<RefreshedClient> {
  const { address, kept } = wanted;
  const { store, outboundFetch, clock } = context;
  const etag = kept?.document.etag ?? null;
  const fetched = await fetchDocument(address, etag, { outboundFetch, now: clock() });
  const at = new Date(clock());
  const after = (seconds: number) => new Date(at.getTime() + seconds * 1000);
  const freshUntil = after(fetched.freshSeconds);
  if (fetched.kind === "document") {
    const countsUntil = after(longestUseSeconds(fetched.description));
    const document = { ...fetched, freshUntil, countsUntil };
    return { freshUntil, client: await storeDocument(wanted, { document, at }, context) };
  }
  if (kept === undefined) throw new Error("A document that is not stored cannot be unchanged.");
  const countsUntil = after(longestUseSeconds(kept.client));
  await store.clientDocuments.save({ ...kept.document, fetchedAt: at, freshUntil, countsUntil });
  return { freshUntil, client: kept.client };
}

async function recordRefusal(
  { address: { href: clientId, host }, requester }: Wanted,
  { fault, cause }: ClientDocumentError,
  { store, refusals, clock, log }: RefreshContext,
): Promise<void> {
  log.warn(
    {
      code: "CLIENT_DOCUMENT_REFUSED",
      clientId,
      host,
      reason: fault,
      ...(cause instanceof Error && { cause: cause.message }),
    },
    "The metadata document of a client was refused.",
  );
  await refusals.from(requester()).record(store, {
    type: "client_document.refused",
    outcome: "denied",
    actor: { type: "system" },
    at: new Date(clock()),
    clientId,
    data: { host, reason: fault },
  });
}

type Document = Omit<Extract<FetchedDocument, { kind: "document" }>, "freshSeconds"> &
  Pick<ClientDocument, "freshUntil" | "countsUntil">;

/**
 * Stores what a document says, and the client with it when it is new.
 *
 * The host is judged again under a lock on the settings, so that no client of a host is stored that has just lost its permission.
 */
async function storeDocument(
  { address: { href: clientId, host }, kept, requester }: Wanted,
  { document, at }: { readonly document: Document; readonly at: Date },
  { store, refusals }: RefreshContext,
): Promise<Client> {
  const { description, digest, etag, freshUntil, countsUntil } = document;
  const described = { clientId, host, description, at };
  // Admitted before the transaction, which must not wait for a second connection. A new app counts against the address that brings it, a
  // changed one against its host.
  const expected = eventOf(kept?.client, described);
  const counted = refusals.from(kept === undefined ? requester() : host);
  const isAdmitted = expected !== undefined && (await counted.admit(expected));
  return await store.transaction(async (transaction) => {
    await transaction.settings.hold();
    if (!(await transaction.appHosts.judge(host)).allowed) throw new HostNotAllowedError({ clientId, host });
    const event = eventOf(await transaction.clients.find(clientId), described);
    if (event !== undefined && (await describeClient(event, described, transaction))) {
      // Another process may have stored or removed the client since. An event that was not expected is recorded always.
      if (isAdmitted || event.type !== expected?.type) await recordAudit(transaction, event);
    }
    const row = { clientId, host, digest, etag, fetchedAt: at, freshUntil, countsUntil };
    await transaction.clientDocuments.save(row);
    const client = await transaction.clients.find(clientId);
    if (client === undefined) throw new Error("A client that was just stored is not there.");
    return client;
  });
}

interface DescribedClient {
  readonly clientId: string;
  readonly host: string;
  readonly description: ClientDescription;
  readonly at: Date;
}

const source = "metadata_document";

/** The event of a new or changed description; `undefined` when nothing changed. */
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

/** Stores a new or changed client. Returns `false` when another process stored the new one at the same moment. */
async function describeClient({ type }: Refusal, described: DescribedClient, store: Store): Promise<boolean> {
  if (type === "client.registered") return await addClient(store, described);
  await store.clients.describeAnew(described.clientId, described.description, described.at);
  return true;
}

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
