import { generateKeyPairSync } from "node:crypto";
import { importPrivateJwk, importPublicJwk, JwsError, type JwsErrorReason } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

type Members = Record<string, unknown>;
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicJwk: Members = { ...pair.publicKey.export({ format: "jwk" }) };
const privateJwk: Members = { ...pair.privateKey.export({ format: "jwk" }) };
const p384: Members = {
  ...generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ format: "jwk" }),
};
const ed25519: Members = { ...generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }) };
const weakRsa: Members = {
  ...generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" }),
};
/** The prime of the field: a coordinate that is not reduced. */
const p = Buffer.from("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", "hex").toString(
  "base64url",
);

describe("a public key is imported", () => {
  test.each<[string, Members]>([
    ["as it is", {}],
    ["with a kid and unknown members", { kid: "1", extra: { a: 1 } }],
    ["for signatures", { use: "sig" }],
    ["for verifying", { key_ops: ["verify"] }],
    ["for ES256", { alg: "ES256" }],
    ["with an x5u that is never followed", { x5u: "https://evil.example" }],
  ])("%s", (_, members) => {
    expect(importPublicJwk({ ...publicJwk, ...members }).equals(pair.publicKey)).toBe(true);
  });
});

describe("a public key is refused", () => {
  test.each<[string, unknown, JwsErrorReason]>([
    ["that is missing", undefined, "invalid_key"],
    ["that is null", null, "invalid_key"],
    ["that is a string", "key", "invalid_key"],
    ["that is a list", [publicJwk], "invalid_key"],
    ["without members", {}, "unsupported_key"],
    ["of P-384", p384, "unsupported_key"],
    ["of Ed25519", ed25519, "unsupported_key"],
    ["of weak RSA", weakRsa, "unsupported_key"],
    ["that is symmetric", { kty: "oct", k: "AAAA" }, "unsupported_key"],
    ["with d", privateJwk, "private_key"],
    ["with d undefined", { ...publicJwk, d: undefined }, "private_key"],
    ["with k", { ...publicJwk, k: "AAAA" }, "private_key"],
    ["without y", { ...publicJwk, y: undefined }, "invalid_key"],
    ["with an empty x", { ...publicJwk, x: "" }, "invalid_key"],
    ["with x as a number", { ...publicJwk, x: 1 }, "invalid_key"],
    ["with x as base64", { ...publicJwk, x: `${"+".repeat(42)}A` }, "invalid_key"],
    ["off the curve", { ...publicJwk, y: publicJwk["x"] }, "invalid_key"],
    ["with a coordinate beyond the field", { ...publicJwk, x: p }, "invalid_key"],
    ["for encryption", { ...publicJwk, use: "enc" }, "contradicting_key_use"],
    ["with use null", { ...publicJwk, use: null }, "contradicting_key_use"],
    ["with no operations", { ...publicJwk, key_ops: [] }, "contradicting_key_use"],
    ["for deriving", { ...publicJwk, key_ops: ["deriveKey"] }, "contradicting_key_use"],
    ["for ECDH", { ...publicJwk, alg: "ECDH-ES" }, "contradicting_key_use"],
  ])("%s", (_, jwk, reason) => {
    expect(() => importPublicJwk(jwk)).toThrow(expect.objectContaining({ name: "JwsError", reason }));
  });
});

describe("a private key is imported", () => {
  test.each<[string, Members]>([
    ["as it is", {}],
    ["for signing", { use: "sig", key_ops: ["sign"], alg: "ES256", kid: "1" }],
  ])("%s", (_, members) => {
    expect(importPrivateJwk({ ...privateJwk, ...members }).equals(pair.privateKey)).toBe(true);
  });
});

describe("a private key is refused", () => {
  const zero = Buffer.alloc(32).toString("base64url");
  test.each<[string, unknown, JwsErrorReason]>([
    ["that is missing", undefined, "invalid_key"],
    ["that is public", publicJwk, "invalid_key"],
    ["with d = 0", { ...privateJwk, d: zero }, "invalid_key"],
    ["with d beyond the order", { ...privateJwk, d: p }, "invalid_key"],
    [
      "with the public half of another",
      { ...other.publicKey.export({ format: "jwk" }), d: privateJwk["d"] },
      "invalid_key",
    ],
    ["that may only verify", { ...privateJwk, key_ops: ["verify"] }, "contradicting_key_use"],
    [
      "of P-384",
      generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ format: "jwk" }),
      "unsupported_key",
    ],
  ])("%s", (_, jwk, reason) => {
    expect(() => importPrivateJwk(jwk)).toThrow(expect.objectContaining({ name: "JwsError", reason }));
  });
});

test("no value throws anything but a JwsError", () => {
  const member = fc.oneof(
    fc.anything(),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
    fc.constant(publicJwk["x"]),
  );
  const jwk = fc.record(
    {
      kty: fc.constant("EC"),
      crv: fc.constant("P-256"),
      x: member,
      y: member,
      d: member,
      use: member,
      key_ops: member,
    },
    { requiredKeys: ["kty", "crv"] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), jwk), (value) => {
      for (const importKey of [importPublicJwk, importPrivateJwk]) {
        expect(() => importKey(value)).toThrow(JwsError);
      }
    }),
    { numRuns: 1000 },
  );
});
