import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new secret of 256 random bits as base64url: codes, refresh tokens, session tokens. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The form in which the database knows a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

const challengeText = /^[A-Za-z0-9_-]{43}$/;
const verifierText = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether a text can be an S256 code challenge: the base64url form of 32 bytes. */
export function isCodeChallenge(text: string): boolean {
  return challengeText.test(text);
}

/** Whether a code verifier belongs to an S256 code challenge (RFC 7636 §4.6). */
export function matchesCodeChallenge(verifier: string, challenge: string): boolean {
  if (!verifierText.test(verifier)) return false;
  const actual = createHash("sha256").update(verifier).digest();
  const expected = Buffer.from(challenge, "base64url");
  return expected.length === actual.length && timingSafeEqual(actual, expected);
}

/**
 * The short code of a device: eight characters of its key's thumbprint in two groups.
 *
 * The client prints the same code, so that people can compare.
 */
export function shortCode(thumbprint: string): string {
  return `${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`;
}
