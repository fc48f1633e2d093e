import type { PublicJwk } from "./jws/jwk.js";
import { readPoint } from "./jws/keys.js";
import { sha256Base64url } from "./jws/sha256.js";

/**
 * The RFC 7638 thumbprint of a public P-256 key, as base64url: the value of `cnf.jkt` and `dpop_jkt`.
 *
 * @param jwk - other members, such as `kid` or `use`, do not change the result
 * @throws {JwsError} The value is not a P-256 key.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7638#section-3 | RFC 7638 §3}
 */
export function jwkThumbprint(jwk: PublicJwk): string {
  return thumbprintOf(readPoint(jwk));
}

/** The thumbprint of a key that `readPoint` returned; its members need no escaping. */
export function thumbprintOf({ x, y }: PublicJwk): string {
  return sha256Base64url(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`);
}
