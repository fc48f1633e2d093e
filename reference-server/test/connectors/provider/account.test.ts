import { describe, expect, it } from "vitest";
import { attempt, createStandIn, failure, tokens } from "./stand-in.js";

const { answers, connectorOf, machine, origin, provider, seen } = createStandIn();

describe("an ID token", () => {
  it("is taken with the right claims, and says whose account it is", async () => {
    answers["/token"] = { body: { ...tokens, id_token: unsigned({ alg: "RS256" }, {}) } };
    const connector = connectorOf("oauth2", { issuer: origin() });
    const grant = await provider.redeem(connector, openIdAttempt, "code=c&state=the-state");
    expect(await provider.findAccount(connector, grant)).toEqual({
      subject: "s",
      label: "ada@private.example",
    });
  });

  it("is judged by the time of the database when the clock of this machine is wrong", async () => {
    machine.aheadSeconds = 3600;
    const now = Math.floor(Date.now() / 1000) - 3600;
    answers["/token"] = {
      body: { ...tokens, id_token: unsigned({ alg: "RS256" }, { iat: now, exp: now + 60 }) },
    };
    const connector = connectorOf("oauth2", { issuer: origin() });
    const grant = await provider.redeem(connector, openIdAttempt, "code=c&state=the-state");
    expect(await provider.findAccount(connector, grant)).toMatchObject({ subject: "s" });
  });

  it.each([
    { name: "none", id_token: () => undefined },
    { name: "one that is none", id_token: () => "a.b.c" },
    { name: "one without a signature algorithm", id_token: () => unsigned({ alg: "none" }, {}) },
    {
      name: "one of another issuer",
      id_token: () => unsigned({ alg: "RS256" }, { iss: "https://evil.example" }),
    },
    { name: "one for another client", id_token: () => unsigned({ alg: "RS256" }, { aud: "other" }) },
    {
      name: "one for two clients",
      id_token: () => unsigned({ alg: "RS256" }, { aud: ["the-client", "other"] }),
    },
    { name: "one whose time is over", id_token: () => unsigned({ alg: "RS256" }, { exp: 1 }) },
    { name: "one of another attempt", id_token: () => unsigned({ alg: "RS256" }, { nonce: "other" }) },
    { name: "one of no attempt", id_token: () => unsigned({ alg: "RS256" }, { nonce: undefined }) },
    { name: "one about nobody", id_token: () => unsigned({ alg: "RS256" }, { sub: undefined }) },
  ])("is refused when it is $name", async ({ id_token }) => {
    answers["/token"] = { body: { ...tokens, id_token: id_token() } };
    const connector = connectorOf("oauth2", { issuer: origin() });
    const work = provider.redeem(connector, openIdAttempt, "code=c&state=the-state");
    expect(await failure(work)).toBe("invalid_answer");
    // What came with it is ended: the refresh token, then the access token.
    expect(seen.map(({ path }) => path)).toEqual(["/token", "/revoke", "/revoke"]);
  });
});

const openIdAttempt = { ...attempt, scopes: ["openid"] };

/** Its signature is nobody's: tokens that come straight from the token endpoint are trusted for that. */
function unsigned(header: object, changes: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: origin(),
    aud: "the-client",
    sub: "s",
    email: "ada@private.example",
    iat: now,
    exp: now + 60,
    nonce: "the-nonce",
    ...changes,
  };
  return `${encode(header)}.${encode(claims)}.${Buffer.from("signature").toString("base64url")}`;
}

describe("whose account it is", () => {
  const grant = {
    tokens: {
      accessToken: "access",
      refreshToken: undefined,
      idToken: undefined,
      expiresInSeconds: undefined,
      scopes: undefined,
    },
    scopes: [],
  };
  const find = (claims: Readonly<Record<string, unknown>> | undefined) =>
    provider.findAccount(connectorOf("oauth2"), { ...grant, claims });

  it.each([
    { name: "a number and a name", body: { id: 7, name: "Ada" }, account: { subject: "7", label: "Ada" } },
    { name: "a subject alone", body: { sub: "s" }, account: { subject: "s", label: "s" } },
    {
      name: "control characters in the name",
      body: { sub: "s", email: "a\u202ed\u0000a" },
      account: { subject: "s", label: "a d a" },
    },
    {
      name: "a very long name",
      body: { sub: "s", name: "n".repeat(999) },
      account: { subject: "s", label: "n".repeat(200) },
    },
  ])("is read from $name", async ({ body, account }) => {
    answers["/account"] = { body };
    expect(await find(undefined)).toEqual(account);
    expect(seen[0]?.headers.authorization).toBe("Bearer access");
  });

  it.each([
    { name: "nothing", answer: { body: {} } },
    { name: "a subject that is too long", answer: { body: { sub: "s".repeat(256) } } },
    { name: "a refusal", answer: { status: 403, body: {} } },
  ])("is unknown with $name", async ({ answer }) => {
    answers["/account"] = answer;
    expect(await failure(find(undefined))).toBe("account_unknown");
  });

  it("must be the same in ID token and account endpoint", async () => {
    answers["/account"] = { body: { sub: "other", email: "other@private.example" } };
    expect(await failure(find({ sub: "s" }))).toBe("account_unknown");
    answers["/account"] = { body: { sub: "s", email: "ada@private.example" } };
    expect(await find({ sub: "s" })).toEqual({ subject: "s", label: "ada@private.example" });
  });
});
