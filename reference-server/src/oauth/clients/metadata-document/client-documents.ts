import { LRUCache } from "lru-cache";
import type { Config } from "../../../config/config.js";
import { RateLimitedError } from "../../../platform/rate-limits/rate-limiter.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import type { DocumentedClient } from "../../../store/client-documents.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { Store } from "../../../store/store.js";
import { ClientDocumentError } from "./document-error.js";
import { documentAddress, looksLikeAddress } from "./read-document.js";
import {
  judgeHost,
  type RefreshContext,
  refreshDocument,
  type Requester,
  type Wanted,
} from "./refresh-document.js";

/** How long a stored document is used after its freshness ended, while it is fetched again in the background. */
const staleSeconds = 3600;
/** Maximum concurrent fetches, in total and for requests from one address. */
const mostAtOnce = {
  all: { ofEveryone: 32, ofAddress: 8 },
  /** Of unknown documents. */
  unknown: { ofEveryone: 24, ofAddress: 4 },
} as const;
/** How long, and for how many clients, a process skips the look into the database. */
const rememberedSeconds = 300;
const mostRemembered = 1_000;

interface ClientDocumentsContext extends RefreshContext {
  readonly config: Pick<Config, "allowInsecureLoopback">;
}

/** The clients whose id is the address of their metadata document. */
export interface ClientDocuments {
  /**
   * The client at an address: as it is stored while that counts, else as it is fetched. `undefined` while such clients are switched
   * off, and for one that an administrator has switched off.
   *
   * @throws {HostNotAllowedError}
   * @throws {ClientDocumentError} The document is refused, or cannot be fetched while no stored one counts.
   * @throws {RateLimitedError}
   * @throws {OAuthError} `temporarily_unavailable`
   */
  readonly find: (clientId: string, requester: Requester) => Promise<Client | undefined>;
  /**
   * Makes sure that the database's row of a client counts before it is read. Costs nothing for registered clients, and one look every
   * five minutes for others.
   *
   * @throws as `find`
   */
  readonly ensure: (clientId: string, requester: Requester) => Promise<void>;
}

/** Creates the finder of clients with documents. Concurrent requests for the same one share one fetch. */
export function createClientDocuments(context: ClientDocumentsContext): ClientDocuments {
  const { config, store, clock, log } = context;
  /** Until when the database need not be asked whether a document counts. */
  const known = new LRUCache<string, number>({ max: mostRemembered });
  const fetches = createSharedFetches();

  function remember(clientId: string, freshUntil: Date): void {
    known.set(clientId, Math.min(freshUntil.getTime(), clock() + rememberedSeconds * 1000));
  }

  async function find(clientId: string, requester: Requester): Promise<Client | undefined> {
    const address = documentAddress(clientId, config);
    if (address === undefined) throw new ClientDocumentError("document_address");
    const kept = await store.clientDocuments.find(clientId);
    if (kept !== undefined && !mayAct(kept.client)) {
      // An administrator's decision about the client comes before one about its host.
      if (!kept.client.enabled) return undefined;
      await judgeHost(address, store);
      return kept.client;
    }
    const wanted = { address, kept, requester };
    if (kept === undefined || !counts(kept)) return await refresh(wanted);
    const freshUntil = kept.document.freshUntil.getTime();
    if (freshUntil > clock()) remember(clientId, kept.document.freshUntil);
    else if (freshUntil + staleSeconds * 1000 > clock()) refreshBehind(wanted);
    else return await refresh(wanted).catch((error: unknown) => useKept(kept, error));
    return kept.client;
  }

  const counts = ({ document }: DocumentedClient) => document.countsUntil.getTime() > clock();

  /** Uses the stored client if all that is known is that its document could not be fetched. */
  function useKept(kept: DocumentedClient, error: unknown): Client {
    const isAway = error instanceof OAuthError && error.code === "temporarily_unavailable";
    if ((isAway || error instanceof RateLimitedError) && counts(kept)) return kept.client;
    throw error;
  }

  function refreshBehind(wanted: Wanted): void {
    const clientId = wanted.address.href;
    refresh(wanted).catch((err: unknown) => {
      // A refusal has its own line in the log. After a rate limit the next request tries again.
      if (err instanceof OAuthError || err instanceof RateLimitedError) return;
      log.warn(
        { code: "CLIENT_DOCUMENT_NOT_REFRESHED", clientId, err },
        "The metadata document of a client could not be looked at; trying again.",
      );
    });
  }

  async function refresh(wanted: Wanted): Promise<Client | undefined> {
    const clientId = wanted.address.href;
    return await fetches.share(wanted, async () => {
      try {
        const refreshed = await refreshDocument(wanted, context);
        if (refreshed !== undefined) remember(clientId, refreshed.freshUntil);
        return refreshed?.client;
      } catch (error) {
        if (error instanceof ClientDocumentError && !error.isOutage) known.delete(clientId);
        throw error;
      }
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

interface RunningFetch {
  readonly client: Promise<Client | undefined>;
  readonly isKnown: boolean;
  /** The address of the request that started it. */
  readonly requestedBy: string;
}

/** Shares one fetch per document among concurrent requests, within the limits of concurrent fetches. */
function createSharedFetches() {
  const running = new Map<string, RunningFetch>();

  function hasRoom({ isKnown, requestedBy }: Omit<RunningFetch, "client">): boolean {
    const { ofEveryone, ofAddress } = isKnown ? mostAtOnce.all : mostAtOnce.unknown;
    const counted = [...running.values()].filter((fetch) => isKnown || !fetch.isKnown);
    const own = counted.filter((fetch) => fetch.requestedBy === requestedBy);
    return counted.length < ofEveryone && own.length < ofAddress;
  }

  return {
    async share(
      { address: { href }, kept, requester }: Wanted,
      fetch: () => Promise<Client | undefined>,
    ): Promise<Client | undefined> {
      const other = running.get(href);
      if (other !== undefined) return await other.client;
      const started = { isKnown: kept !== undefined, requestedBy: requester() };
      if (!hasRoom(started)) {
        const message = "Too many metadata documents of clients are being fetched. Try again.";
        throw new OAuthError("temporarily_unavailable", "too_many_at_once", message);
      }
      const client = fetch().finally(() => running.delete(href));
      running.set(href, { ...started, client });
      return await client;
    },
  };
}

/** Where clients are found. */
export interface ClientSources {
  readonly store: Pick<Store, "clients">;
  readonly clientDocuments: ClientDocuments;
}

/**
 * Finds a client by its id, whether it was registered or has a document. Whether it may act is for the caller to check.
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
