import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createProviderKeys, type ProviderKeys } from "../../src/sign-in/provider-keys.js";
import { createOutboundClient, type OutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import { type AssertionProvider, type Key, startAssertionProvider } from "../support/assertion-provider.js";

let outbound: OutboundClient;
let provider: AssertionProvider;
let keys: ProviderKeys;
let now = 0;
beforeAll(() => {
  outbound = createOutboundClient({ allowInsecureLoopback: true, timeoutSeconds: 1 });
});
beforeEach(async () => {
  now = 1_000_000_000_000;
  provider = await startAssertionProvider("ES256");
  keys = createProviderKeys({ outboundFetch: outbound.fetch, clock: () => now });
});
afterEach(() => provider.close());
afterAll(() => outbound.close());

const advance = (seconds: number) => {
  now += seconds * 1000;
};
const isSigned = async (key?: Key, discoveryUrl: string | null = null) => {
  const token = await provider.sign({ sub: "ada" }, key === undefined ? {} : { key });
  return await keys.isSigned(token, { id: "1", issuer: provider.issuer, discoveryUrl });
};
const away = { code: "temporarily_unavailable", reason: "provider_keys_unavailable", retryAfterSeconds: 30 };

describe("the keys of a provider", () => {
  test("are fetched once, by everything that comes at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => isSigned()));
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(provider.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  test("are kept for ten minutes", async () => {
    await isSigned();
    advance(599);
    expect(await isSigned()).toBe(true);
    expect(provider.asked).toHaveLength(2);
    advance(1);
    expect(await isSigned()).toBe(true);
    expect(provider.asked).toHaveLength(4);
  });

  test("may rotate: one that is not known is looked for", async () => {
    await isSigned();
    await provider.rotate();
    advance(30);
    expect(await isSigned()).toBe(true);
    expect(provider.asked).toHaveLength(4);
  });

  test("are fetched at most twice a minute", async () => {
    const stranger = await provider.newKey();
    for (let second = 0; second < 60; second += 5) {
      expect(await isSigned(stranger)).toBe(false);
      advance(5);
    }
    expect(provider.asked).toHaveLength(4);
  });

  test("that it has taken out count for ten minutes at most", async () => {
    const before = await provider.newKey();
    provider.published = [before.jwk];
    expect(await isSigned(before)).toBe(true);
    provider.published = undefined;
    advance(600);
    expect(await isSigned(before)).toBe(false);
    expect(await isSigned()).toBe(true);
  });

  test("that are away make everybody wait, and are not asked for again and again", async () => {
    provider.failing = 503;
    await expect(isSigned()).rejects.toMatchObject(away);
    await expect(isSigned()).rejects.toMatchObject(away);
    expect(provider.asked).toHaveLength(1);
    provider.failing = undefined;
    advance(30);
    expect(await isSigned()).toBe(true);
  });

  test("that are away for a moment do no harm while those that are known are fresh", async () => {
    await isSigned();
    provider.failing = 500;
    advance(599);
    expect(await isSigned()).toBe(true);
    // Whether this key is the provider's is unknown.
    await expect(isSigned(await provider.newKey())).rejects.toMatchObject(away);
    expect(await isSigned()).toBe(true);
    advance(1);
    await expect(isSigned()).rejects.toMatchObject(away);
  });

  test.each<[name: string, metadata: Record<string, unknown>, published?: never]>([
    ["the metadata is of another issuer", { issuer: "https://elsewhere.example" }],
    ["the metadata names no key set", { jwks_uri: undefined }],
    ["the key set is at an address that may not be asked", { jwks_uri: "http://10.0.0.1/" }],
    ["the key set is a file", { jwks_uri: "file:///etc/passwd" }],
    ["the key set is not there", { jwks_uri: "/none" }],
    ["the key set is none", {}, "none" as never],
  ])("cannot be had when %s", async (_name, metadata, published) => {
    provider.metadata = metadata;
    provider.published = published;
    await expect(isSigned()).rejects.toMatchObject(away);
  });

  test.each([
    { name: "for encryption", change: { use: "enc" } },
    { name: "for another algorithm", change: { alg: "ES384" } },
    { name: "for signing only", change: { key_ops: ["sign"] } },
    { name: "of a curve that they are not on", change: { x: "AAAA" } },
  ])("do not count when they are $name", async ({ change }) => {
    const key = await provider.newKey();
    provider.published = [{ ...key.jwk, ...change }];
    expect(await isSigned(key)).toBe(false);
  });

  test("that are shorter than 2048 bits do not count", async () => {
    const key = await provider.newKey("RS256");
    const short = { kty: "RSA", e: "AQAB", n: Buffer.alloc(128, 255).toString("base64url"), kid: key.kid };
    provider.published = [short];
    expect(await isSigned(key)).toBe(false);
  });

  test("need no name as long as there is one of a kind", async () => {
    const key = await provider.newKey();
    const { kid: _kid, ...nameless } = key.jwk;
    provider.published = [nameless, (await provider.newKey("RS256")).jwk];
    const token = await provider.sign({ sub: "ada" }, { key, header: { kid: undefined } });
    expect(await keys.isSigned(token, { id: "1", issuer: provider.issuer, discoveryUrl: null })).toBe(true);
  });

  test("are those of the address that an administrator gave, and of another one when that changes", async () => {
    await isSigned();
    await expect(isSigned(undefined, `${provider.issuer}/.well-known/tenant`)).rejects.toMatchObject(away);
    expect(provider.asked.at(-1)).toBe("/.well-known/tenant");
  });
});
