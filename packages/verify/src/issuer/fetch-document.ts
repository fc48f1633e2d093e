import { JwsError, parseStrictJson } from "@authz/dpop/jws";
import { within } from "@authz/dpop/replay";
import { issuerUnavailable } from "../errors.js";
import { readLimited } from "../forms.js";

const maximumBytes = 256 * 1024;

/** How documents of the issuer are fetched. */
export interface DocumentSource {
  readonly fetch: typeof fetch;
  readonly timeoutSeconds: number;
}

/** What is asked for, and how much of it is read. */
export interface DocumentRequest {
  readonly accept: string;
  /** Of the body, decoded. */
  readonly maximumBytes: number;
  /** Of the copy that is known already. */
  readonly etag?: string | undefined;
}

/** A document as it arrived. */
export interface FetchedDocument {
  /** Undefined: the known copy is still right. */
  readonly body: Uint8Array | undefined;
  readonly etag: string | undefined;
}

/**
 * Fetches a JSON document: status 200, no redirects, at most 256 KiB, within the timeout, body included.
 *
 * @throws {AuthzUnavailableError} The message has the address, what happened, and what to check.
 */
export async function fetchDocument(url: string, source: DocumentSource): Promise<unknown> {
  const { body } = await fetchLimited(url, source, { accept: "application/json", maximumBytes });
  return parseDocument(url, body ?? new Uint8Array());
}

/**
 * Fetches a document: status 200, or 304 for a known one, no redirects, within the timeout, body included.
 *
 * @throws {AuthzUnavailableError} as `fetchDocument`
 */
export async function fetchLimited(
  url: string,
  source: DocumentSource,
  wanted: DocumentRequest,
): Promise<FetchedDocument> {
  const abort = new AbortController();
  const { timeoutSeconds } = source;
  const late = () =>
    issuerUnavailable(
      `${url} did not answer within ${timeoutSeconds} seconds. Check that this service can reach it.`,
    );
  try {
    // AbortSignal.timeout may be collected before the body has arrived (Node 20). A timer of our own also ends the wait
    // for a fetch that ignores its signal.
    return await within(timeoutSeconds, readDocument(url, source, { ...wanted, signal: abort.signal }), late);
  } finally {
    abort.abort();
  }
}

type AbortableRequest = DocumentRequest & { readonly signal: AbortSignal };

async function readDocument(
  url: string,
  source: DocumentSource,
  wanted: AbortableRequest,
): Promise<FetchedDocument> {
  const response = await request(url, source, wanted);
  const { status } = response;
  if (status === 304 && wanted.etag !== undefined) return { body: undefined, etag: wanted.etag };
  if (status !== 200) throw issuerUnavailable(`${url} answered ${status}. ${adviceFor(status)}`);
  const body = await readBody(url, response, wanted.maximumBytes);
  return { body, etag: response.headers.get("etag") ?? undefined };
}

async function request(
  url: string,
  source: DocumentSource,
  { accept, etag, signal }: AbortableRequest,
): Promise<Response> {
  const headers = { accept, ...(etag !== undefined && { "if-none-match": etag }) };
  try {
    return await source.fetch(url, { signal, redirect: "manual", headers });
  } catch (cause) {
    throw issuerUnavailable(
      `${url} cannot be reached (${describe(cause)}). Check that the authorization server runs and that this service can reach it.`,
      { cause },
    );
  }
}

function adviceFor(status: number): string {
  if (status >= 300 && status < 400) {
    return "Redirects are not followed. Check that the issuer is the exact public URL of the authorization server.";
  }
  if (status === 404)
    return "Check that the issuer is the URL of an authorization server, and the proxy in between.";
  return "Check the authorization server and any proxy in between.";
}

async function readBody(url: string, { body }: Response, most: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readLimited(body, most);
  } catch (cause) {
    throw issuerUnavailable(`${url} stopped answering (${describe(cause)}). Check the network in between.`, {
      cause,
    });
  }
  if (bytes.length <= most) return bytes;
  throw issuerUnavailable(
    `${url} answered with more than ${most} bytes. Check that it is the right address.`,
  );
}

function parseDocument(url: string, body: Uint8Array): unknown {
  try {
    return parseStrictJson(body);
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause;
    throw issuerUnavailable(
      `${url} did not answer with strict JSON. ${cause.message} Check that it is the right address.`,
      { cause },
    );
  }
}

/** `fetch` hides the interesting part, such as ECONNREFUSED, in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
