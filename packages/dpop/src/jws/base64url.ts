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

/** Of 64 bytes; the last one has four bits that must be zero. */
const signatureCharacters = 86;
const lastCharacterBits = 0x0f;
const notInAlphabet = 0xff;
const sextets = createSextets();

/**
 * Decodes the signature at the end of a text, 64 bytes, into memory of that size. Once per request, so nothing is allocated.
 *
 * @returns whether there are exactly 86 characters; otherwise nothing was looked at
 * @throws {JwsError} `not_base64url`
 */
export function decodeSignatureInto(target: Uint8Array, text: string, start: number): boolean {
  if (text.length - start !== signatureCharacters) return false;
  let position = 0;
  let bits = 0;
  let seen = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const sextet = code < sextets.length ? (sextets[code] as number) : notInAlphabet;
    seen |= sextet;
    bits = (bits << 6) | sextet;
    // Four characters are three bytes.
    if ((index - start) % 4 === 3) {
      target[position] = bits >> 16;
      target[position + 1] = bits >> 8;
      target[position + 2] = bits;
      position += 3;
      bits = 0;
    }
  }
  target[position] = bits >> 4;
  if (seen > 0x3f || (bits & lastCharacterBits) !== 0) throw new JwsError("not_base64url");
  return true;
}

/** The SHA-256 of a string's UTF-8 bytes, as base64url: the form of `ath`, `jkt` and cache keys. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash("sha256", value, "base64url");
}

function requireCanonical(encoded: string, bytes: Buffer): Buffer {
  if (bytes.toString("base64url") !== encoded) throw new JwsError("not_base64url");
  return bytes;
}

function createSextets(): Uint8Array {
  const table = new Uint8Array(128).fill(notInAlphabet);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  return table;
}
