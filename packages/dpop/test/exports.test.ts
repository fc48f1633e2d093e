import * as dpop from "@authz/dpop";
import * as jws from "@authz/dpop/jws";
import { expect, test } from "vitest";

test("@authz/dpop exports exactly these names", () => {
  expect(Object.keys(dpop).sort()).toEqual([
    "DpopError",
    "ReplayStoreUnavailableError",
    "createNonceSource",
    "createProofSigner",
    "createProofVerifier",
    "generateEs256KeyPair",
    "inMemory",
    "jwkThumbprint",
  ]);
});

test("@authz/dpop/jws exports exactly these names", () => {
  expect(Object.keys(jws).sort()).toEqual([
    "JwsError",
    "decodeBase64url",
    "hasType",
    "importPrivateJwk",
    "importPublicJwk",
    "isNumericDate",
    "parseCompactJws",
    "parseStrictJson",
    "sha256Base64url",
    "signCompactJws",
    "verifyEs256",
  ]);
});
