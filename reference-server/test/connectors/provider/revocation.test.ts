import { describe, expect, it } from "vitest";
import { createStandIn, secretText } from "./stand-in.js";

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

  it.each([
    {
      name: "a token that is not valid",
      answer: { status: 400, body: { error: "invalid_token" } },
      revocation: "confirmed",
    },
    {
      name: "another refusal",
      answer: { status: 400, body: { error: "invalid_request" } },
      revocation: "unconfirmed",
    },
    {
      name: "a type it cannot end",
      answer: { status: 400, body: { error: "unsupported_token_type" } },
      revocation: "unconfirmed",
    },
    { name: "a success that is none", answer: { status: 204 }, revocation: "unconfirmed" },
    { name: "a failure", answer: { status: 503 }, revocation: "unconfirmed" },
    { name: "no such address", answer: { status: 404 }, revocation: "unconfirmed" },
  ])("is $revocation when the answer says $name", async ({ answer, revocation }) => {
    answers["/revoke"] = answer;
    expect(await provider.revoke(connectorOf("oauth2"), held)).toBe(revocation);
  });
});
