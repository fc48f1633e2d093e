import { describe, expect, it } from "vitest";
import { createStandIn, failure, secretText } from "./stand-in.js";

const { answers, connectorOf, origin, provider, redeem, seen } = createStandIn();

describe("third parties that depart from the standards", () => {
  it("GitHub: errors with status 200, scopes with commas", async () => {
    const github = connectorOf("github");
    answers["/token"] = { body: { error: "bad_verification_code" } };
    expect(await failure(redeem(github))).toBe("grant_refused");
    answers["/token"] = { body: { error: "incorrect_client_credentials" } };
    expect(await failure(redeem(github))).toBe("client_refused");
    answers["/token"] = { body: { error: "bad_refresh_token" } };
    expect(await failure(provider.refresh(github, { refreshToken: "refresh-1", scopes: [] }))).toBe(
      "grant_refused",
    );
    answers["/token"] = { body: { access_token: "gho_1", token_type: "bearer", scope: "a,b" } };
    const grant = await redeem(github);
    expect(grant).toMatchObject({
      scopes: ["a", "b"],
      tokens: { refreshToken: undefined, expiresInSeconds: undefined },
    });
    answers["/account"] = { body: { id: 583231, login: "octocat" } };
    expect(await provider.findAccount(github, grant)).toEqual({ subject: "583231", label: "octocat" });
  });

  it("GitHub: what was granted is ended as a whole, with the client's credentials", async () => {
    const github = connectorOf("github", { revocationEndpoint: `${origin()}/applications` });
    answers["/applications/the-client/grant"] = { status: 204 };
    expect(await provider.revoke(github, { accessToken: "gho_1", refreshToken: "ghr_1" })).toBe("confirmed");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "DELETE", body: '{"access_token":"gho_1"}' });
    expect(seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`the-client:${secretText}`).toString("base64")}`,
    );
    answers["/applications/the-client/grant"] = { status: 404 };
    expect(await provider.revoke(github, { accessToken: "gho_1", refreshToken: undefined })).toBe(
      "unconfirmed",
    );
  });

  it("Slack: the person's token beside the bot's, errors with status 200", async () => {
    const slack = connectorOf("slack");
    const person = {
      id: "U1",
      access_token: "xoxp-1",
      refresh_token: "xoxe-1",
      expires_in: 43_200,
      scope: "a,b",
      token_type: "user",
    };
    answers["/token"] = {
      body: { ok: true, access_token: "xoxb-1", token_type: "bot", authed_user: person },
    };
    const grant = await redeem(slack);
    expect(grant).toMatchObject({
      scopes: ["a", "b"],
      tokens: { accessToken: "xoxp-1", refreshToken: "xoxe-1" },
    });
    answers["/account"] = { body: { ok: true, user_id: "U1", team_id: "T1", user: "ada", team: "Acme" } };
    expect(await provider.findAccount(slack, grant)).toEqual({ subject: "T1/U1", label: "ada · Acme" });
    answers["/account"] = { body: { ok: false, error: "invalid_auth" } };
    expect(await failure(provider.findAccount(slack, grant))).toBe("account_unknown");
    answers["/token"] = {
      body: { ok: true, access_token: "xoxb-1", token_type: "bot", authed_user: { id: "U1" } },
    };
    expect(await failure(redeem(slack))).toBe("refused");
    answers["/token"] = {
      body: {
        ok: true,
        access_token: "xoxp-2",
        refresh_token: "xoxe-2",
        token_type: "user",
        expires_in: 43_200,
      },
    };
    expect(
      (await provider.refresh(slack, { refreshToken: "xoxe-1", scopes: ["a"] })).tokens.accessToken,
    ).toBe("xoxp-2");
    answers["/token"] = { body: { ok: false, error: "invalid_refresh_token" } };
    expect(await failure(provider.refresh(slack, { refreshToken: "xoxe-1", scopes: [] }))).toBe(
      "grant_refused",
    );
  });

  it("Slack: ended only when it says so of each token", async () => {
    const slack = connectorOf("slack");
    answers["/revoke"] = { body: { ok: true, revoked: true } };
    expect(await provider.revoke(slack, { accessToken: "xoxp-1", refreshToken: "xoxe-1" })).toBe("confirmed");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer xoxe-1", "Bearer xoxp-1"]);
    answers["/revoke"] = { body: { ok: false, error: "token_expired" } };
    expect(await provider.revoke(slack, { accessToken: "xoxp-1", refreshToken: undefined })).toBe(
      "unconfirmed",
    );
  });

  it("Atlassian: a refresh token that is used up", async () => {
    answers["/token"] = {
      status: 403,
      body: { error: "unauthorized_client", error_description: "refresh_token is invalid" },
    };
    const held = { refreshToken: "refresh-1", scopes: [] };
    expect(await failure(provider.refresh(connectorOf("atlassian"), held))).toBe("grant_refused");
    expect(await failure(provider.refresh(connectorOf("oauth2"), held))).toBe("client_refused");
  });

  it("Microsoft and Atlassian: tokens cannot be ended", async () => {
    const connector = connectorOf("microsoft-graph", { revocationEndpoint: null });
    expect(await provider.revoke(connector, { accessToken: "a", refreshToken: "b" })).toBe("unsupported");
    expect(seen).toEqual([]);
  });
});
