import type { KeyObject } from "node:crypto";
import { sha256Base64url } from "@authz/dpop/jws";
import { checkSignature, type Jwt } from "@authz/dpop/jwt";
import { LRUCache } from "lru-cache";

/** Tokens remembered per key: more than are in use at a time. */
const mostTokens = 10_000;

/** Hashes of whole tokens that each key has signed. */
const seen = new WeakMap<KeyObject, LRUCache<string, true>>();

/**
 * Checks the signature of a token, once for each token and key: an access token comes with many requests. Only the fact that the
 * signature is valid is remembered; every claim is judged each time.
 *
 * @throws {JwtError} `unknown_key` or `signature`
 */
export function checkSignatureOnce(jwt: Jwt, token: string, key: KeyObject | undefined): void {
  const hash = sha256Base64url(token);
  if (key !== undefined && seen.get(key)?.get(hash) === true) return;
  checkSignature(jwt, key);
  if (key === undefined) return;
  const tokens = seen.get(key) ?? new LRUCache<string, true>({ max: mostTokens });
  seen.set(key, tokens.set(hash, true));
}
