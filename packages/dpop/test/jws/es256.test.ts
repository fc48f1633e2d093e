import { generateKeyPairSync, sign, verify } from "node:crypto";
import {
  importPrivateJwk,
  importPublicJwk,
  parseCompactJws,
  signCompactJws,
  toJoseSignature,
  verifyEs256,
} from "@authz/dpop/jws";
import * as fc from "fast-check";
import { CompactSign, compactVerify } from "jose";
import { describe, expect, test } from "vitest";
import { decodeDerSignature, encodeDerSignature, isSignatureInRange } from "../../src/jws/der-signature.js";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicKey = importPublicJwk(pair.publicKey.export({ format: "jwk" }));
const privateKey = importPrivateJwk(pair.privateKey.export({ format: "jwk" }));
const n = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const one = "1".padStart(64, "0");
const zero = "0".repeat(64);

test("what we sign, jose verifies", async () => {
  for (let index = 0; index < 200; index++) {
    const text = signCompactJws({ typ: "at+jwt", kid: "1" }, { index }, privateKey);
    const { protectedHeader, payload } = await compactVerify(text, pair.publicKey);
    expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: "1" });
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ index });
  }
});

test("what jose signs, we verify", async () => {
  for (let index = 0; index < 200; index++) {
    const text = await new CompactSign(Buffer.from(JSON.stringify({ index })))
      .setProtectedHeader({ alg: "ES256" })
      .sign(pair.privateKey);
    const { signingInput, signature, payload } = parseCompactJws(text, { maxBytes: 1000 });
    expect(payload).toEqual({ index });
    expect(verifyEs256(signingInput, signature, publicKey)).toBe(true);
    expect(verifyEs256(`${signingInput}x`, signature, publicKey)).toBe(false);
  }
});

test("long and short tokens verify in any order", () => {
  const texts = [10, 20_000, 10, 5000, 3000, 20_000, 11].map((length) =>
    signCompactJws({ typ: "at+jwt" }, { pad: "x".repeat(length) }, privateKey),
  );
  for (const text of [...texts, ...texts.toReversed()]) {
    const { signingInput, signature } = parseCompactJws(text, { maxBytes: 100_000 });
    expect(verifyEs256(signingInput, signature, publicKey)).toBe(true);
    expect(verifyEs256(signingInput.slice(0, -1), signature, publicKey)).toBe(false);
  }
});

test("a signature of another key does not verify", () => {
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signature = sign("sha256", Buffer.from("a.b"), { key: other.privateKey, dsaEncoding: "ieee-p1363" });
  expect(verifyEs256("a.b", signature, publicKey)).toBe(false);
});

describe("a signature is out of range with", () => {
  test.each([
    ["r = 0", zero + one],
    ["s = 0", one + zero],
    ["r = n", n + one],
    ["s = n", one + n],
    ["r = n + 1", n.replace(/51$/, "52") + one],
    ["all bits set", "f".repeat(128)],
    ["63 bytes", (one + one).slice(2)],
    ["65 bytes", `00${one}${one}`],
    ["no bytes", ""],
  ])("%s", (_, hex) => {
    const signature = Buffer.from(hex, "hex");
    expect(isSignatureInRange(signature)).toBe(false);
    expect(verifyEs256("a.b", signature, publicKey)).toBe(false);
  });
});

describe("a signature is in range with", () => {
  const nMinusOne = n.replace(/51$/, "50");
  test.each([
    ["r = s = 1", one + one],
    ["r = s = n - 1", nMinusOne + nMinusOne],
  ])("%s, and is still not valid", (_, hex) => {
    const signature = Buffer.from(hex, "hex");
    expect(isSignatureInRange(signature)).toBe(true);
    expect(verifyEs256("a.b", signature, publicKey)).toBe(false);
  });
});

test("the conversion to DER and back keeps every signature, however many leading zeros it has", () => {
  const half = fc
    .tuple(fc.integer({ min: 0, max: 31 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([zeros, bytes]) => Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes).subarray(zeros)]))
    .filter((bytes) => bytes.some((byte) => byte !== 0));
  fc.assert(
    fc.property(half, half, (r, s) => {
      const signature = Buffer.concat([r, s]);
      expect(decodeDerSignature(encodeDerSignature(signature))).toEqual(signature);
    }),
    { numRuns: 1000 },
  );
});

test("our DER is what OpenSSL reads: both encodings of a signature have the same verdict", () => {
  const data = Buffer.from("a.b");
  for (let index = 0; index < 200; index++) {
    const signature = sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" });
    expect(verify("sha256", data, publicKey, encodeDerSignature(signature))).toBe(true);
  }
});

describe("a signature that came from elsewhere", () => {
  const refused: readonly { name: string; bytes: readonly number[] }[] = [
    { name: "nothing", bytes: [] },
    { name: "an empty sequence", bytes: [0x30, 0] },
    { name: "a sequence with one number", bytes: [0x30, 3, 2, 1, 1] },
    {
      name: "a number that is too long",
      bytes: [0x30, 40, 2, 33, ...Array.from({ length: 33 }, () => 1), 2, 1, 1],
    },
    { name: "something behind the sequence", bytes: [0x30, 6, 2, 1, 1, 2, 1, 1, 0] },
    { name: "a wrong length", bytes: [0x30, 7, 2, 1, 1, 2, 1, 1] },
    { name: "a number that ends beyond the bytes", bytes: [0x30, 6, 2, 1, 1, 2, 9, 1] },
  ];

  test.each(refused)("is no signature when it is $name", ({ bytes }) => {
    expect(toJoseSignature(Uint8Array.from(bytes))).toBeUndefined();
  });

  test("is padded to 64 bytes", () => {
    const jose = toJoseSignature(Uint8Array.from([0x30, 6, 2, 1, 5, 2, 1, 7]));
    expect(jose).toHaveLength(64);
    expect([jose?.[31], jose?.[63]]).toEqual([5, 7]);
  });
});
