import { hash } from "node:crypto";

/** The SHA-256 of a text's UTF-8 bytes, as base64url: the form of `ath`, `jkt` and cache keys. */
export function sha256Base64url(text: string): string {
  return hash("sha256", text, "base64url");
}
