import { JwsError } from "./errors.js";
import type { Scratch } from "./scratch.js";

/**
 * Decodes canonical base64url: no padding, no other alphabet, no stray bits in the last character.
 *
 * Node's decoder skips what it does not know, so the text counts only when encoding gives it back.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64url(text: string): Buffer {
  return requireCanonical(text, Buffer.from(text, "base64url"));
}

/**
 * Decodes canonical base64url into memory that the next use of it overwrites. What does not fit is decoded elsewhere.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64urlInto(scratch: Scratch, text: string): Buffer {
  return text.length > scratch.size
    ? decodeBase64url(text)
    : requireCanonical(text, scratch.writeBase64url(text));
}

function requireCanonical(text: string, bytes: Buffer): Buffer {
  if (bytes.toString("base64url") !== text) throw new JwsError("not_base64url");
  return bytes;
}
