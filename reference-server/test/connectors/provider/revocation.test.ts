import { describe, expect, it } from "vitest";
import { type Answer, createStandIn, secretText } from "./stand-in.js";

const { answers, connectorOf, provider, seen } = createStandIn();

const held = { accessToken: "access-1", refreshToken: "refresh-1" };

describe("ending tokens", () => {
  it("asks with the client's credentials for the refresh token, then the access token", async () => {
    answers["/revoke"] = {};
    expect(await provider.revoke(connectorOf("oauth2"), held)).toBe("confirmed");
    expect(seen.map(({ method, body }) => [method, Object.fromEntries(new URLSearchParams(body))])).toEqual(
      (["refresh_token", "access_token"] as const).map((hint) => [
        "POST",
        {
          token: hint === "refresh_token" ? held.refreshToken : held.accessToken,
          token_type_hint: hint,
          client_id: "the-client",
          client_secret: secretText,
        },
      ]),
    );
  });

  it.each<[name: string, revocation: string, answer: Answer]>([
    ["a token that is not valid", "confirmed", { status: 400, body: { error: "invalid_token" } }],
    ["another refusal", "unconfirmed", { status: 400, body: { error: "invalid_request" } }],
    ["a type it cannot end", "unconfirmed", { status: 400, body: { error: "unsupported_token_type" } }],
    ["a success that is none", "unconfirmed", { status: 204 }],
    ["a failure", "unconfirmed", { status: 503 }],
    ["no such address", "unconfirmed", { status: 404 }],
  ])("with %s is %s", async (_name, revocation, answer) => {
    answers["/revoke"] = answer;
    expect(await provider.revoke(connectorOf("oauth2"), held)).toBe(revocation);
  });
});
