import { generateEs256KeyPair } from "@authz/dpop";
import { beforeAll, describe, expect, test } from "vitest";
import { createKeys, type Keys } from "../../../src/oauth/keys/keys.js";
import { accessTokenClaims, idTokenClaims } from "../../../src/oauth/tokens/claims.js";
import { verifyOwnAccessToken, verifyOwnIdToken } from "../../../src/oauth/tokens/verify-own-token.js";
import { grantRecord, now, personRecord } from "../../support/records.js";

const issuer = "https://auth.example";
const subject = { grant: grantRecord({ amr: ["pwd", "otp"] }), user: personRecord().user };
let keys: Keys;
let foreignKeys: Keys;
beforeAll(async () => {
  keys = createKeys({ kid: "one", ...(await generateEs256KeyPair()) });
  foreignKeys = createKeys({ kid: "one", ...(await generateEs256KeyPair()) });
});

const access = (change: object = {}) => ({
  ...accessTokenClaims(subject, { issuer, scopes: ["openid", "email"], jti: "j", now, until: Infinity }),
  ...change,
});
const id = (change: object = {}) => ({ ...idTokenClaims(subject, { issuer, nonce: "n", now }), ...change });

describe("a token of ours", () => {
  test("says whose grant it comes from", () => {
    const context = { keys, issuer, now };
    expect(verifyOwnAccessToken(keys.sign({ typ: "at+jwt" }, access()), context)).toMatchObject({
      userId: subject.user.id,
      grantId: subject.grant.id,
      clientId: "authz-cli",
      scopes: ["openid", "email"],
      jkt: subject.grant.jkt,
      jti: "j",
    });
    expect(verifyOwnIdToken(keys.sign({ typ: "JWT" }, id()), context)).toMatchObject({
      userId: subject.user.id,
      grantId: subject.grant.id,
      clientId: "authz-cli",
    });
  });

  test("of a client that cannot use DPoP is bound to no key", () => {
    const unbound = { grant: { ...subject.grant, jkt: null }, user: subject.user };
    const claims = accessTokenClaims(unbound, { issuer, scopes: ["openid"], jti: "j", now, until: Infinity });
    expect(claims).not.toHaveProperty("cnf");
    const token = keys.sign({ typ: "at+jwt" }, claims);
    expect(verifyOwnAccessToken(token, { keys, issuer, now }).jkt).toBeUndefined();
  });

  test("carries how the person signed in", () => {
    expect(access()).toMatchObject({ amr: ["pwd", "otp"], auth_time: now.getTime() / 1000 - 3600 });
    expect(id()).toMatchObject({ amr: ["pwd", "otp"], nonce: "n" });
  });

  const refusals: readonly (readonly [name: string, reason: string, token: () => string])[] = [
    ["no JWS", "malformed", () => "nonsense"],
    ["more than 8 KiB", "malformed", () => keys.sign({ typ: "at+jwt" }, access({ x: "x".repeat(9000) }))],
    ["an ID token", "wrong_type", () => keys.sign({ typ: "JWT" }, id())],
    ["an assertion", "wrong_type", () => keys.sign({ typ: "oauth-id-jag+jwt" }, access())],
    ["another key under the same id", "bad_signature", () => foreignKeys.sign({ typ: "at+jwt" }, access())],
    [
      "another issuer",
      "wrong_issuer",
      () => keys.sign({ typ: "at+jwt" }, access({ iss: "https://other.example" })),
    ],
    ["another audience", "wrong_audience", () => keys.sign({ typ: "at+jwt" }, access({ aud: issuer }))],
    [
      "a list of audiences",
      "wrong_audience",
      () => keys.sign({ typ: "at+jwt" }, access({ aud: [`${issuer}/api`] })),
    ],
    [
      "its last second over",
      "expired",
      () => keys.sign({ typ: "at+jwt" }, access({ exp: now.getTime() / 1000 })),
    ],
    ["no end", "expired", () => keys.sign({ typ: "at+jwt" }, access({ exp: undefined }))],
    ["no beginning", "expired", () => keys.sign({ typ: "at+jwt" }, access({ iat: undefined }))],
    [
      "a beginning in the future",
      "not_yet_valid",
      () => keys.sign({ typ: "at+jwt" }, access({ iat: now.getTime() / 1000 + 31 })),
    ],
    [
      "a validity that begins in the future",
      "not_yet_valid",
      () => keys.sign({ typ: "at+jwt" }, access({ nbf: now.getTime() / 1000 + 31 })),
    ],
    [
      "a longer life than we give",
      "expired",
      () => keys.sign({ typ: "at+jwt" }, access({ exp: now.getTime() / 1000 + 301 })),
    ],
    ["no grant", "missing_claim", () => keys.sign({ typ: "at+jwt" }, access({ sid: undefined }))],
    [
      "a confirmation that names no key",
      "missing_claim",
      () => keys.sign({ typ: "at+jwt" }, access({ cnf: {} })),
    ],
    [
      "a confirmation that is null",
      "missing_claim",
      () => keys.sign({ typ: "at+jwt" }, access({ cnf: null })),
    ],
    [
      "a key that is no string",
      "missing_claim",
      () => keys.sign({ typ: "at+jwt" }, access({ cnf: { jkt: 1 } })),
    ],
  ];
  test.each(refusals)("is refused with %s: %s", (_name, reason, token) => {
    const context = { keys, issuer, now };
    expect(() => verifyOwnAccessToken(token(), context)).toThrow(expect.objectContaining({ reason }));
  });

  test("is refused when its key has been retired", () => {
    const token = keys.sign({ typ: "at+jwt" }, access());
    const context = { keys: { publicKey: () => undefined }, issuer, now };
    expect(() => verifyOwnAccessToken(token, context)).toThrow(
      expect.objectContaining({ reason: "unknown_key" }),
    );
  });

  describe("that was seen before", () => {
    const seen = () => {
      const token = keys.sign({ typ: "at+jwt" }, access());
      verifyOwnAccessToken(token, { keys, issuer, now });
      return token;
    };
    const other = (token: string, part: number) => {
      const parts = token.split(".");
      const bytes = Buffer.from(parts[part] ?? "", "base64url");
      const text = bytes.toString("latin1");
      parts[part] = (
        part === 1
          ? Buffer.from(text.replace('"openid email"', '"openid admin"'), "latin1")
          : Buffer.from(bytes.map((byte) => byte ^ 1))
      ).toString("base64url");
      return parts.join(".");
    };

    const same = (token: string) => token;
    test.each<[name: string, token: (token: string) => string, reason: string, context?: () => object]>([
      ["with other claims", (token) => other(token, 1), "bad_signature"],
      ["with another signature", (token) => other(token, 2), "bad_signature"],
      ["by another key of that name", same, "bad_signature", () => ({ keys: foreignKeys })],
      ["without its key", same, "unknown_key", () => ({ keys: { publicKey: () => undefined } })],
      ["after its end", same, "expired", () => ({ now: new Date(now.getTime() + 301_000) })],
      ["at another issuer", same, "wrong_issuer", () => ({ issuer: "https://other.example" })],
    ])("is refused %s", (_name, token, reason, context = () => ({})) => {
      const shown = token(seen());
      const where = { keys, issuer, now, ...context() };
      expect(() => verifyOwnAccessToken(shown, where)).toThrow(expect.objectContaining({ reason }));
    });
  });
});
