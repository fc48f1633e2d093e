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

  const refusals: readonly { name: string; token: () => string; reason: string }[] = [
    { name: "no JWS", token: () => "nonsense", reason: "malformed" },
    {
      name: "more than 8 KiB",
      token: () => keys.sign({ typ: "at+jwt" }, access({ x: "x".repeat(9000) })),
      reason: "malformed",
    },
    { name: "an ID token", token: () => keys.sign({ typ: "JWT" }, id()), reason: "wrong_type" },
    {
      name: "an assertion",
      token: () => keys.sign({ typ: "oauth-id-jag+jwt" }, access()),
      reason: "wrong_type",
    },
    {
      name: "another key under the same id",
      token: () => foreignKeys.sign({ typ: "at+jwt" }, access()),
      reason: "bad_signature",
    },
    {
      name: "another issuer",
      token: () => keys.sign({ typ: "at+jwt" }, access({ iss: "https://other.example" })),
      reason: "wrong_issuer",
    },
    {
      name: "another audience",
      token: () => keys.sign({ typ: "at+jwt" }, access({ aud: issuer })),
      reason: "wrong_audience",
    },
    {
      name: "a list of audiences",
      token: () => keys.sign({ typ: "at+jwt" }, access({ aud: [`${issuer}/api`] })),
      reason: "wrong_audience",
    },
    {
      name: "its last second over",
      token: () => keys.sign({ typ: "at+jwt" }, access({ exp: now.getTime() / 1000 })),
      reason: "expired",
    },
    {
      name: "no end",
      token: () => keys.sign({ typ: "at+jwt" }, access({ exp: undefined })),
      reason: "expired",
    },
    {
      name: "no beginning",
      token: () => keys.sign({ typ: "at+jwt" }, access({ iat: undefined })),
      reason: "expired",
    },
    {
      name: "a beginning in the future",
      token: () => keys.sign({ typ: "at+jwt" }, access({ iat: now.getTime() / 1000 + 31 })),
      reason: "not_yet_valid",
    },
    {
      name: "a validity that begins in the future",
      token: () => keys.sign({ typ: "at+jwt" }, access({ nbf: now.getTime() / 1000 + 31 })),
      reason: "not_yet_valid",
    },
    {
      name: "a longer life than we give",
      token: () => keys.sign({ typ: "at+jwt" }, access({ exp: now.getTime() / 1000 + 301 })),
      reason: "expired",
    },
    {
      name: "no grant",
      token: () => keys.sign({ typ: "at+jwt" }, access({ sid: undefined })),
      reason: "missing_claim",
    },
    {
      name: "a confirmation that names no key",
      token: () => keys.sign({ typ: "at+jwt" }, access({ cnf: {} })),
      reason: "missing_claim",
    },
    {
      name: "a confirmation that is null",
      token: () => keys.sign({ typ: "at+jwt" }, access({ cnf: null })),
      reason: "missing_claim",
    },
    {
      name: "a key that is no string",
      token: () => keys.sign({ typ: "at+jwt" }, access({ cnf: { jkt: 1 } })),
      reason: "missing_claim",
    },
  ];
  test.each(refusals)("is refused with $name: $reason", ({ token, reason }) => {
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

    test.each<{
      readonly name: string;
      readonly token?: (token: string) => string;
      readonly context?: () => object;
      readonly reason: string;
    }>([
      { name: "with other claims", token: (token) => other(token, 1), reason: "bad_signature" },
      { name: "with another signature", token: (token) => other(token, 2), reason: "bad_signature" },
      {
        name: "by another key of that name",
        context: () => ({ keys: foreignKeys }),
        reason: "bad_signature",
      },
      {
        name: "without its key",
        context: () => ({ keys: { publicKey: () => undefined } }),
        reason: "unknown_key",
      },
      {
        name: "after its end",
        context: () => ({ now: new Date(now.getTime() + 301_000) }),
        reason: "expired",
      },
      {
        name: "at another issuer",
        context: () => ({ issuer: "https://other.example" }),
        reason: "wrong_issuer",
      },
    ])("is refused $name", ({ token = (same) => same, context = () => ({}), reason }) => {
      const shown = token(seen());
      const where = { keys, issuer, now, ...context() };
      expect(() => verifyOwnAccessToken(shown, where)).toThrow(expect.objectContaining({ reason }));
    });
  });
});
