import { createLocalJWKSet, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";
import { createKeys } from "../../src/keys/keys.js";
import { testEnvironment } from "../support/environment.js";

const { signingKey } = loadConfig(testEnvironment());
const keys = createKeys(signingKey);

test("what is signed verifies with the key set, by an independent implementation", async () => {
  const token = keys.sign({ typ: "at+jwt" }, { sub: "u1" });
  const keySet = createLocalJWKSet({ keys: keys.keySet().keys.map((key) => ({ ...key })) });
  const { payload, protectedHeader } = await jwtVerify(token, keySet, { typ: "at+jwt", algorithms: ["ES256"] });
  expect(payload).toEqual({ sub: "u1" });
  expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: signingKey.kid });
});

test("a public key is found by its id only", () => {
  expect(keys.publicKey(signingKey.kid)?.asymmetricKeyType).toBe("ec");
  expect(keys.publicKey("another")).toBeUndefined();
});

test("no private member is in the key set", () => {
  expect(JSON.stringify(keys.keySet())).not.toContain(signingKey.privateJwk.d);
});
