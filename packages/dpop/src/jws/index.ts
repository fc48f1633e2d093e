/**
 * Strict compact JWS for ES256: the layer under proofs, access tokens, identity assertions and service assertions.
 *
 * @module
 */
export { decodeBase64url } from "./base64url.js";
export { JwsError, type JwsErrorReason } from "./errors.js";
export { verifyEs256 } from "./es256.js";
export type { PrivateJwk, PublicJwk } from "./jwk.js";
export { importPrivateJwk, importPublicJwk } from "./keys.js";
export { isNumericDate } from "./numeric-date.js";
export { type ParsedJws, parseCompactJws } from "./parse-compact.js";
export { sha256Base64url } from "./sha256.js";
export { type JwsHeader, signCompactJws } from "./sign-compact.js";
export { type JsonObject, parseStrictJson } from "./strict-json.js";
export { hasType } from "./type.js";
