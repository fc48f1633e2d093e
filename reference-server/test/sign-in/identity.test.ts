import { describe, expect, test } from "vitest";
import { decideIdentity, joinClaims, type ProviderClaims } from "../../src/sign-in/identity.js";

const provider = { issuer: "https://id.acme.example", allowedEmailDomains: ["acme.example"] };
const claims: ProviderClaims = {
  sub: "ada",
  email: "Ada@Acme.example",
  email_verified: true,
  name: "Ada Lovelace",
};

describe("what a provider says about a person", () => {
  test("is kept as far as it is usable", () => {
    const said = { ...claims, auth_time: 1_700_000_000.9, amr: ["pwd", 7, "mfa\0"] };
    expect(decideIdentity(said, provider)).toStrictEqual({
      subject: "ada",
      email: "ada@acme.example",
      name: "Ada Lovelace",
      oid: undefined,
      authTime: new Date(1_700_000_000_000),
      amr: ["pwd", "mfa"],
    });
  });

  test.each([
    { oid: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60", kept: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60" },
    { oid: undefined, kept: undefined },
    { oid: 7, kept: undefined },
    { oid: "", kept: undefined },
    { oid: "a\0b", kept: undefined },
  ])("takes $oid as the account that SCIM may name: $kept", ({ oid, kept }) => {
    expect(decideIdentity({ ...claims, oid }, provider).oid).toBe(kept);
  });

  test.each([
    { name: "text", sid: "s-1", kept: "s-1" },
    { name: "nothing", sid: undefined, kept: undefined },
    { name: "empty", sid: "", kept: undefined },
    { name: "a number", sid: 1, kept: undefined },
    { name: "too long", sid: "s".repeat(257), kept: undefined },
  ])("names its own session only by text that can be stored: $name", ({ sid, kept }) => {
    expect(decideIdentity({ ...claims, sid }, provider).sid).toBe(kept);
  });

  test("names its own session in the ID token, never in the userinfo answer", () => {
    const userinfo = { ...claims, sid: "other" };
    expect(joinClaims({ ...claims, sid: "s-1" }, userinfo)).toMatchObject({ sid: "s-1" });
    expect(joinClaims(claims, userinfo)).toMatchObject({ sid: undefined });
  });

  test("never leaves half of a surrogate pair, which the audit trail could not store", () => {
    const emoji = String.fromCodePoint(0x1f600);
    const said = {
      ...claims,
      name: `${"n".repeat(255)}${emoji}`,
      amr: ["\uD800", `${"a".repeat(255)}${emoji}`],
    };
    const { name, amr } = decideIdentity(said, provider);
    expect({ name, amr }).toStrictEqual({
      name: `${"n".repeat(255)}${emoji}`,
      amr: [`${"a".repeat(255)}${emoji}`],
    });
    const halved = { ...claims, name: `Ada\uD83D Lovelace` };
    expect(decideIdentity(halved, provider).name).toBe("Ada Lovelace");
  });

  test.each([
    { name: "a change of direction", said: "Ada \u202Eecalevol", kept: "Ada ecalevol" },
    { name: "tags", said: "Ada\u{E0041}\u{E007F}", kept: "Ada" },
    { name: "blank letters", said: "\u3164Ada\u2800Lovelace", kept: "Ada Lovelace" },
    { name: "nothing between letters", said: "A\u200Bda", kept: "A da" },
    { name: "line ends", said: "Ada\r\nLovelace", kept: "Ada Lovelace" },
    { name: "a joiner that belongs to the name", said: "علی\u200Cرضا", kept: "علی\u200Cرضا" },
    { name: "nothing that can be seen", said: "\u3164\u200D", kept: undefined },
    { name: "more than a name", said: "👩\u200D💻".repeat(90), kept: `${"👩\u200D💻".repeat(85)}👩` },
  ])("has a name in which everything can be seen: $name", ({ said, kept }) => {
    expect(decideIdentity({ ...claims, name: said }, provider).name).toBe(kept);
  });

  test.each([{ name: 1 }, { name: "" }, { name: "\0\u0001 " }, { name: undefined }])(
    "may lack a usable name: %o",
    (change) => {
      expect(decideIdentity({ ...claims, ...change }, provider).name).toBeUndefined();
    },
  );

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "1700000000"])(
    "may name a useless time: %s",
    (authTime) => {
      expect(decideIdentity({ ...claims, auth_time: authTime }, provider).authTime).toBeUndefined();
    },
  );

  test.each([
    ["no email address", "email_missing", { email: undefined }],
    ["an email address that is none", "email_missing", { email: "ada" }],
    [
      "an address that becomes another one in lower case",
      "email_missing",
      { email: "mar\u212A@acme.example" },
    ],
    ["two email addresses", "email_missing", { email: "ada@acme.example, eve@acme.example" }],
    ["an address with two @", "email_missing", { email: "ada@evil.example@acme.example" }],
    ["an address with a NUL character", "email_missing", { email: "a\0@acme.example" }],
    ["an address with something invisible", "email_missing", { email: "ada\u200B@acme.example" }],
    ["an address with a control character", "email_missing", { email: "a\u001B[2J@acme.example" }],
    ["an address with half of a surrogate pair", "email_missing", { email: "a\uD800@acme.example" }],
    ["a subject with half of a surrogate pair", "invalid_response", { sub: "\uD800" }],
    ["an endless subject", "invalid_response", { sub: "a".repeat(256) }],
    ["no word about verification", "email_unverified", { email_verified: undefined }],
    ["an unverified address", "email_unverified", { email_verified: false }],
    ["a verification that is a text", "email_unverified", { email_verified: "true" }],
    ["another domain", "email_domain", { email: "ada@elsewhere.example" }],
    ["a subdomain", "email_domain", { email: "ada@sub.acme.example" }],
    ["a domain that ends alike", "email_domain", { email: "ada@notacme.example" }],
    ["an empty subject", "invalid_response", { sub: "" }],
    ["a subject with a NUL character", "invalid_response", { sub: "a\0" }],
  ])("is refused with %s: %s", (_name, reason, change) => {
    expect(() => decideIdentity({ ...claims, ...change }, provider)).toThrow(
      expect.objectContaining({ reason }),
    );
  });

  test("may name any domain when none is prescribed", () => {
    expect(
      decideIdentity({ ...claims, email: "ada@elsewhere.example" }, { ...provider, allowedEmailDomains: [] })
        .email,
    ).toBe("ada@elsewhere.example");
  });
});

describe("an address of Entra ID, which has no email_verified,", () => {
  const entra = { ...provider, issuer: "https://login.microsoftonline.com/5c2a/v2.0" };
  const { email_verified: _absent, ...unverified } = claims;
  const isVerified = (change: object, issuer: string) => {
    try {
      return decideIdentity({ ...unverified, ...change }, { ...provider, issuer }).email !== "";
    } catch {
      return false;
    }
  };
  test.each([
    { name: "is verified when its tenant owns the domain", change: { xms_edov: true }, verified: true },
    { name: "is verified when that is said as a number", change: { xms_edov: 1 }, verified: true },
    { name: "is verified when that is said as a text", change: { xms_edov: "1" }, verified: true },
    { name: "is not verified when it does not", change: { xms_edov: false }, verified: false },
    { name: "is not verified by another text", change: { xms_edov: "0" }, verified: false },
    { name: "is not verified by silence", change: {}, verified: false },
    {
      name: "is not verified when email_verified says so",
      change: { xms_edov: true, email_verified: false },
      verified: false,
    },
  ])("$name", ({ change, verified }) => {
    expect(isVerified(change, entra.issuer)).toBe(verified);
  });

  test("is nothing that another provider can claim", () => {
    expect(isVerified({ xms_edov: true }, provider.issuer)).toBe(false);
    expect(isVerified({ xms_edov: true }, "https://login.microsoftonline.com.evil.example")).toBe(false);
  });
});

describe("an address at Google", () => {
  const google = { issuer: "https://accounts.google.com", allowedEmailDomains: [] };
  const decide = (change: Partial<ProviderClaims>) => decideIdentity({ ...claims, ...change }, google);

  test.each([
    { name: "counts in an account of an organisation", change: { hd: "acme.example" } },
    { name: "of Gmail counts without an organisation", change: { email: "ada@gmail.com" } },
  ])("$name", ({ change }) => {
    expect(decide(change)).toMatchObject({ subject: "ada" });
  });

  test.each([
    { name: "does not count in a personal account", change: {} },
    { name: "does not count when hd is empty", change: { hd: "" } },
    { name: "does not count when it is not verified", change: { hd: "acme.example", email_verified: false } },
    { name: "of a lookalike of Gmail does not count", change: { email: "ada@not-gmail.com" } },
  ])("$name", ({ change }) => {
    expect(() => decide(change)).toThrow(expect.objectContaining({ reason: "email_unverified" }));
  });
});
