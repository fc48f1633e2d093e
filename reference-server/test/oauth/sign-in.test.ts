import { decodeJwt, decodeProtectedHeader } from "jose";
import * as client from "openid-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { allScopes, createBrowser, Device, redirectUri, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

test("an employee logs in with oauth4webapi, and every token says who, for whom and with which key", async () => {
  const device = await Device.create(system.issuer);
  const jkt = await device.dpop.calculateThumbprint();
  const tokens = await device.signIn();
  expect(tokens).toMatchObject({ token_type: "dpop", expires_in: 300, scope: allScopes });
  expect(tokens.refresh_token).toMatch(/^[\w-]{43}$/);

  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ typ: "at+jwt", alg: "ES256" });
  const access = decodeJwt(tokens.access_token);
  expect(access).toMatchObject({
    iss: system.issuer,
    aud: `${system.issuer}/api`,
    client_id: "authz-cli",
    scope: allScopes,
    cnf: { jkt },
  });
  expect((access.exp ?? 0) - (access.iat ?? 0)).toBe(300);

  const id = decodeJwt(tokens.id_token ?? "");
  expect(id).toMatchObject({
    iss: system.issuer,
    aud: "authz-cli",
    sub: access.sub,
    sid: access["sid"],
    email: "ada@acme.example",
    email_verified: true,
    name: "Ada Lovelace",
    nonce: device.nonce,
  });
  // The provider did not report a time, so there is none.
  expect(id).not.toHaveProperty("auth_time");

  expect(await device.userinfo(tokens.access_token, access.sub ?? "")).toStrictEqual({
    sub: access.sub,
    email: "ada@acme.example",
    email_verified: true,
    name: "Ada Lovelace",
  });

  const refreshed = await device.refresh(tokens.refresh_token ?? "");
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  expect(decodeJwt(refreshed.access_token)["sid"]).toBe(access["sid"]);
  expect(decodeJwt(refreshed.id_token ?? "")).toMatchObject({ sub: access.sub });
});

test("an employee logs in with openid-client", async () => {
  const configuration = await client.discovery(
    new URL(system.issuer),
    "authz-cli",
    undefined,
    client.None(),
    {
      execute: [client.allowInsecureRequests],
    },
  );
  const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
  const codeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: allScopes,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    dpop_jkt: await DPoP.calculateThumbprint(),
  });
  const browser = createBrowser();
  const callback = await browser.submit(readForm(await signIn(browser, url, "ada")), { decision: "allow" });
  const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
  const tokens = await client.authorizationCodeGrant(configuration, callback.url, checks, undefined, {
    DPoP,
  });
  const subject = tokens.claims()?.sub ?? "";
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "", undefined, {
    DPoP,
  });
  expect(await client.fetchUserInfo(configuration, refreshed.access_token, subject, { DPoP })).toMatchObject({
    email: "ada@acme.example",
  });

  const exchanged = await client.genericGrantRequest(
    configuration,
    "urn:ietf:params:oauth:grant-type:token-exchange",
    {
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token: refreshed.refresh_token ?? "",
      subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token",
      audience: system.resource.authorizationServer,
      resource: system.resource.resource,
    },
    { DPoP },
  );
  expect(decodeJwt(exchanged.access_token)).toMatchObject({
    aud: system.resource.authorizationServer,
    sub: subject,
  });

  await client.tokenRevocation(configuration, refreshed.refresh_token ?? "");
  await expect(
    client.refreshTokenGrant(configuration, refreshed.refresh_token ?? "", undefined, { DPoP }),
  ).rejects.toMatchObject({ error: "invalid_grant" });
});

test("a second grant in the same browser asks for consent again, but not for the sign-in", async () => {
  const browser = createBrowser();
  await (await Device.create(system.issuer)).signIn("ada", browser);
  const second = await Device.create(system.issuer);
  const visit = await browser.open(await second.authorizeUrl());
  expect(visit.url.pathname).toBe("/oauth/consent");
  expect(visit.html).toContain("Ada Lovelace");
});

test("without offline_access there is no refresh token, without openid no ID token", async () => {
  const device = await Device.create(system.issuer);
  const browser = createBrowser();
  const url = await device.authorizeUrl({ scope: "openid authz:login" });
  const callback = await browser.submit(readForm(await signIn(browser, url, "ada")), { decision: "allow" });
  const tokens = await device.redeem(callback.url);
  expect(tokens).toMatchObject({ scope: "openid authz:login" });
  expect(tokens).not.toHaveProperty("refresh_token");
  expect(decodeJwt(tokens.id_token ?? "")).not.toHaveProperty("email");
});

test("each step of a grant leaves its event, and no secret is in the audit trail, the log or the database", async () => {
  const device = await Device.create(system.issuer);
  const browser = createBrowser();
  const consent = await signIn(browser, await device.authorizeUrl(), "ada");
  const callback = await browser.submit(readForm(consent), { decision: "allow" });
  const tokens = await device.redeem(callback.url);
  const events = await system.audit();
  expect(events.slice(-3).map(({ type }) => type)).toStrictEqual([
    "sign_in.completed",
    "consent.given",
    "token.issued",
  ]);

  const secrets = [
    callback.url.searchParams.get("code"),
    tokens.access_token,
    tokens.refresh_token,
    tokens.id_token,
    ...[...browser.cookies].map(([, cookie]) => cookie.split(".")[0]),
  ];
  const tables = ["audit_events", "browser_sessions", "sign_in_attempts", "authorization_requests", "grants"];
  const dumps = await Promise.all(
    [...tables, "authorization_codes", "refresh_tokens", "dpop_replays"].map((table) =>
      system.database.query(`SELECT ${table}::text AS row FROM ${table}`),
    ),
  );
  const everything = JSON.stringify([dumps, system.log]);
  for (const secret of secrets) {
    expect(secret).toMatch(/\S{20,}/);
    expect(everything).not.toContain(secret);
    const hex = Buffer.from(secret ?? "").toString("hex");
    expect(everything).not.toContain(hex);
  }
});
