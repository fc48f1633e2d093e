import { createHash, timingSafeEqual } from "node:crypto";

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
