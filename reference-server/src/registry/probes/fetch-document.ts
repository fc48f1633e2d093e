import { parseStrictJson } from "@authz/dpop/jws";
import { isLoopbackHost } from "../../platform/outbound/addresses.js";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import type { Message, MessageValues } from "../../text/message.js";
import { outboundMessage } from "../../text/outbound-message.js";
import type { Metadata } from "./judge-metadata.js";

/** More metadata than this is none. */
const maximumBytes = 256 * 1024;

export type Read = { readonly document: Metadata } | { readonly fault: Message };

/** Fetches a JSON object, or says why there is none. */
export async function fetchDocument(url: URL, fetch: OutboundFetch): Promise<Read> {
  try {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const { status } = response;
    if (status !== 200) return fault("status", { url: url.href, status });
    const body = new Uint8Array(await response.arrayBuffer());
    if (body.length > maximumBytes) return fault("tooLarge", { url: url.href });
    const document = parseJson(body);
    if (document !== undefined) return { document };
    return fault("notJson", { url: url.href });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: outboundMessage(error) };
  }
}

function fault(code: "status" | "tooLarge" | "notJson", values: MessageValues): Read {
  return { fault: { key: `administration.provider.discovery.${code}`, values } };
}

function parseJson(body: Uint8Array): Metadata | undefined {
  try {
    const document = parseStrictJson(body);
    const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
    return isObject ? (document as Metadata) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether something that metadata says is an address that may be asked. */
export function isSecureUrl(value: string, allowInsecureLoopback: boolean): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || (protocol === "http:" && allowInsecureLoopback && isLoopbackHost(hostname));
}
