import { describe, expect, test } from "vitest";
import {
  codeResponse,
  errorResponse,
  locateResponseTarget,
  parseAuthorizationRequest,
} from "../../src/oauth/endpoints/authorize/request.js";
import { OAuthError } from "../../src/protocol/oauth-error.js";
import { parseParameters } from "../../src/protocol/parameters.js";

const client = {
  id: "authz-cli",
  name: "Authz command line",
  type: "public" as const,
  redirectUris: ["http://127.0.0.1/callback"],
  dpopBound: true,
  grantTypes: ["authorization_code", "refresh_token"] as const,
  source: "registered" as const,
  trusted: true,
  enabled: true,
};

const valid: Readonly<Record<string, string>> = {
  client_id: "authz-cli",
  response_type: "code",
  redirect_uri: "http://127.0.0.1:8400/callback",
  scope: "openid authz:login",
  state: "s",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
  dpop_jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
};

function query(change: Readonly<Record<string, string | undefined>>, more = ""): string {
  const entries = Object.entries({ ...valid, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(entries).toString() + more;
}

function parse(text: string) {
  const parameters = parseParameters(text);
  return parseAuthorizationRequest(parameters, locateResponseTarget(parameters, client), {
    resource: undefined,
  });
}

describe("an authorization request", () => {
  test("is understood", () => {
    expect(parse(query({ prompt: "login", max_age: "60", nonce: "n", unknown: "ignored" }))).toStrictEqual({
      clientId: "authz-cli",
      redirectUri: "http://127.0.0.1:8400/callback",
      state: "s",
      nonce: "n",
      resource: undefined,
      scopes: ["openid", "authz:login"],
      codeChallenge: valid["code_challenge"],
      dpopJkt: valid["dpop_jkt"],
      prompts: new Set(["login"]),
      maxAgeSeconds: 60,
    });
  });

  test("without a scope asks for everything the client may have", () => {
    expect(parse(query({ scope: undefined })).scopes).toStrictEqual([
      "openid",
      "profile",
      "email",
      "offline_access",
      "authz:login",
    ]);
  });

  test("may repeat an unknown parameter", () => {
    expect(parse(query({}, "&foo=1&foo=2")).clientId).toBe("authz-cli");
  });

  test.each([
    { name: "no client", change: { client_id: undefined } },
    { name: "an empty client", change: { client_id: "" } },
    { name: "no redirect URI", change: { redirect_uri: undefined } },
    { name: "an unregistered redirect URI", change: { redirect_uri: "http://localhost:8400/callback" } },
    { name: "two clients", more: "&client_id=authz-cli" },
    { name: "two redirect URIs", more: "&redirect_uri=http://127.0.0.1:8400/callback" },
  ])("with $name is never answered at the redirect URI", ({ change = {}, more = "" }) => {
    const parameters = parseParameters(query(change, more));
    expect(() => locateResponseTarget(parameters, client)).toThrow(OAuthError);
  });

  test("of an unknown or disabled client is never answered at the redirect URI", () => {
    const parameters = parseParameters(query({}));
    expect(() => locateResponseTarget(parameters, undefined)).toThrow(OAuthError);
    expect(() => locateResponseTarget(parameters, { ...client, enabled: false })).toThrow(OAuthError);
  });

  test.each([
    { name: "no response type", change: { response_type: undefined }, code: "invalid_request" },
    { name: "another response type", change: { response_type: "token" }, code: "unsupported_response_type" },
    {
      name: "a hybrid response type",
      change: { response_type: "code id_token" },
      code: "unsupported_response_type",
    },
    { name: "another response mode", change: { response_mode: "fragment" }, code: "invalid_request" },
    { name: "no code challenge", change: { code_challenge: undefined }, code: "invalid_request" },
    { name: "a plain code challenge", change: { code_challenge_method: "plain" }, code: "invalid_request" },
    {
      name: "no challenge method, which means plain",
      change: { code_challenge_method: undefined },
      code: "invalid_request",
    },
    {
      name: "a code challenge of the wrong length",
      change: { code_challenge: "a".repeat(42) },
      code: "invalid_request",
    },
    { name: "a key thumbprint that is none", change: { dpop_jkt: "x".repeat(44) }, code: "invalid_request" },
    { name: "an unknown scope", change: { scope: "openid contracts:read" }, code: "invalid_scope" },
    { name: "a malformed scope", change: { scope: "openid  email" }, code: "invalid_scope" },
    { name: "a scope named like a property", change: { scope: "constructor" }, code: "invalid_scope" },
    { name: "prompt none and another", change: { prompt: "none login" }, code: "invalid_request" },
    { name: "an unknown prompt", change: { prompt: "create" }, code: "invalid_request" },
    { name: "a negative max_age", change: { max_age: "-1" }, code: "invalid_request" },
    { name: "a max_age that is no number", change: { max_age: "soon" }, code: "invalid_request" },
    { name: "a request object", change: { request: "e30." }, code: "request_not_supported" },
    { name: "a request_uri", change: { request_uri: "urn:x" }, code: "request_uri_not_supported" },
    { name: "a registration", change: { registration: "{}" }, code: "registration_not_supported" },
    { name: "two states", more: "&state=t", code: "invalid_request" },
    { name: "two scopes", more: "&scope=openid", code: "invalid_request" },
    { name: "a challenge twice, once empty", more: "&code_challenge=", code: "invalid_request" },
    { name: "an endless state", change: { state: "x".repeat(2049) }, code: "invalid_request" },
    { name: "an endless nonce", change: { nonce: "x".repeat(2049) }, code: "invalid_request" },
  ])("with $name is answered with $code", ({ change = {}, more = "", code }) => {
    expect(() => parse(query(change, more))).toThrow(expect.objectContaining({ code }));
  });
});

describe("the answer", () => {
  const target = { redirectUri: "http://127.0.0.1:8400/callback", state: "a&b" };

  test("carries the code, the state and the issuer", () => {
    expect(codeResponse(target, "https://auth.example", "c")).toBe(
      "http://127.0.0.1:8400/callback?code=c&state=a%26b&iss=https%3A%2F%2Fauth.example",
    );
  });

  test("has no state when the request had none, and no character an error description may not have", () => {
    const error = new OAuthError("access_denied", "test", 'Ask "Ümit" \\ now.');
    const url = new URL(errorResponse({ ...target, state: undefined }, "https://auth.example", error));
    expect(Object.fromEntries(url.searchParams)).toStrictEqual({
      error: "access_denied",
      error_description: "Ask '?mit' ? now.",
      iss: "https://auth.example",
    });
  });
});
