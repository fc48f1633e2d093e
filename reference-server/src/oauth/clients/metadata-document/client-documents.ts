import type { Logger } from "pino";
import type { Refusals } from "../../../audit/refusals.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import type { Config } from "../../../config/config.js";
import type { OutboundFetch } from "../../../platform/outbound/outbound-fetch.js";
import { RateLimitedError, type RateLimiter } from "../../../platform/rate-limits/rate-limiter.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { DocumentedClient } from "../../../store/client-documents.js";
import type { OpenStore } from "../../../store/store.js";
import { HostNotAllowedError } from "../host-not-allowed.js";
import { documentAddress, looksLikeAddress } from "./address.js";
import { ClientDocumentError } from "./document-error.js";
import { fetchDocument } from "./fetch-document.js";
import { shortestFreshSeconds } from "./freshness.js";
import { keepDocument } from "./keep-document.js";

/** A document that was fetched no longer ago counts while its address is away: a bad day of its publisher ends nobody's session. */
const longestUseSeconds = 2 * 24 * 3600;
/** More than any host's apps are used by people who come for the first time. */
const fetchesPerMinute = 60;
/** So many hosts that do not answer cost nobody else anything. */
const mostAtOnce = 32;
/** For how long, and for how many clients, a process remembers that it need not look. */
const rememberedSeconds = 300;
const mostRemembered = 1_000;

export interface ClientDocumentsContext {
  readonly config: Pick<Config, "allowInsecureLoopback">;
  readonly store: OpenStore;
  readonly outboundFetch: OutboundFetch;
  readonly rateLimiter: Pick<RateLimiter, "takeOwn">;
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** The clients whose id is the address of their metadata document. */
export interface ClientDocuments {
  /**
   * The client at an address: as it is kept while that counts, else as it is fetched. `undefined` while such clients are switched
   * off, and for one that an administrator has switched off.
   *
   * @throws {HostNotAllowedError}
   * @throws {ClientDocumentError} The document is refused, and none is kept.
   * @throws {OAuthError} `temporarily_unavailable`
   */
  readonly find: (clientId: string) => Promise<Client | undefined>;
  /**
   * Makes sure that what the database has about a client counts, for whoever reads it there next. Costs nothing for registered clients, and for others
   * one look every five minutes.
   *
   * @throws as `find`
   */
  readonly ensure: (clientId: string) => Promise<void>;
}

/** Creates the finder of clients with documents. Requests that come together for the same one share one fetch. */
export function createClientDocuments(context: ClientDocumentsContext): ClientDocuments {
  const { config, store, outboundFetch, rateLimiter, refusals, clock, log } = context;
  const running = new Map<string, Promise<Client | undefined>>();
  /** Until when the database need not be asked whether a document counts. */
  const known = new Map<string, number>();

  function remember(clientId: string, freshUntil: Date): void {
    known.delete(clientId);
    known.set(clientId, Math.min(freshUntil.getTime(), clock() + rememberedSeconds * 1000));
    const [oldest] = known.keys();
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
  }

  async function find(clientId: string): Promise<Client | undefined> {
    const address = documentAddress(clientId, config);
    if (address === undefined) throw new ClientDocumentError("document_address");
    const kept = await store.clientDocuments.find(clientId);
    if (kept !== undefined && !mayAct(kept.client)) {
      // What an administrator switched off is nobody's to ask for.
      if (!kept.client.enabled) return undefined;
      await judge(address);
      return kept.client;
    }
    if (kept !== undefined && kept.document.freshUntil.getTime() > clock()) {
      remember(clientId, kept.document.freshUntil);
      return kept.client;
    }
    return await share(clientId, () => fetchClient(address, kept));
  }

  /** Returns whether clients may have documents at all. @throws {HostNotAllowedError} */
  async function judge(address: URL): Promise<boolean> {
    const { allowed, trust } = await store.appHosts.judge(address.host);
    if (trust === "off") return false;
    if (!allowed) throw new HostNotAllowedError({ clientId: address.href, host: address.host });
    return true;
  }

  async function share(
    clientId: string,
    work: () => Promise<Client | undefined>,
  ): Promise<Client | undefined> {
    const other = running.get(clientId);
    if (other !== undefined) return await other;
    if (running.size >= mostAtOnce) {
      const message = "Too many metadata documents of clients are being fetched. Try again.";
      throw new OAuthError("temporarily_unavailable", "too_many_at_once", message);
    }
    const own = work().finally(() => running.delete(clientId));
    running.set(clientId, own);
    return await own;
  }

  async function fetchClient(address: URL, kept: DocumentedClient | undefined): Promise<Client | undefined> {
    if (kept === undefined && !(await judge(address))) return undefined;
    try {
      await rateLimiter.takeOwn({
        name: "client-document.host",
        key: address.host,
        perMinute: fetchesPerMinute,
      });
      return await refresh(address, kept);
    } catch (error) {
      if (error instanceof ClientDocumentError) await recordRefusal(address, error);
      else if (!(error instanceof RateLimitedError)) throw error;
      if (kept === undefined || !isStillGood(kept)) throw error;
      const freshUntil = new Date(clock() + shortestFreshSeconds * 1000);
      await store.clientDocuments.extend(address.href, freshUntil);
      remember(address.href, freshUntil);
      return kept.client;
    }
  }

  async function refresh(address: URL, kept: DocumentedClient | undefined): Promise<Client> {
    const fetched = await fetchDocument(address, kept?.document.etag ?? null, {
      outboundFetch,
      now: clock(),
    });
    const at = new Date(clock());
    const freshUntil = new Date(at.getTime() + fetched.freshSeconds * 1000);
    const client = await keep();
    remember(address.href, freshUntil);
    return client;

    async function keep(): Promise<Client> {
      if (fetched.kind === "document")
        return await keepDocument(address, { ...fetched, freshUntil }, { store, at });
      if (kept === undefined) throw new Error("A document that nobody has cannot be unchanged.");
      await store.clientDocuments.save({ ...kept.document, fetchedAt: at, freshUntil });
      return kept.client;
    }
  }

  function isStillGood({ document }: DocumentedClient): boolean {
    return document.fetchedAt.getTime() + longestUseSeconds * 1000 > clock();
  }

  /** It counts against its host: whoever brings the address may be anybody. */
  async function recordRefusal({ href: clientId, host }: URL, { fault, cause }: ClientDocumentError) {
    log.warn(
      { code: "CLIENT_DOCUMENT_REFUSED", clientId, host, reason: fault, ...causeOf(cause) },
      "The metadata document of a client was refused.",
    );
    await refusals.from(host).record(store, {
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
    async ensure(clientId) {
      if (!looksLikeAddress(clientId) || (known.get(clientId) ?? 0) > clock()) return;
      await find(clientId);
    },
  };
}

function causeOf(cause: unknown): { readonly cause?: string } {
  return cause instanceof Error ? { cause: cause.message } : {};
}
