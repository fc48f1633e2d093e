import type { KeyObject } from "node:crypto";
import { sha256Base64url } from "@authz/dpop/jws";
import { checkSignature, type Jwt } from "@authz/dpop/jwt";

/** As many tokens as are used at a time; beyond, the oldest are verified again. */
const mostTokens = 10_000;

/** What each key has signed, as far as it was seen: hashes of whole tokens. A key that is not used any more takes its own along. */
const seen = new WeakMap<KeyObject, Set<string>>();

/**
 * Checks the signature of a token, once for each token and key: an access token comes with many requests. Only what is signed
 * is remembered, and nothing of what it says: every claim is judged each time.
 *
 * @throws {JwtError} `unknown_key` or `signature`
 */
export function checkSignatureOnce(jwt: Jwt, token: string, key: KeyObject | undefined): void {
  const tokens = key && (seen.get(key) ?? new Set());
  const hash = sha256Base64url(token);
  if (tokens?.has(hash) === true) return;
  checkSignature(jwt, key);
  if (key === undefined || tokens === undefined) return;
  const [oldest] = tokens;
  if (oldest !== undefined && tokens.size >= mostTokens) tokens.delete(oldest);
  tokens.add(hash);
  seen.set(key, tokens);
}
