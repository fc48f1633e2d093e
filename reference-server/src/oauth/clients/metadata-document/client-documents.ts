import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Refusals } from "../../../audit/refusals.js";
import type { Config } from "../../../config/config.js";
import type { OutboundFetch } from "../../../platform/outbound/outbound-fetch.js";
import { RateLimitedError, type RateLimiter } from "../../../platform/rate-limits/rate-limiter.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import type { DocumentedClient } from "../../../store/client-documents.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { OpenStore, Store } from "../../../store/store.js";
import { ClientDocumentError, HostNotAllowedError } from "./document-error.js";
import { fetchDocument, longestUseSeconds, shortestFreshSeconds } from "./fetch-document.js";
import { keepDocument } from "./keep-document.js";
import { documentAddress, looksLikeAddress } from "./read-document.js";

/** For so long after it is no longer fresh, a document that is kept is used without waiting, and asked for behind the request. */
const staleSeconds = 3600;
/**
 * Fetches in a minute. Those of documents that are not known are counted by the address of the request and by host, so that a stranger
 * uses up neither the share of others nor that of known documents.
 */
const fetchesPerMinute = { ofAddress: 10, ofHost: 60, ofKnown: 6 } as const;
/** Fetches at the same time, by everyone and for requests of one address. */
const mostAtOnce = {
  all: { ofEveryone: 32, ofAddress: 8 },
  /** Of documents that are not known. */
  unknown: { ofEveryone: 24, ofAddress: 4 },
} as const;
/** For how long, and for how many clients, a process remembers that it need not look. */
const rememberedSeconds = 300;
const mostRemembered = 1_000;

interface ClientDocumentsContext {
  readonly config: Pick<Config, "allowInsecureLoopback">;
  readonly store: OpenStore;
  readonly outboundFetch: OutboundFetch;
  readonly rateLimiter: Pick<RateLimiter, "takeOwn">;
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** Where a request came from, for what is counted by it. */
export type Requester = () => string;

/** The clients whose id is the address of their metadata document. */
export interface ClientDocuments {
  /**
   * The client at an address: as it is kept while that counts, else as it is fetched. `undefined` while such clients are switched
   * off, and for one that an administrator has switched off.
   *
   * @throws {HostNotAllowedError}
   * @throws {ClientDocumentError} The document is refused, or cannot be fetched while none that is kept counts.
   * @throws {RateLimitedError}
   * @throws {OAuthError} `temporarily_unavailable`
   */
  readonly find: (clientId: string, requester: Requester) => Promise<Client | undefined>;
  /**
   * Makes sure that what the database has about a client counts, for whoever reads it there next. Costs nothing for registered clients, and for others
   * one look every five minutes.
   *
   * @throws as `find`
   */
  readonly ensure: (clientId: string, requester: Requester) => Promise<void>;
}

/** A fetch that is going on. */
interface Fetch {
  readonly client: Promise<Client | undefined>;
  readonly isKnown: boolean;
  /** The address that it began for. */
  readonly requestedBy: string;
}

/** What is to be fetched, and for whom. */
interface Wanted {
  readonly address: URL;
  readonly kept: DocumentedClient | undefined;
  readonly requester: Requester;
}

/** Creates the finder of clients with documents. Requests that come together for the same one share one fetch. */
export function createClientDocuments(context: ClientDocumentsContext): ClientDocuments {
  const { config, store, outboundFetch, rateLimiter, refusals, clock, log } = context;
  const running = new Map<string, Fetch>();
  /** Until when the database need not be asked whether a document counts. */
  const known = new LRUCache<string, number>({ max: mostRemembered });

  function remember(clientId: string, freshUntil: Date): void {
    known.set(clientId, Math.min(freshUntil.getTime(), clock() + rememberedSeconds * 1000));
  }

  async function find(clientId: string, requester: Requester): Promise<Client | undefined> {
    const address = documentAddress(clientId, config);
    if (address === undefined) throw new ClientDocumentError("document_address");
    const kept = await store.clientDocuments.find(clientId);
    if (kept !== undefined && !mayAct(kept.client)) {
      // What an administrator switched off is nobody's to ask for.
      if (!kept.client.enabled) return undefined;
      await judge(address);
      return kept.client;
    }
    const wanted = { address, kept, requester };
    if (kept === undefined || !counts(kept)) return await share(wanted);
    const freshUntil = kept.document.freshUntil.getTime();
    if (freshUntil > clock()) remember(clientId, kept.document.freshUntil);
    else if (freshUntil + staleSeconds * 1000 > clock()) refreshBehind(wanted);
    else return await share(wanted).catch((error: unknown) => getBy(kept, error));
    return kept.client;
  }

  /** Returns whether clients may have documents at all. @throws {HostNotAllowedError} */
  async function judge(address: URL): Promise<boolean> {
    const { allowed, trust } = await store.appHosts.judge(address.host);
    if (trust === "off") return false;
    if (!allowed) throw new HostNotAllowedError({ clientId: address.href, host: address.host });
    return true;
  }

  /** Uses what is kept when nothing is known about the document, only that it could not be fetched. */
  function getBy(kept: DocumentedClient, error: unknown): Client {
    const isUnknown = error instanceof RateLimitedError || isUnavailable(error);
    if (isUnknown && counts(kept)) return kept.client;
    throw error;
  }

  function refreshBehind(wanted: Wanted): void {
    const clientId = wanted.address.href;
    share(wanted).catch((err: unknown) => {
      // A refusal has its own line in the log, and a busy minute needs none: the next request tries again.
      if (err instanceof OAuthError || err instanceof RateLimitedError) return;
      log.warn(
        { code: "CLIENT_DOCUMENT_NOT_REFRESHED", clientId, err },
        "The metadata document of a client could not be looked at; trying again.",
      );
    });
  }

  /** Waits for the fetch of a document, which begins unless it is going on. */
  async function share(wanted: Wanted): Promise<Client | undefined> {
    const clientId = wanted.address.href;
    const other = running.get(clientId);
    if (other !== undefined) return await other.client;
    const begun = { isKnown: wanted.kept !== undefined, requestedBy: wanted.requester() };
    if (!hasPlace(begun)) {
      const message = "Too many metadata documents of clients are being fetched. Try again.";
      throw new OAuthError("temporarily_unavailable", "too_many_at_once", message);
    }
    const client = fetchClient(wanted).finally(() => running.delete(clientId));
    running.set(clientId, { ...begun, client });
    return await client;
  }

  function hasPlace({ isKnown, requestedBy }: Omit<Fetch, "client">): boolean {
    const { ofEveryone, ofAddress } = isKnown ? mostAtOnce.all : mostAtOnce.unknown;
    const counted = [...running.values()].filter((fetch) => isKnown || !fetch.isKnown);
    const own = counted.filter((fetch) => fetch.requestedBy === requestedBy);
    return counted.length < ofEveryone && own.length < ofAddress;
  }

  async function fetchClient(wanted: Wanted): Promise<Client | undefined> {
    const { address, kept } = wanted;
    if (kept === undefined && !(await judge(address))) return undefined;
    await countFetch(wanted);
    try {
      return await refresh(wanted);
    } catch (error) {
      if (!(error instanceof ClientDocumentError)) throw error;
      await recordRefusal(wanted, error);
      if (kept === undefined) throw error;
      if (!error.isOutage) {
        known.delete(address.href);
        await store.clientDocuments.withdraw(kept.document, new Date(clock()));
      } else if (counts(kept)) {
        const freshUntil = new Date(clock() + shortestFreshSeconds * 1000);
        await store.clientDocuments.extend(address.href, freshUntil);
      }
      throw error;
    }
  }

  /** @throws {RateLimitedError} */
  async function countFetch({ address: { href, host }, kept, requester }: Wanted): Promise<void> {
    const { ofAddress, ofHost, ofKnown } = fetchesPerMinute;
    if (kept !== undefined)
      return await rateLimiter.takeOwn({ name: "client-document.known", key: href, perMinute: ofKnown });
    await rateLimiter.takeOwn({ name: "client-document.address", key: requester(), perMinute: ofAddress });
    await rateLimiter.takeOwn({ name: "client-document.host", key: host, perMinute: ofHost });
  }

  async function refresh({ address, kept, requester }: Wanted): Promise<Client> {
    const fetched = await fetchDocument(address, kept?.document.etag ?? null, {
      outboundFetch,
      now: clock(),
    });
    const at = new Date(clock());
    const after = (seconds: number) => new Date(at.getTime() + seconds * 1000);
    const freshUntil = after(fetched.freshSeconds);
    const client = await keep();
    remember(address.href, freshUntil);
    return client;

    async function keep(): Promise<Client> {
      if (fetched.kind === "document") {
        const countsUntil = after(longestUseSeconds(fetched.description));
        const document = { ...fetched, freshUntil, countsUntil };
        return await keepDocument(address, document, { store, refusals, kept, requester, at });
      }
      if (kept === undefined) throw new Error("A document that nobody has cannot be unchanged.");
      const countsUntil = after(longestUseSeconds(kept.client));
      await store.clientDocuments.save({ ...kept.document, fetchedAt: at, freshUntil, countsUntil });
      return kept.client;
    }
  }

  const counts = ({ document }: DocumentedClient) => document.countsUntil.getTime() > clock();

  async function recordRefusal({ address, requester }: Wanted, { fault, cause }: ClientDocumentError) {
    const { href: clientId, host } = address;
    log.warn(
      { code: "CLIENT_DOCUMENT_REFUSED", clientId, host, reason: fault, ...causeOf(cause) },
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

  return {
    find,
    async ensure(clientId, requester) {
      if (!looksLikeAddress(clientId) || (known.get(clientId) ?? 0) > clock()) return;
      await find(clientId, requester);
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof OAuthError && error.code === "temporarily_unavailable";
}

function causeOf(cause: unknown): { readonly cause?: string } {
  return cause instanceof Error ? { cause: cause.message } : {};
}

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
