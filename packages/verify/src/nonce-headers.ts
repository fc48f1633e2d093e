import type { NonceSource } from "@authz/dpop";

const none: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The headers that hand out the next nonce; none when server nonces are off.
 *
 * An answer with a nonce must not come from a cache later, when the nonce is stale.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8.2 | RFC 9449 §8.2}
 */
export function formatNonceHeaders(nonces: NonceSource | undefined): Readonly<Record<string, string>> {
  return nonces === undefined ? none : { "dpop-nonce": nonces.current(), "cache-control": "no-store" };
}
