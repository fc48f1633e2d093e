import { isLoopbackHost } from "../../../platform/outbound/addresses.js";

/** Longer ones are none: they go into indexes, tokens and the audit trail. */
const maximumLength = 2048;

/** Whether a client's id can only be the address of its document: ids of registered clients have no colon. */
export function looksLikeAddress(clientId: string): boolean {
  return clientId.includes(":");
}

/**
 * The address of a client ID metadata document; `undefined` when the text cannot be one.
 *
 * `https` with a path, in the one spelling that the URL standard gives it: so there is no second id for the same document, and no
 * letter of another script in the host. No fragment, credentials or dot segments. In development also `http` to a loopback
 * address.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ | draft-ietf-oauth-client-id-metadata-document, Client Identifier URL}
 */
export function documentAddress(
  clientId: string,
  { allowInsecureLoopback }: { readonly allowInsecureLoopback: boolean },
): URL | undefined {
  if (clientId.length > maximumLength || !/^[\x21-\x7e]+$/.test(clientId)) return undefined;
  if (clientId.includes("#") || !URL.canParse(clientId)) return undefined;
  const url = new URL(clientId);
  const { protocol, hostname, pathname, username, password } = url;
  if (url.href !== clientId || username !== "" || password !== "" || pathname === "/") return undefined;
  // The same host once more, under another name.
  if (hostname.endsWith(".")) return undefined;
  const insecure = protocol === "http:" && allowInsecureLoopback && isLoopbackHost(hostname);
  return protocol === "https:" || insecure ? url : undefined;
}
