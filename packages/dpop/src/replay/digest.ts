import { hash } from "node:crypto";

/** Words of 32 bits in a digest. */
export const digestWords = 8;

const words = new Uint32Array(digestWords);
const encodedLength = 43;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const values = new Int8Array(128).fill(-1);
for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;

/**
 * The 32 bytes that stand for a key: what it encodes when it is the base64url of 32 bytes, else its SHA-256. Different
 * keys have different digests.
 *
 * @returns memory that the next call overwrites: this runs once per request, and the result is used at once
 */
export function digestOf(key: string): Uint32Array {
  if (!decode(key)) decode(hash("sha256", key, "base64url"));
  return words;
}

/**
 * Decodes the canonical base64url of 32 bytes, and returns whether the text is that.
 *
 * Node's decoder would need an encoding back to be sure of it, and costs four times as much for so short a text.
 */
function decode(text: string): boolean {
  if (text.length !== encodedLength) return false;
  let index = 0;
  let word = 0;
  let bits = 0;
  let union = 0;
  for (let position = 0; position < encodedLength; position++) {
    const code = text.charCodeAt(position);
    const value = code < values.length ? (values[code] as number) : -1;
    if (value === -1) return false;
    const rest = bits + 6 - 32;
    if (rest < 0) {
      word = (word << 6) | value;
      bits += 6;
    } else {
      const full = (word << (6 - rest)) | (value >> rest);
      words[index++] = full;
      union |= full;
      word = value & ((1 << rest) - 1);
      bits = rest;
    }
  }
  // Two bits are left over. All zeros mark a free place in a `DigestSet`, so the text that encodes them is hashed.
  return word === 0 && union !== 0;
}
