/** The reason why a compact JWS, its JSON or a key was refused. A closed set: new reasons are a minor release. */
export type JwsErrorReason =
  | "too_large"
  | "not_compact"
  | "not_base64url"
  | "not_utf8"
  | "byte_order_mark"
  | "not_json"
  | "too_deep"
  | "duplicate_member"
  | "not_an_object"
  | "unsupported_algorithm"
  | "critical_header"
  | "malformed_signature"
  | "unsupported_key"
  | "invalid_key"
  | "private_key"
  | "contradicting_key_use";

const messages: Readonly<Record<JwsErrorReason, string>> = {
  too_large: "The JWS is larger than the limit for its kind.",
  not_compact: "The text is not a compact JWS: three non-empty segments joined by dots are expected.",
  not_base64url: "A segment is not canonical base64url without padding.",
  not_utf8: "The JSON text is not valid Unicode.",
  byte_order_mark: "The JSON text starts with a byte order mark.",
  not_json: "The text is not JSON.",
  too_deep: "The JSON value is nested too deeply.",
  duplicate_member: "A JSON object has the same member twice.",
  not_an_object: "A JSON object is expected.",
  unsupported_algorithm: 'The header member "alg" is not "ES256".',
  critical_header: 'The header has a "crit" or "b64" member; no extension is supported.',
  malformed_signature: "An ES256 signature is exactly 64 bytes.",
  unsupported_key: "The key is not an EC key on P-256.",
  invalid_key: "The key's members are missing, malformed, or do not describe a valid key on P-256.",
  private_key: "A public key is expected, but the key has private members.",
  contradicting_key_use: 'The key\'s "use", "key_ops" or "alg" does not allow this ES256 operation.',
};

/** A refused compact JWS, JSON text or JWK, with the exact `reason`. It never quotes the input. */
export class JwsError extends Error {
  override readonly name = "JwsError";
  readonly reason: JwsErrorReason;

  constructor(reason: JwsErrorReason) {
    super(messages[reason]);
    this.reason = reason;
  }
}
