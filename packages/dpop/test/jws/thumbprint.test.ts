import { createProofSigner, generateEs256KeyPair, jwkThumbprint, type PublicJwk } from "@authz/dpop";
import { JwsError } from "@authz/dpop/jws";
import { calculateJwkThumbprint } from "jose";
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

test("a thumbprint is the one jose calculates", async () => {
  const { publicJwk } = await generateEs256KeyPair();
  expect(jwkThumbprint(publicJwk)).toBe(await calculateJwkThumbprint({ ...publicJwk }, "sha256"));
});

test("only the four members of the public key count", async () => {
  const { publicJwk, privateJwk } = await generateEs256KeyPair();
  const decorated = {
    kid: "k",
    use: "sig",
    y: publicJwk.y,
    x: publicJwk.x,
    crv: "P-256",
    kty: "EC",
  } as const;
  expect(jwkThumbprint(decorated)).toBe(jwkThumbprint(publicJwk));
  expect(jwkThumbprint(privateJwk)).toBe(jwkThumbprint(publicJwk));
});

test.each([
  ["nothing", undefined],
  ["a string", "jwk"],
  ["an RSA key", { kty: "RSA", n: "AQAB", e: "AQAB" }],
  [
    "a key with a coordinate that would break out of the JSON",
    { kty: "EC", crv: "P-256", x: `"${"x".repeat(42)}`, y: "" },
  ],
])("%s has no thumbprint", (_, jwk) => {
  expect(() => jwkThumbprint(jwk as PublicJwk)).toThrow(JwsError);
});
