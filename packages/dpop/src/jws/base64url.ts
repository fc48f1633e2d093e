import { hash } from "node:crypto";
import { JwsError } from "./errors.js";

/**
 * Decodes canonical base64url: no padding, no other alphabet, no stray bits in the last character.
 *
 * Node's decoder skips characters it does not know, so the input is accepted only if encoding the result returns it unchanged.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64url(encoded: string): Buffer {
  const bytes = Buffer.from(encoded, "base64url");
  if (bytes.toString("base64url") !== encoded) throw new JwsError("not_base64url");
  return bytes;
}

/** The SHA-256 of a string's UTF-8 bytes, as base64url: the form of `ath`, `jkt` and cache keys. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash("sha256", value, "base64url");
}
