import { generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, type JsonObject, signCompactJws } from "@authz/dpop/jws";
import {
  checkAudience,
  checkClient,
  checkIssuer,
  checkLifetime,
  checkResource,
  checkSignature,
  isIdentifier,
  isNumericDate,
  JwtError,
  type JwtErrorReason,
  parseJwt,
  readActor,
  readClientId,
  readKeyThumbprint,
  readProfile,
  readScopes,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import { describe, expect, test } from "vitest";
import { errorOf } from "../error-of.js";

const now = 1_800_000_000;
const right: JsonObject = {
  iss: "https://as.example",
  aud: "https://service.example",
  sub: "ada",
  client_id: "app",
  resource: "https://service.example/api",
  scope: "contracts:read",
  email: "ada@example.com",
  act: { sub: "app" },
  cnf: { jkt: "k".repeat(43) },
  jti: "1",
  iat: now,
  exp: now + 300,
};

/** Every rule for claims, one after the other. */
function readAll(claims: JsonObject): object {
  checkIssuer(claims, "https://as.example");
  checkAudience(claims, "https://service.example");
  checkClient(claims, "app");
  checkResource(claims, "https://service.example/api");
  return {
    ...checkLifetime(claims, { now, maximum: 300 }),
    subject: readSubject(claims),
    clientId: readClientId(claims),
    scopes: readScopes(claims),
    keyThumbprint: readKeyThumbprint(claims),
    tokenId: readTokenId(claims),
    ...readProfile(claims),
    actor: readActor(claims, "https://as.example"),
  };
}

test("claims that keep every rule are read", () => {
  expect(readAll(right)).toEqual({
    issuedAt: now,
    expiresAt: now + 300,
    subject: "ada",
    clientId: "app",
    scopes: ["contracts:read"],
    keyThumbprint: "k".repeat(43),
    tokenId: "1",
    email: "ada@example.com",
    actor: { subject: "app" },
  });
});

test.each<[string, JsonObject]>([
  ["an audience in an array of one", { aud: ["https://service.example"] }],
  ["a clock that is 30 seconds ahead", { iat: now + 30, exp: now + 300 }],
  ["the last second of a life", { iat: now - 299, exp: now + 1 }],
  ["a beginning that is over", { nbf: now - 1 }],
  ["no profile", { email: undefined }],
  ["no key", { cnf: undefined }],
  ["no actor", { act: undefined }],
  ["an actor named by a long address", { act: { sub: `https://agent.example/${"a".repeat(2026)}` } }],
  ["an actor of the same issuer", { act: { sub: "app", iss: "https://as.example" } }],
  ["an actor with claims that mean nothing there", { act: { sub: "app", exp: 1, aud: "x" } }],
  ["any actor before the actor", { act: { sub: "app", act: { sub: 1 } } }],
])("%s is fine", (_, change) => {
  expect(readAll({ ...right, ...change })).toBeDefined();
});

test.each<[string, JsonObject, JwtErrorReason]>([
  ["another issuer", { iss: "https://other.example" }, "issuer"],
  ["two audiences", { aud: ["https://service.example", "https://other.example"] }, "audience"],
  ["another client", { client_id: "other" }, "client"],
  ["another resource", { resource: "https://service.example/" }, "resource"],
  ["no beginning", { iat: undefined }, "dates"],
  ["an end that is a string", { exp: String(now + 300) }, "dates"],
  ["a fraction of a second", { nbf: now + 0.5 }, "dates"],
  ["an end now", { exp: now }, "expired"],
  ["a beginning 31 seconds ahead", { iat: now + 31 }, "not_yet_valid"],
  ["a validity 31 seconds ahead", { nbf: now + 31 }, "not_yet_valid"],
  ["an end before its beginning", { iat: now + 20, exp: now + 10 }, "lifetime"],
  ["a life that is too long", { exp: now + 301 }, "lifetime"],
  ["no subject", { sub: "" }, "subject"],
  ["a subject of 257 characters", { sub: "a".repeat(257) }, "subject"],
  ["an identifier with a line break", { jti: "1\n" }, "id"],
  ["a profile that is a list", { email: ["ada@example.com"] }, "profile"],
  ["an actor that is null", { act: null }, "actor"],
  ["an actor that is a string", { act: "app" }, "actor"],
  ["an actor in an array", { act: [{ sub: "app" }] }, "actor"],
  ["an actor without a name", { act: {} }, "actor"],
  ["an actor with an empty name", { act: { sub: "" } }, "actor"],
  ["an actor whose name is a number", { act: { sub: 7 } }, "actor"],
  ["an actor whose name has a line break", { act: { sub: "a\nb" } }, "actor"],
  ["an actor named by 2049 characters", { act: { sub: "a".repeat(2049) } }, "actor"],
  ["an actor of another issuer", { act: { sub: "app", iss: "https://other.example" } }, "actor"],
  ["no scope", { scope: undefined }, "scope"],
  ["two spaces between scopes", { scope: "a  b" }, "scope"],
  ["a confirmation that is a string", { cnf: "k" }, "confirmation"],
  ["a confirmation that is an array", { cnf: ["k".repeat(43)] }, "confirmation"],
  ["a thumbprint that is too short", { cnf: { jkt: "k" } }, "confirmation"],
  ["a second confirmation", { cnf: { jkt: "k".repeat(43), "x5t#S256": "x" } }, "confirmation"],
])("%s is refused", (_, change, reason) => {
  expect(errorOf(() => readAll({ ...right, ...change }))).toMatchObject({ name: "JwtError", reason });
});

describe("a JWT", async () => {
  const [keyPair, otherPair] = await Promise.all([generateEs256KeyPair(), generateEs256KeyPair()]);
  const kind = { type: "at+jwt", maxBytes: 8192 };
  const sign = (header: { typ: string; kid?: string }): string =>
    signCompactJws(header, right, importPrivateJwk(keyPair.privateJwk));
  const token = sign({ typ: "at+jwt", kid: "1" });

  test("is parsed and verified", () => {
    const jwt = parseJwt(token, kind);
    checkSignature(jwt, importPublicJwk(keyPair.publicJwk));
    expect(jwt).toMatchObject({ kid: "1", claims: { sub: "ada" } });
  });

  test.each<[string, () => unknown, JwtErrorReason]>([
    ["is none", () => parseJwt("opaque", kind), "malformed"],
    ["is too large", () => parseJwt(token, { ...kind, maxBytes: 100 }), "malformed"],
    ["is of another type", () => parseJwt(sign({ typ: "JWT", kid: "1" }), kind), "type"],
    ["names no key", () => parseJwt(sign({ typ: "at+jwt" }), kind), "key_id"],
    ["names an unknown key", () => checkSignature(parseJwt(token, kind), undefined), "unknown_key"],
    [
      "is signed by another key",
      () => checkSignature(parseJwt(token, kind), importPublicJwk(otherPair.publicJwk)),
      "signature",
    ],
  ])("that %s is refused", (_, run, reason) => {
    const error = errorOf(run);
    expect(error).toBeInstanceOf(JwtError);
    expect(error).toMatchObject({ reason });
  });
});

test("a client may be named by an address of 2048 characters", () => {
  const clientId = `https://agent.example/${"a".repeat(2026)}`;
  expect(readClientId({ client_id: clientId })).toBe(clientId);
  expect(errorOf(() => readClientId({ client_id: `${clientId}a` }))).toMatchObject({ reason: "client" });
});

test.each(["a", "ä".repeat(256)])("%s is an identifier", (value) => {
  expect(isIdentifier(value)).toBe(true);
});

test.each(["", "a".repeat(257), "a\u0000", "a\u0085", 1, undefined])("%j is no identifier", (value) => {
  expect(isIdentifier(value)).toBe(false);
});

test.each([0, 1, 1_800_000_000])("%d is a NumericDate", (value) => {
  expect(isNumericDate(value)).toBe(true);
});

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, undefined, 1n, new Date(0)])(
  "%s is no NumericDate",
  (value) => {
    expect(isNumericDate(value)).toBe(false);
  },
);
