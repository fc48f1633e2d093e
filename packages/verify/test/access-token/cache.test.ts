import { describe, expect, test } from "vitest";
import { createTokenCache } from "../../src/access-token/cache.js";
import type { VerifiedToken } from "../../src/access-token/cache.js";

function token(): VerifiedToken {
  return {
    auth: {
      identity: { type: "user", subject: "user-1" },
      scopes: [],
      clientId: "authz-cli",
      tokenId: "1",
      expiresAt: 1000,
    },
    scopes: new Set(),
    keyThumbprint: undefined,
  };
}

function countKnown(cache: ReturnType<typeof createTokenCache>, total: number): number {
  return Array.from({ length: total }, (_, index) => cache.get(`hash-${index}`, 0)).filter(Boolean).length;
}

describe("the token cache", () => {
  test("gives back what it was given", () => {
    const cache = createTokenCache();
    const known = token();
    cache.set("hash", known, { bytes: 10, until: 100 });
    expect(cache.get("hash", 99)).toBe(known);
    expect(cache.get("other", 99)).toBeUndefined();
  });

  test("forgets a token in the second in which it ends", () => {
    const cache = createTokenCache();
    cache.set("hash", token(), { bytes: 10, until: 100 });
    expect(cache.get("hash", 100)).toBeUndefined();
    expect(cache.get("hash", 1)).toBeUndefined();
  });

  test("lets go of an older generation once all of it has ended", () => {
    const cache = createTokenCache({ maximumEntries: 2, maximumBytes: 1_000_000 });
    cache.set("old", token(), { bytes: 10, until: 100 });
    cache.set("new", token(), { bytes: 10, until: 200 });
    expect(cache.get("old", 99)).toBeDefined();
    expect(cache.get("new", 100)).toBeDefined();
    expect(cache.get("old", 1)).toBeUndefined();
  });

  test("never holds more entries than it may, and keeps the newest", () => {
    const cache = createTokenCache({ maximumEntries: 10, maximumBytes: 1_000_000 });
    for (let index = 0; index < 100; index++) cache.set(`hash-${index}`, token(), { bytes: 10, until: 100 });
    expect(countKnown(cache, 100)).toBeLessThanOrEqual(10);
    expect(cache.get("hash-99", 0)).toBeDefined();
    expect(cache.get("hash-0", 0)).toBeUndefined();
  });

  test("never holds more bytes than it may", () => {
    const cache = createTokenCache({ maximumEntries: 1000, maximumBytes: 100 });
    for (let index = 0; index < 50; index++) cache.set(`hash-${index}`, token(), { bytes: 10, until: 100 });
    expect(countKnown(cache, 50)).toBeLessThanOrEqual(10);
    expect(cache.get("hash-49", 0)).toBeDefined();
  });
});
