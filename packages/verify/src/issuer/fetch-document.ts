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

/**
 * Fetches a JSON document: status 200, no redirects, at most 256 KiB, within the timeout, body included.
 *
 * @throws {AuthzUnavailableError} The message has the address, what happened, and what to check.
 */
export async function fetchDocument(url: string, source: DocumentSource): Promise<unknown> {
  const abort = new AbortController();
  const { timeoutSeconds } = source;
  const late = () =>
    issuerUnavailable(
      `${url} did not answer within ${timeoutSeconds} seconds. Check that this service can reach it.`,
    );
  try {
    // AbortSignal.timeout may be collected before the body has arrived (Node 20). A timer of our own also ends the wait
    // for a fetch that ignores its signal.
    return await within(timeoutSeconds, readDocument(url, source, abort.signal), late);
  } finally {
    abort.abort();
  }
}

async function readDocument(url: string, source: DocumentSource, signal: AbortSignal): Promise<unknown> {
  const response = await request(url, source, signal);
  const { status } = response;
  if (status !== 200) throw issuerUnavailable(`${url} answered ${status}. ${adviceFor(status)}`);
  return parseDocument(url, await readBody(url, response));
}

async function request(url: string, source: DocumentSource, signal: AbortSignal): Promise<Response> {
  try {
    return await source.fetch(url, { signal, redirect: "manual", headers: { accept: "application/json" } });
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

async function readBody(url: string, { body }: Response): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readLimited(body, maximumBytes);
  } catch (cause) {
    throw issuerUnavailable(`${url} stopped answering (${describe(cause)}). Check the network in between.`, {
      cause,
    });
  }
  if (bytes.length <= maximumBytes) return bytes;
  throw issuerUnavailable(
    `${url} answered with more than ${maximumBytes} bytes. Check that it is the right address.`,
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
