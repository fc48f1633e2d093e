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

type Change = Readonly<Record<string, string | undefined>>;

function query(change: Change, more = ""): string {
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

  test.each<[name: string, code: string, change: Change, more?: string]>([
    ["no response type", "invalid_request", { response_type: undefined }],
    ["another response type", "unsupported_response_type", { response_type: "token" }],
    ["a hybrid response type", "unsupported_response_type", { response_type: "code id_token" }],
    ["another response mode", "invalid_request", { response_mode: "fragment" }],
    ["no code challenge", "invalid_request", { code_challenge: undefined }],
    ["a plain code challenge", "invalid_request", { code_challenge_method: "plain" }],
    ["no challenge method, which means plain", "invalid_request", { code_challenge_method: undefined }],
    ["a code challenge of the wrong length", "invalid_request", { code_challenge: "a".repeat(42) }],
    ["a key thumbprint that is none", "invalid_request", { dpop_jkt: "x".repeat(44) }],
    ["an unknown scope", "invalid_scope", { scope: "openid contracts:read" }],
    ["a malformed scope", "invalid_scope", { scope: "openid  email" }],
    ["a scope named like a property", "invalid_scope", { scope: "constructor" }],
    ["prompt none and another", "invalid_request", { prompt: "none login" }],
    ["an unknown prompt", "invalid_request", { prompt: "create" }],
    ["a negative max_age", "invalid_request", { max_age: "-1" }],
    ["a max_age that is no number", "invalid_request", { max_age: "soon" }],
    ["a request object", "request_not_supported", { request: "e30." }],
    ["a request_uri", "request_uri_not_supported", { request_uri: "urn:x" }],
    ["a registration", "registration_not_supported", { registration: "{}" }],
    ["two states", "invalid_request", {}, "&state=t"],
    ["two scopes", "invalid_request", {}, "&scope=openid"],
    ["a challenge twice, once empty", "invalid_request", {}, "&code_challenge="],
    ["an endless state", "invalid_request", { state: "x".repeat(2049) }],
    ["an endless nonce", "invalid_request", { nonce: "x".repeat(2049) }],
  ])("with %s is answered with %s", (_name, code, change, more = "") => {
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
