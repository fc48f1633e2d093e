import { sha256Base64url } from "@authz/dpop/jws";
import type { Auth } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { createTokenCache, type KnownToken } from "../../src/access-token/cache.js";

function known(keyThumbprint?: string): KnownToken {
  const auth: Auth = {
    identity: { type: "user", subject: "user-1" },
    scopes: [],
    clientId: "authz-cli",
    tokenId: "1",
    expiresAt: 1000,
  };
  const absent = { statusIndex: undefined, sessionId: undefined, transaction: undefined };
  const verified = { auth, scopes: new Set<string>(), keyThumbprint, ...absent };
  return { verified, hash: "", proofKey: undefined, metPolicy: undefined };
}

/** A token with its entry, as the verifier makes it. */
function bound(token: string): [string, KnownToken] {
  return [token, { ...known("thumbprint"), hash: sha256Base64url(token) }];
}

function countKnown(cache: ReturnType<typeof createTokenCache>, total: number): number {
  return Array.from({ length: total }, (_, index) => cache.get(`hash-${index}`, 0)).filter(Boolean).length;
}

describe("the token cache", () => {
  test("gives back what it was given", () => {
    const cache = createTokenCache();
    const [token, entry] = bound("token");
    cache.set(token, entry, { bytes: 10, until: 100 });
    expect(cache.get("token", 99)).toBe(entry);
    expect(cache.get("other", 99)).toBeUndefined();
  });

  test("gives back a Bearer token, which it does not keep", () => {
    const cache = createTokenCache();
    const token = "a token that is worth something by itself, and long enough to have an end";
    const entry = { ...known(), hash: sha256Base64url(token) };
    cache.set(token, entry, { bytes: 10, until: 100 });
    expect(cache.get(token, 99)).toBe(entry);
    expect(cache.get(token.slice(1), 99)).toBeUndefined();
    expect(cache.get(entry.hash, 99)).toBeUndefined();
  });

  test("knows a token by all of it, not by its end", () => {
    const cache = createTokenCache();
    const end = "x".repeat(60);
    const [token, entry] = bound(`one.${end}`);
    cache.set(token, entry, { bytes: 10, until: 100 });
    for (const other of [`two.${end}`, end, end.slice(-40), `${token}.`, `one.${end}x`]) {
      expect(cache.get(other, 99)).toBeUndefined();
    }
    expect(cache.get(token, 99)).toBe(entry);
  });

  test("keeps one of two tokens with the same end, and takes neither for the other", () => {
    const cache = createTokenCache();
    const [[one, first], [two, second]] = [bound(`one.${"x".repeat(60)}`), bound(`two.${"x".repeat(60)}`)];
    cache.set(one, first, { bytes: 10, until: 100 });
    cache.set(two, second, { bytes: 10, until: 100 });
    expect(cache.get(one, 99)).toBeUndefined();
    expect(cache.get(two, 99)).toBe(second);
  });

  test("forgets a token in the second in which it ends", () => {
    const cache = createTokenCache();
    cache.set(...bound("hash"), { bytes: 10, until: 100 });
    expect(cache.get("hash", 100)).toBeUndefined();
    expect(cache.get("hash", 1)).toBeUndefined();
  });

  test("lets go of an older generation once all of it has ended", () => {
    const cache = createTokenCache({ maximumEntries: 2, maximumBytes: 1_000_000 });
    cache.set(...bound("old"), { bytes: 10, until: 100 });
    cache.set(...bound("new"), { bytes: 10, until: 200 });
    expect(cache.get("old", 99)).toBeDefined();
    expect(cache.get("new", 100)).toBeDefined();
    expect(cache.get("old", 1)).toBeUndefined();
  });

  test("never holds more entries than it may, and keeps the newest", () => {
    const cache = createTokenCache({ maximumEntries: 10, maximumBytes: 1_000_000 });
    for (let index = 0; index < 100; index++) cache.set(...bound(`hash-${index}`), { bytes: 10, until: 100 });
    expect(countKnown(cache, 100)).toBeLessThanOrEqual(10);
    expect(cache.get("hash-99", 0)).toBeDefined();
    expect(cache.get("hash-0", 0)).toBeUndefined();
  });

  test("never holds more bytes than it may", () => {
    const cache = createTokenCache({ maximumEntries: 1000, maximumBytes: 100 });
    for (let index = 0; index < 50; index++) cache.set(...bound(`hash-${index}`), { bytes: 10, until: 100 });
    expect(countKnown(cache, 50)).toBeLessThanOrEqual(10);
    expect(cache.get("hash-49", 0)).toBeDefined();
  });
});
