/**
 * Strict JSON, compact JWS with ES256, and P-256 keys: the base of proofs, access tokens, identity assertions and service
 * assertions.
 *
 * @module
 */
export { decodeBase64url, sha256Base64url } from "./base64url.js";
export { canonicalJson } from "./canonical-json.js";
export { toJoseSignature } from "./der-signature.js";
export { JwsError, type JwsErrorReason } from "./errors.js";
export { signEs256, verifyEs256 } from "./es256.js";
export { importPrivateJwk, importPublicJwk, type PrivateJwk, type PublicJwk } from "./keys.js";
export {
  type CompactSegments,
  hasType,
  type ParsedJws,
  parseCompactJws,
  splitCompact,
} from "./parse-compact.js";
export { encodeSigningInput, type JwsHeader, signCompactJws } from "./sign-compact.js";
export { isJsonObject, type JsonObject, parseStrictJson, parseStrictJsonObject } from "./strict-json.js";
