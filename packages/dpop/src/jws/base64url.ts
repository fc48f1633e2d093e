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

/**
 * Decodes canonical base64url from the bytes of its characters, as they are in a larger text. Once per request, so nothing is
 * allocated.
 *
 * @param target - large enough for three bytes for every four characters
 * @returns how many bytes it has written
 * @throws {JwsError} `not_base64url`; what was written by then is of no use
 */
export function decodeBase64urlBytes(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
): number {
  const rest = (end - start) % 4;
  // Anything that is not canonical makes it negative.
  let seen = 0;
  let written = 0;
  let index = start;
  for (; index < end - rest; index += 4) {
    const bits =
      (sextetAt(source, index) << 18) |
      (sextetAt(source, index + 1) << 12) |
      (sextetAt(source, index + 2) << 6) |
      sextetAt(source, index + 3);
    seen |= bits;
    target[written++] = bits >> 16;
    target[written++] = bits >> 8;
    target[written++] = bits;
  }
  if (rest > 1) {
    const third = rest === 3 ? sextetAt(source, index + 2) << 6 : 0;
    const bits = (sextetAt(source, index) << 18) | (sextetAt(source, index + 1) << 12) | third;
    const hasStrayBits = (bits & (rest === 3 ? 0xff : 0xffff)) !== 0;
    seen |= hasStrayBits ? -1 : bits;
    target[written++] = bits >> 16;
    if (rest === 3) target[written++] = bits >> 8;
  }
  if (seen < 0 || rest === 1) throw new JwsError("not_base64url");
  return written;
}

function sextetAt(source: Uint8Array, index: number): number {
  return sextets[source[index] as number] as number;
}

/** The value of each character of the alphabet; -1 for every other byte. */
const sextets = createSextets();

/** The SHA-256 of a string's UTF-8 bytes, as base64url: the form of `ath`, `jkt` and cache keys. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash("sha256", value, "base64url");
}

function createSextets(): Int8Array {
  const table = new Int8Array(256).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  return table;
}
