import { createHash } from "node:crypto";
import { OutboundError, type OutboundErrorReason } from "../../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../../platform/outbound/outbound-fetch.js";
import type { Client } from "../../../store/clients.js";
import { ClientDocumentError, type DocumentFault } from "./document-error.js";
import { type ClientDescription, readDocument, readKeySet } from "./read-document.js";

const documentBytes = 5 * 1024;
const keySetBytes = 32 * 1024;
const timeoutSeconds = 5;
const jsonType = /^application\/(?:[a-z0-9!#$&^_.-]+\+)?json[ \t]*(?:;|$)/i;

/** The answer at the address of a client. */
export type FetchedDocument =
  | { readonly kind: "unchanged"; readonly freshSeconds: number }
  | {
      readonly kind: "document";
      readonly description: ClientDescription;
      /** SHA-256 of the document as it came. */
      readonly digest: Buffer;
      /** For conditional requests. `null` for a client with keys, which can change without the document. */
      readonly etag: string | null;
      readonly freshSeconds: number;
    };

interface FetchContext {
  readonly outboundFetch: OutboundFetch;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * Fetches a metadata document, and the keys that it refers to.
 *
 * @param etag - of the document that is known; `null`: there is none
 * @throws {ClientDocumentError}
 */
export async function fetchDocument(
  address: URL,
  etag: string | null,
  { outboundFetch, now }: FetchContext,
): Promise<FetchedDocument> {
  const conditional: Record<string, string> = etag === null ? {} : { "if-none-match": etag };
  const response = await get(address, { headers: conditional, maxBytes: documentBytes }, outboundFetch);
  if (response.status === 304 && etag !== null)
    return { kind: "unchanged", freshSeconds: freshSeconds(response.headers, now, false) };
  const body = await readJson(response);
  const { description, jwksUri } = readDocument(body, address);
  const keys = jwksUri === undefined ? description.keys : await fetchKeys(jwksUri, outboundFetch);
  const isConfidential = description.type === "confidential";
  return {
    kind: "document",
    description: { ...description, keys },
    digest: createHash("sha256").update(body).digest(),
    etag: isConfidential ? null : readEtag(response.headers),
    freshSeconds: freshSeconds(response.headers, now, isConfidential),
  };
}

async function fetchKeys(jwksUri: string, outboundFetch: OutboundFetch): Promise<ClientDescription["keys"]> {
  try {
    const response = await get(jwksUri, { headers: {}, maxBytes: keySetBytes }, outboundFetch);
    return readKeySet(await readJson(response));
  } catch (error) {
    if (!(error instanceof ClientDocumentError) || error.fault === "document_secret") throw error;
    const fault = error.isOutage ? "document_keys_unavailable" : "document_keys";
    throw new ClientDocumentError(fault, { cause: error });
  }
}

const faults: Readonly<Record<OutboundErrorReason, DocumentFault>> = {
  invalid_url: "document_address",
  insecure_url: "document_address",
  forbidden_address: "forbidden_address",
  redirect: "document_redirect",
  too_large: "document_too_large",
  timeout: "document_timeout",
  unreachable: "document_unreachable",
};

async function get(
  address: URL | string,
  { headers, maxBytes }: { readonly headers: Readonly<Record<string, string>>; readonly maxBytes: number },
  outboundFetch: OutboundFetch,
): Promise<Response> {
  try {
    return await outboundFetch(address, {
      headers: { accept: "application/json", ...headers },
      timeoutSeconds,
      maxBytes,
    });
  } catch (error) {
    if (error instanceof OutboundError) throw new ClientDocumentError(faults[error.reason], { cause: error });
    throw error;
  }
}

async function readJson(response: Response): Promise<Uint8Array> {
  // 429 is about this server, and as little about the client as 5xx.
  if (response.status >= 500 || response.status === 429)
    throw new ClientDocumentError("document_unavailable");
  if (response.status !== 200) throw new ClientDocumentError("document_status");
  const encoding = response.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity" || !jsonType.test(response.headers.get("content-type") ?? ""))
    throw new ClientDocumentError("document_type");
  return new Uint8Array(await response.arrayBuffer());
}

function readEtag(headers: Headers): string | null {
  const etag = headers.get("etag") ?? "";
  return /^(?:W\/)?"[\x21\x23-\x7e]{0,250}"$/.test(etag) ? etag : null;
}

/** Bounds of a document's freshness. */
export const shortestFreshSeconds = 300;
const longestFreshSeconds = 24 * 3600;
/** Half the use of a key, so that it is fetched again in the background in time. */
const longestFreshSecondsOfKeys = 1800;

/**
 * The freshness of an answer by the rules of HTTP caching (RFC 9111 §4.2), at least five minutes and at most a day.
 *
 * @param now - milliseconds, for `Expires` of a server that sends no `Date`
 */
export function freshSeconds(headers: Headers, now: number, hasKeys: boolean): number {
  const longest = hasKeys ? longestFreshSecondsOfKeys : longestFreshSeconds;
  const lifetime = lifetimeOf(headers, now) - ageOf(headers);
  return Math.min(Math.max(Math.floor(lifetime), shortestFreshSeconds), longest);
}

function lifetimeOf(headers: Headers, now: number): number {
  const directives = readDirectives(headers.get("cache-control") ?? "");
  if (directives.has("no-store") || directives.has("no-cache")) return 0;
  for (const name of ["s-maxage", "max-age"]) {
    const value = directives.get(name);
    // An unreadable value counts as stale (RFC 9111 §4.2.1).
    if (value !== undefined) return /^\d{1,10}$/.test(value) ? Number(value) : 0;
  }
  const expires = Date.parse(headers.get("expires") ?? "");
  if (Number.isNaN(expires)) return 0;
  const sent = Date.parse(headers.get("date") ?? "");
  return (expires - (Number.isNaN(sent) ? now : sent)) / 1000;
}

function ageOf(headers: Headers): number {
  const age = headers.get("age") ?? "";
  return /^\d{1,10}$/.test(age) ? Number(age) : 0;
}

/** The first of each name, as most caches take it. */
function readDirectives(header: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const item of header.split(",")) {
    const [name = "", value = ""] = item.split("=");
    const key = name.trim().toLowerCase();
    if (key !== "" && !directives.has(key)) directives.set(key, value.trim().replaceAll('"', ""));
  }
  return directives;
}

/**
 * How long a client is used after its document was fetched, during an outage of its publisher: long enough to end no sessions on a bad
 * day, but at most an hour for one with keys, which may have been withdrawn.
 */
export function longestUseSeconds({ type }: Pick<Client, "type">): number {
  return type === "confidential" ? 3600 : 2 * 24 * 3600;
}
