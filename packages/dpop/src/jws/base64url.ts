import { hash } from "node:crypto";
import { JwsError } from "./errors.js";
import type { Scratch } from "./scratch.js";

/**
 * Decodes canonical base64url: no padding, no other alphabet, no stray bits in the last character.
 *
 * Node's decoder skips characters it does not know, so the input is accepted only if encoding the result returns it unchanged.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64url(encoded: string): Buffer {
  return requireCanonical(encoded, Buffer.from(encoded, "base64url"));
}

/**
 * Decodes canonical base64url into memory that the next use of it overwrites. What does not fit is decoded elsewhere.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64urlInto(scratch: Scratch, encoded: string): Buffer {
  return encoded.length > scratch.size
    ? decodeBase64url(encoded)
    : requireCanonical(encoded, scratch.writeBase64url(encoded));
}

/** The SHA-256 of a string's UTF-8 bytes, as base64url: the form of `ath`, `jkt` and cache keys. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash("sha256", value, "base64url");
}

function requireCanonical(encoded: string, bytes: Buffer): Buffer {
  if (bytes.toString("base64url") !== encoded) throw new JwsError("not_base64url");
  return bytes;
}
