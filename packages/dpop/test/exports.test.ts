import * as dpop from "@authz/dpop";
import * as approval from "@authz/dpop/approval";
import * as challenges from "@authz/dpop/challenges";
import * as cover from "@authz/dpop/cover";
import * as jws from "@authz/dpop/jws";
import * as jwt from "@authz/dpop/jwt";
import * as replay from "@authz/dpop/replay";
import { expect, test } from "vitest";

test("@authz/dpop exports exactly these names", () => {
  expect(Object.keys(dpop).sort()).toEqual([
    "DpopError",
    "ReplayStoreUnavailableError",
    "createNonceSource",
    "createProofChecker",
    "createProofSigner",
    "generateEs256KeyPair",
    "inMemory",
    "jwkThumbprint",
    "spendProof",
  ]);
});

test("@authz/dpop/approval exports exactly these names", () => {
  expect(Object.keys(approval).sort()).toEqual([
    "callDigest",
    "challengeType",
    "contentDigest",
    "createTxn",
    "grantDetail",
    "isTxnOf",
    "parseTxn",
    "readGrantedDetail",
  ]);
});

test("@authz/dpop/challenges exports exactly these names", () => {
  expect(Object.keys(challenges)).toEqual(["parseChallenges"]);
});

test("@authz/dpop/cover exports exactly these names", () => {
  expect(Object.keys(cover).sort()).toEqual(["coverText", "createCoverer"]);
});

test("@authz/dpop/jws exports exactly these names", () => {
  expect(Object.keys(jws).sort()).toEqual([
    "JwsError",
    "canonicalJson",
    "decodeBase64url",
    "encodeSigningInput",
    "hasType",
    "importPrivateJwk",
    "importPublicJwk",
    "isJsonObject",
    "parseCompactJws",
    "parseStrictJson",
    "parseStrictJsonObject",
    "sha256Base64url",
    "signCompactJws",
    "signEs256",
    "splitCompact",
    "toJoseSignature",
    "verifyEs256",
  ]);
});

test("@authz/dpop/jwt exports exactly these names", () => {
  expect(Object.keys(jwt).sort()).toEqual([
    "JwtError",
    "canonicalResource",
    "checkAudience",
    "checkClient",
    "checkIssuer",
    "checkLifetime",
    "checkResource",
    "checkSignature",
    "isIdentifier",
    "isNumericDate",
    "isScope",
    "isScopeToken",
    "parseJwt",
    "parseScope",
    "readActor",
    "readClientId",
    "readKeyThumbprint",
    "readProfile",
    "readScopes",
    "readSessionId",
    "readStatusIndex",
    "readSubject",
    "readTokenId",
    "scopePattern",
  ]);
});

test("@authz/dpop/replay exports exactly these names", () => {
  expect(Object.keys(replay).sort()).toEqual([
    "ReplayStoreUnavailableError",
    "isFirstUse",
    "isInMemory",
    "within",
  ]);
});
