import {
  createProofSigner,
  type Es256KeyPair,
  generateEs256KeyPair,
  type ProofRequest,
  type ProofSignerOptions,
} from "@authz/dpop";
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { clock, createVerifier, now } from "./draft.js";

let keyPair: Es256KeyPair;
beforeAll(async () => {
  keyPair = await generateEs256KeyPair();
});

/** Reads a proof as an independent implementation does. */
async function readWithJose(proof: string) {
  const { payload } = await jwtVerify(proof, EmbeddedJWK, {
    typ: "dpop+jwt",
    algorithms: ["ES256"],
    currentDate: new Date(clock()),
    maxTokenAge: 60,
    requiredClaims: ["jti", "htm", "htu", "iat"],
  });
  return payload;
}

test("a proof has the claims of RFC 9449 and verifies with jose", async () => {
  const signer = createProofSigner(keyPair, { clock });
  const payload = await readWithJose(signer.sign({ method: "POST", url: "https://as.example/token" }));
  expect(payload).toEqual({
    jti: expect.stringMatching(/^[\w-]{36}$/),
    htm: "POST",
    htu: "https://as.example/token",
    iat: now,
  });
});

test("a proof's header has the type, the algorithm and the public key, and nothing else", () => {
  const signer = createProofSigner(keyPair, { clock });
  const proof = signer.sign({ method: "GET", url: "https://api.example/" });
  const { x, y } = keyPair.publicJwk;
  expect(decodeProtectedHeader(proof)).toEqual({
    typ: "dpop+jwt",
    alg: "ES256",
    jwk: { kty: "EC", crv: "P-256", x, y },
  });
});

test("an access token becomes ath, a nonce is passed on", async () => {
  const signer = createProofSigner(keyPair, { clock });
  const proof = signer.sign({
    method: "GET",
    url: "https://resource.example.org/protectedresource",
    accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
    nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v",
  });
  expect(await readWithJose(proof)).toMatchObject({
    ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
    nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v",
  });
});

test.each([400, -400, 0])(
  "a server whose clock differs by %d seconds gets a proof with its own time",
  (seconds) => {
    const signer = createProofSigner(keyPair, { clock });
    const request = { method: "GET", url: "https://api.example/a" };
    const theirs = createVerifier({ clock: () => clock() + seconds * 1000, clockToleranceSeconds: 0 });
    const proof = signer.sign({ ...request, clockOffsetSeconds: seconds });
    expect(theirs.check({ ...request, proof }).iat).toBe(Math.floor(clock() / 1000) + seconds);
  },
);

test.each([
  ["a query and a fragment", "https://api.example/a?b=c#d", "https://api.example/a"],
  ["no path", "https://api.example", "https://api.example/"],
  ["capitals and a default port", "HTTPS://API.example:443/A", "https://api.example/A"],
  ["dot segments", "https://api.example/a/../b", "https://api.example/b"],
  ["letters beyond ASCII", "https://api.example/é", "https://api.example/%C3%A9"],
  ["user information", "https://user:password@api.example/a", "https://api.example/a"],
  ["a loopback address", "http://127.0.0.1:3000/a", "http://127.0.0.1:3000/a"],
])("an address with %s is written as it goes over the wire", async (_, url, htu) => {
  const proof = createProofSigner(keyPair, { clock }).sign({ method: "GET", url });
  expect(await readWithJose(proof)).toMatchObject({ htu });
});

test("every proof is accepted once by our verifier, and no two have the same jti", async () => {
  const signer = createProofSigner(keyPair, { clock });
  const verifier = createVerifier();
  const request = { method: "GET", url: "https://api.example/a" };
  for (let index = 0; index < 300; index++) {
    const proof = await verifier.verify({ ...request, proof: signer.sign(request) });
    expect(proof.thumbprint).toBe(signer.thumbprint);
  }
});

test("the signer tells the thumbprint and the public key of its proofs", async () => {
  const signer = createProofSigner(keyPair);
  expect(signer.thumbprint).toBe(await calculateJwkThumbprint({ ...keyPair.publicJwk }));
  expect(signer.publicJwk).toEqual(keyPair.publicJwk);
  expect(Object.isFrozen(signer.publicJwk)).toBe(true);
});

describe("misuse is a TypeError", () => {
  test.each<[string, () => unknown, string]>([
    ["no key pair", () => undefined, "keyPair"],
    ["a key pair without a private key", () => ({ publicJwk: keyPair.publicJwk }), "keyPair"],
    ["a private key in place of a pair", () => keyPair.privateJwk, "keyPair"],
    [
      "a broken private key",
      () => ({ ...keyPair, privateJwk: { ...keyPair.privateJwk, d: "x" } }),
      "keyPair",
    ],
  ])("for %s", (_, createPair, message) => {
    const create = () => createProofSigner(createPair() as Es256KeyPair);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  test("for the halves of two pairs", async () => {
    const other = await generateEs256KeyPair();
    expect(() => createProofSigner({ ...keyPair, publicJwk: other.publicJwk })).toThrow(TypeError);
    const chimera = { ...keyPair, privateJwk: { ...keyPair.privateJwk, d: other.privateJwk.d } };
    expect(() => createProofSigner(chimera)).toThrow(TypeError);
  });

  test.each<[string, unknown, string]>([
    ["an unknown option", { now: clock }, '"now"'],
    ["a clock that is a number", { clock: 1 }, "clock"],
  ])("for %s", (_, options, message) => {
    const create = () => createProofSigner(keyPair, options as ProofSignerOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  test.each<[string, unknown, string]>([
    ["no method", { url: "https://api.example/" }, "method"],
    ["an empty method", { method: "", url: "https://api.example/" }, "method"],
    ["a method with a space", { method: "GET /", url: "https://api.example/" }, "method"],
    ["a path for an address", { method: "GET", url: "/a" }, "url"],
    ["another scheme", { method: "GET", url: "file:///etc/passwd" }, "url"],
    ["no address", { method: "GET" }, "url"],
    [
      "a fraction of a second",
      { method: "GET", url: "https://api.example/", clockOffsetSeconds: 0.5 },
      "clockOffsetSeconds",
    ],
  ])("for a request with %s", (_, request, message) => {
    const sign = () => createProofSigner(keyPair).sign(request as ProofRequest);
    expect(sign).toThrow(TypeError);
    expect(sign).toThrow(message);
  });
});
