import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { allScopes, createBrowser, Device, redirectUri, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let otherOrigin: string;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_DPOP_NONCES: "true" });
  device = await RawDevice.create(system.issuer);
  otherOrigin = await system.startSecondInstance();
});
afterAll(() => system.close());

const insecure = { [oauth.allowInsecureRequests]: true };

/** Logs in and returns the form of a refresh. */
async function obtainTokens() {
  const code = await device.authorize();
  const first = await device.token(device.codeParameters(code));
  const nonce = first.headers.get("dpop-nonce") ?? "";
  const proofs = [device.proof("/api/oauth/token", nonce)];
  const { status, body } = await device.token(device.codeParameters(code), { proofs });
  return { first, nonce, status, body };
}

describe("a server that wants nonces", () => {
  test("asks for one, names it, and then takes the proof; nothing is used up by asking", async () => {
    const { first, nonce, status } = await obtainTokens();
    expect(first).toMatchObject({ status: 400, body: { error: "use_dpop_nonce" } });
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(nonce).toMatch(/^[\w-]{43}$/);
    expect(status).toBe(200);
  });

  test("recognises at every instance what another one has named, and names the next with success", async () => {
    const { nonce, body } = await obtainTokens();
    const proofs = [device.proof("/api/oauth/token", nonce)];
    const answer = await device.refresh(body["refresh_token"] ?? "", { origin: otherOrigin, proofs });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("dpop-nonce")).toBe(nonce);
  });

  test.each([
    { name: "an invented nonce", nonce: () => "x".repeat(43) },
    { name: "an empty nonce", nonce: () => "" },
  ])("asks again after $name", async ({ nonce }) => {
    const { body } = await obtainTokens();
    const proofs = [device.proof("/api/oauth/token", nonce())];
    const answer = await device.refresh(body["refresh_token"] ?? "", { proofs });
    expect(answer.body).toMatchObject({ error: "use_dpop_nonce" });
  });

  test("asks again once a nonce is too old", async () => {
    const { nonce, body } = await obtainTokens();
    system.advance(601);
    const later = device.at(() => Date.now() + 601_000);
    const proofs = [later.proof("/api/oauth/token", nonce)];
    const answer = await device.refresh(body["refresh_token"] ?? "", { proofs });
    system.advance(-601);
    expect(answer.body).toMatchObject({ error: "use_dpop_nonce" });
    expect(answer.headers.get("dpop-nonce")).not.toBe(nonce);
  });

  test("asks at userinfo with a challenge", async () => {
    const { body } = await obtainTokens();
    const answer = await device.userinfo(body["access_token"] ?? "");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('DPoP algs="ES256", error="use_dpop_nonce"');
    expect(answer.headers.get("dpop-nonce")).toMatch(/^[\w-]{43}$/);
  });

  test.each(["/api/oauth/par", "/api/oauth/device_authorization"])("asks at %s as well", async (path) => {
    const answer = await device.post(path, Object.fromEntries(device.authorizeUrl().searchParams));
    expect(answer).toMatchObject({ status: 400, body: { error: "use_dpop_nonce" } });
    expect(answer.headers.get("dpop-nonce")).toMatch(/^[\w-]{43}$/);
  });

  test("names none to those who send no proof", async () => {
    const answer = await device.token(
      { grant_type: "refresh_token", client_id: "authz-cli" },
      { proofs: [] },
    );
    expect(answer.headers.get("dpop-nonce")).toBeNull();
    const metadata = await fetch(`${system.issuer}/.well-known/openid-configuration`);
    expect(metadata.headers.get("dpop-nonce")).toBeNull();
  });
});

describe("an unmodified client", () => {
  test("oauth4webapi learns the nonce and goes on", async () => {
    const unmodified = await Device.create(system.issuer);
    const browser = createBrowser();
    const consent = await signIn(browser, await unmodified.authorizeUrl(), "ada");
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    const refused: unknown = await unmodified.redeem(url).catch((error: unknown) => error);
    expect(oauth.isDPoPNonceError(refused)).toBe(true);
    const tokens = await unmodified.redeem(url);
    expect(tokens.token_type).toBe("dpop");
    const next = await unmodified.refresh(tokens.refresh_token ?? "");
    expect(next.refresh_token).toBeTypeOf("string");
    const { server, client: self, dpop } = unmodified;
    const response = await oauth.userInfoRequest(server, self, next.access_token, {
      DPoP: dpop,
      ...insecure,
    });
    expect(response.status).toBe(200);
  });

  test("openid-client handles it by itself", async () => {
    const configuration = await client.discovery(
      new URL(system.issuer),
      "authz-cli",
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    );
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: allScopes,
      state: "s",
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const browser = createBrowser();
    const callback = await browser.submit(readForm(await signIn(browser, url, "ada")), { decision: "allow" });
    const checks = { pkceCodeVerifier, expectedState: "s" };
    const tokens = await client.authorizationCodeGrant(configuration, callback.url, checks, undefined, {
      DPoP,
    });
    const subject = tokens.claims()?.sub ?? "";
    expect(await client.fetchUserInfo(configuration, tokens.access_token, subject, { DPoP })).toMatchObject({
      email: "ada@acme.example",
    });
  });
});
