import { parseStrictJson } from "@authz/dpop/jws";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { type Message, type MessageValues, renderMessage } from "../../text/message.js";
import type { CodeBelow } from "../../text/message-key.js";
import { textsIn } from "../../text/texts.js";
import { outboundMessage } from "../../text/outbound-message.js";
import { isGroupName, isGroupText } from "../../protocol/group-names.js";

/** Shorter than for other services, because a decision waits for it. */
const timeoutSeconds = 2;

/** A directory gave no usable answer; `said` tells its operator why, and the message is the same in English. */
export class DirectoryError extends Error {
  override readonly name = "DirectoryError";
  readonly sentence: Message;
  constructor(sentence: Message, options?: ErrorOptions) {
    super(renderMessage(sentence, textsIn("en")), options);
    this.sentence = sentence;
  }
}

const maxGroups = 1000;

/**
 * Asks a directory for the groups of an email address: `GET {url}/groups?email=…`.
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
  try {
    const headers = { accept: "application/json", authorization: `Bearer ${directory.secret}` };
    const response = await fetch(url, { headers, timeoutSeconds });
    if (response.status !== 200) throw directoryError("status", { url: where, status: response.status });
    return readGroups(where, new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new DirectoryError(outboundMessage(error), { cause: error });
  }
}

function readGroups(where: string, body: Uint8Array): ReadonlySet<string> {
  let document: unknown;
  try {
    document = parseStrictJson(body);
  } catch (cause) {
    throw directoryError("notJson", { url: where }, cause);
  }
  const groups = typeof document === "object" && document !== null && "groups" in document && document.groups;
  if (Array.isArray(groups) && groups.length <= maxGroups && groups.every(isGroupText))
    return new Set(groups.filter(isGroupName));
  throw directoryError("groupsAnswer", { url: where, most: maxGroups });
}

function directoryError(
  code: CodeBelow<"administration.outbound">,
  values: MessageValues,
  cause?: unknown,
): DirectoryError {
  return new DirectoryError({ key: `administration.outbound.${code}`, values }, { cause });
}
