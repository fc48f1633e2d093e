import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { expect, test } from "vitest";

test("a generated pair is two plain JWKs of one key, ready for a signer", async () => {
  const keyPair = await generateEs256KeyPair();
  expect(Object.keys(keyPair.publicJwk)).toEqual(["kty", "crv", "x", "y"]);
  expect(keyPair.privateJwk).toEqual({ ...keyPair.publicJwk, d: expect.stringMatching(/^[\w-]{43}$/) });
  expect(createProofSigner(keyPair).publicJwk).toEqual(keyPair.publicJwk);
});

test("every pair is another one", async () => {
  const [one, two] = await Promise.all([generateEs256KeyPair(), generateEs256KeyPair()]);
  expect(one.publicJwk.x).not.toBe(two.publicJwk.x);
});
