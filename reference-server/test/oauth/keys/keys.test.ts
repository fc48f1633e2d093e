import { generateEs256KeyPair } from "@authz/dpop";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/config.js";
import { createKeys } from "../../../src/oauth/keys/keys.js";
import {
  publicationSeconds,
  reloadSeconds,
  retentionSeconds,
  staleSeconds,
} from "../../../src/oauth/keys/rotate-keys.js";
import { lifetimes } from "../../../src/protocol/vocabulary.js";
import { assertionSeconds } from "../../../src/skills/fetch-catalog.js";
import { DatabaseUnavailableError } from "../../../src/store/database-unavailable-error.js";
import { testEnvironment } from "../../support/environment.js";

const { signingKey } = loadConfig(testEnvironment());
const keys = createKeys(signingKey);

test("what is signed verifies with the key set, by an independent implementation", async () => {
  const token = keys.sign({ typ: "at+jwt" }, { sub: "u1" });
  const keySet = createLocalJWKSet({ keys: keys.keySet().keys.map((key) => ({ ...key })) });
  const { payload, protectedHeader } = await jwtVerify(token, keySet, {
    typ: "at+jwt",
    algorithms: ["ES256"],
  });
  expect(payload).toEqual({ sub: "u1" });
  expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: signingKey.kid });
});

test("a public key is found by its id only", () => {
  expect(keys.publicKey(signingKey.kid)?.asymmetricKeyType).toBe("ec");
  expect(keys.publicKey("another")).toBeUndefined();
});

test("the key set is the same object until a key comes or goes", async () => {
  const next = { kid: "next", ...(await generateEs256KeyPair()) };
  const live = createKeys(signingKey);
  const first = live.keySet();
  live.replace({ active: signingKey, published: [signingKey] });
  expect(live.keySet()).toBe(first);
  live.replace({ active: signingKey, published: [signingKey, next] });
  expect(live.keySet().keys.map(({ kid }) => kid)).toEqual([signingKey.kid, "next"]);
  live.replace({ active: next, published: [next, signingKey] });
  expect(decodeProtectedHeader(live.sign({ typ: "JWT" }, {}))).toMatchObject({ kid: "next" });
  live.replace({ active: next, published: [next] });
  expect(live.publicKey(signingKey.kid)).toBeUndefined();
});

test("a process that could not read the keys for too long signs nothing more", () => {
  let now = 0;
  const live = createKeys(signingKey, () => now);
  live.replace({ active: signingKey, published: [signingKey] });
  now = staleSeconds * 1000;
  expect(live.sign({ typ: "JWT" }, {})).toContain(".");
  now += 1;
  expect(() => live.sign({ typ: "JWT" }, {})).toThrow(DatabaseUnavailableError);
  live.replace({ active: signingKey, published: [signingKey] });
  expect(live.sign({ typ: "JWT" }, {})).toContain(".");
});

test("a retired key stays in the key set longer than anything it can have signed", () => {
  const { accessToken, idToken, identityAssertion } = lifetimes;
  const longest = Math.max(accessToken, idToken, identityAssertion, assertionSeconds);
  expect(retentionSeconds).toBeGreaterThan(staleSeconds + longest);
});

test("a staged key is in the key set longer than all caches on the way to a service together", () => {
  const [maxAge, freshAtTheService, pauseBetweenFetches] = [300, 300, 30];
  expect(publicationSeconds).toBeGreaterThan(
    reloadSeconds + maxAge + freshAtTheService + pauseBetweenFetches,
  );
});

test("no private member is in the key set", () => {
  expect(JSON.stringify(keys.keySet())).not.toContain(signingKey.privateJwk.d);
});
