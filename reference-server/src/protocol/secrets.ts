import { createHash, randomBytes } from "node:crypto";

/** A new secret of 256 random bits as base64url: codes, refresh tokens, session tokens. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The form in which the database knows a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
