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

  const returns: [name: string, reason: string, query: string, issuer?: string][] = [
    ["no code", "invalid_answer", "state=the-state"],
    ["another state", "invalid_answer", "code=c&state=other"],
    ["two codes", "invalid_answer", "code=c&code=d&state=the-state"],
    ["a refusal", "denied", "error=access_denied&state=the-state"],
    ["another error", "refused", "error=invalid_scope&state=the-state"],
    ["an error that is no code", "refused", "error=%3Cscript%3E&state=the-state"],
    [
      "another issuer",
      "issuer_mismatch",
      "code=c&state=the-state&iss=https://evil.example",
      "https://good.example",
    ],
    [
      "two issuers",
      "issuer_mismatch",
      "code=c&state=the-state&iss=https://good.example&iss=https://evil.example",
      "https://good.example",
    ],
    ["a token", "invalid_answer", "code=c&state=the-state&id_token=x"],
  ];
  it.each(returns)("sends nothing when the browser brings %s", async (_name, reason, query, issuer) => {
    expect(await failure(redeem(connectorOf("oauth2", { issuer: issuer ?? null }), query))).toBe(reason);
    expect(seen).toEqual([]);
  });

  const malformed: [name: string, reason: string, answer: Answer][] = [
    ["no JSON", "invalid_answer", { body: "access_token=access-1" }],
    ["a list", "invalid_answer", { body: [tokens] }],
    ["no token", "invalid_answer", { body: { token_type: "bearer" } }],
    ["an empty token", "invalid_answer", { body: { ...tokens, access_token: "" } }],
    [
      "a token with a line break",
      "invalid_answer",
      { body: { ...tokens, access_token: "access-1\r\nx: y" } },
    ],
    ["a token of another type", "invalid_answer", { body: { ...tokens, token_type: "mac" } }],
    ["a refresh token that is none", "invalid_answer", { body: { ...tokens, refresh_token: 7 } }],
    ["a time that is none", "invalid_answer", { body: { ...tokens, expires_in: "soon" } }],
    ["scopes that are no text", "invalid_answer", { body: { ...tokens, scope: ["a"] } }],
    ["tokens with an error status", "invalid_answer", { status: 400, body: tokens }],
    ["too much", "invalid_answer", { body: { ...tokens, more: "x".repeat(70_000) } }],
    ["a redirect", "invalid_answer", { status: 302, headers: { location: "/elsewhere" } }],
    [
      "an error",
      "grant_refused",
      { status: 400, body: { error: "invalid_grant", error_description: "access-1" } },
    ],
    ["another error", "refused", { status: 400, body: { error: "unsupported_grant_type" } }],
    ["a failure", "no_answer", { status: 502, body: tokens }],
    ["that it is too busy", "rate_limited", { status: 429 }],
  ];
  it.each(malformed)("refuses an answer with %s", async (_name, reason, answer) => {
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
