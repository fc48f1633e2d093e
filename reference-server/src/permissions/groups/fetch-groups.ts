import { parseStrictJson } from "@authz/dpop/jws";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { isGroupName } from "./group-names.js";

/** A decision waits for the directory, so it has less time than other services. */
const timeoutSeconds = 2;

/** A directory gave no usable answer; the message says what its operator should look at. */
export class DirectoryError extends Error {
  override readonly name = "DirectoryError";
}

const maxGroups = 1000;

/**
 * Asks a directory for the groups of an e-mail address: `GET {url}/groups?email=…`.
 *
 * @throws {DirectoryError} The directory is away, slow, refuses, or answers something else.
 * @see docs/reference/group-directory.md
 */
export async function fetchGroups(
  directory: { readonly url: string; readonly secret: string },
  email: string,
  fetch: OutboundFetch,
): Promise<ReadonlySet<string>> {
  const url = new URL(`${directory.url.replace(/\/$/, "")}/groups`);
  url.searchParams.set("email", email);
  const where = `${url.origin}${url.pathname}`;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutSeconds * 1000);
  try {
    const headers = { accept: "application/json", authorization: `Bearer ${directory.secret}` };
    const response = await fetch(url, { headers, signal: deadline.signal });
    if (response.status !== 200)
      throw new DirectoryError(`${where} answered with status ${response.status}.`);
    return readGroups(where, new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const late = deadline.signal.aborted;
    const message = late ? `${where} did not answer within ${timeoutSeconds} seconds.` : error.message;
    throw new DirectoryError(message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function readGroups(where: string, body: Uint8Array): ReadonlySet<string> {
  let document: unknown;
  try {
    document = parseStrictJson(body);
  } catch (cause) {
    throw new DirectoryError(`${where} did not answer with JSON.`, { cause });
  }
  const groups = typeof document === "object" && document !== null && "groups" in document && document.groups;
  if (Array.isArray(groups) && groups.length <= maxGroups && groups.every(isGroupName))
    return new Set(groups);
  throw new DirectoryError(
    `${where} must answer {"groups": [...]} with at most ${maxGroups} names of 1 to 256 characters.`,
  );
}
