import { describe, expect, it } from "vitest";
import { type Answer, attempt, callbackUrl, createStandIn, failure, secretText, tokens } from "./stand-in.js";

const { answers, connectorOf, provider, redeem, seen } = createStandIn();

describe("the authorization address", () => {
  it("keeps what the endpoint has, and lets no parameter of the connector stand in for the protocol's own", async () => {
    const authorizationParameters = {
      prompt: "consent",
      state: "theirs",
      redirect_uri: "https://evil.example",
    };
    const url = await provider.authorizationUrl(connectorOf("oauth2", { authorizationParameters }), attempt);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      tenant: "1",
      prompt: "consent",
      state: "the-state",
      redirect_uri: callbackUrl,
      scope: "a b",
      code_challenge_method: "S256",
    });
    expect(url.searchParams.has("nonce")).toBe(false);
  });

  it("asks Slack for scopes of the person, with commas", async () => {
    const { searchParams } = await provider.authorizationUrl(connectorOf("slack"), attempt);
    expect([searchParams.get("user_scope"), searchParams.get("scope")]).toEqual(["a,b", null]);
  });
});

describe("redeeming", () => {
  it("sends the code with verifier and client credentials, and reads the answer", async () => {
    const { tokens: got, scopes } = await redeem(connectorOf("oauth2"));
    expect(got).toMatchObject({ accessToken: "access", refreshToken: "refresh", expiresInSeconds: 60 });
    expect(scopes).toEqual(["a", "b"]);
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: callbackUrl,
      code_verifier: attempt.codeVerifier,
      client_id: "the-client",
      client_secret: secretText,
    });
  });

  const returns: readonly {
    readonly name: string;
    readonly query: string;
    readonly issuer?: string;
    readonly reason: string;
  }[] = [
    { name: "no code", query: "state=the-state", reason: "invalid_answer" },
    { name: "another state", query: "code=c&state=other", reason: "invalid_answer" },
    { name: "two codes", query: "code=c&code=d&state=the-state", reason: "invalid_answer" },
    { name: "a refusal", query: "error=access_denied&state=the-state", reason: "denied" },
    { name: "another error", query: "error=invalid_scope&state=the-state", reason: "refused" },
    { name: "an error that is no code", query: "error=%3Cscript%3E&state=the-state", reason: "refused" },
    {
      name: "another issuer",
      query: "code=c&state=the-state&iss=https://evil.example",
      issuer: "https://good.example",
      reason: "issuer_mismatch",
    },
    {
      name: "two issuers",
      query: "code=c&state=the-state&iss=https://good.example&iss=https://evil.example",
      issuer: "https://good.example",
      reason: "issuer_mismatch",
    },
    { name: "a token", query: "code=c&state=the-state&id_token=x", reason: "invalid_answer" },
  ];
  it.each(returns)("asks nobody when the browser brings $name", async ({ query, issuer = null, reason }) => {
    expect(await failure(redeem(connectorOf("oauth2", { issuer }), query))).toBe(reason);
    expect(seen).toEqual([]);
  });

  const nonsense: readonly { readonly name: string; readonly answer: Answer; readonly reason: string }[] = [
    { name: "no JSON", answer: { body: "access_token=access-1" }, reason: "invalid_answer" },
    { name: "a list", answer: { body: [tokens] }, reason: "invalid_answer" },
    { name: "no token", answer: { body: { token_type: "bearer" } }, reason: "invalid_answer" },
    { name: "an empty token", answer: { body: { ...tokens, access_token: "" } }, reason: "invalid_answer" },
    {
      name: "a token with a line break",
      answer: { body: { ...tokens, access_token: "access-1\r\nx: y" } },
      reason: "invalid_answer",
    },
    {
      name: "a token of another type",
      answer: { body: { ...tokens, token_type: "mac" } },
      reason: "invalid_answer",
    },
    {
      name: "a refresh token that is none",
      answer: { body: { ...tokens, refresh_token: 7 } },
      reason: "invalid_answer",
    },
    {
      name: "a time that is none",
      answer: { body: { ...tokens, expires_in: "soon" } },
      reason: "invalid_answer",
    },
    {
      name: "scopes that are no text",
      answer: { body: { ...tokens, scope: ["a"] } },
      reason: "invalid_answer",
    },
    { name: "tokens with an error status", answer: { status: 400, body: tokens }, reason: "invalid_answer" },
    { name: "too much", answer: { body: { ...tokens, more: "x".repeat(70_000) } }, reason: "invalid_answer" },
    {
      name: "a redirect",
      answer: { status: 302, headers: { location: "/elsewhere" } },
      reason: "invalid_answer",
    },
    {
      name: "an error",
      answer: { status: 400, body: { error: "invalid_grant", error_description: "access-1" } },
      reason: "grant_refused",
    },
    {
      name: "another error",
      answer: { status: 400, body: { error: "unsupported_grant_type" } },
      reason: "refused",
    },
    { name: "a failure", answer: { status: 502, body: tokens }, reason: "no_answer" },
    { name: "that it is too busy", answer: { status: 429 }, reason: "rate_limited" },
  ];
  it.each(nonsense)("refuses an answer with $name", async ({ answer, reason }) => {
    answers["/token"] = answer;
    expect(await failure(redeem(connectorOf("oauth2")))).toBe(reason);
  });

  it("tells nothing sent from sent without an answer", async () => {
    const nobody = connectorOf("oauth2", { tokenEndpoint: "http://127.0.0.1:1/token" });
    expect(await failure(redeem(nobody))).toBe("unreachable");
    const inside = connectorOf("oauth2", { tokenEndpoint: "https://10.0.0.1/token" });
    expect(await failure(redeem(inside))).toBe("unreachable");
  });
});
