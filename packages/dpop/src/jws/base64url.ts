import { JwsError } from "./errors.js";

/**
 * Decodes canonical base64url: no padding, no other alphabet, no stray bits in the last character.
 *
 * Node's decoder skips what it does not know, so the text counts only when encoding gives it back.
 *
 * @throws {JwsError} `not_base64url`
 */
export function decodeBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw new JwsError("not_base64url");
  return bytes;
}
