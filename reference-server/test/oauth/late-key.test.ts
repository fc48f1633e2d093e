import { decodeJwt } from "jose";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { allScopes, createBrowser, Device, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const noProof = { proofs: [] };
const withoutKey = { dpop_jkt: undefined };

/** What the person who is asked reads about the device. */
async function consentTo(url: URL | string, language = "en"): Promise<string> {
  const browser = createBrowser();
  const consent = await signIn(browser, url, "ada");
  return (await browser.open(consent.url, { headers: { "accept-language": language } })).html;
}

describe("an authorization request that names no key", () => {
  test("is what unmodified oauth4webapi sends, and its grant is bound where the code is redeemed", async () => {
    const unmodified = await Device.create(system.issuer);
    const browser = createBrowser();
    const consent = await signIn(browser, await unmodified.authorizeUrl(withoutKey), "ada");
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    const tokens = await unmodified.redeem(url);
    expect(tokens).toMatchObject({ token_type: "dpop", scope: allScopes });
    const jkt = await unmodified.dpop.calculateThumbprint();
    expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt } });
    const thief = await RawDevice.create(system.issuer);
    expect((await thief.refresh(tokens.refresh_token ?? "")).body).toMatchObject({ error: "invalid_grant" });
    expect((await unmodified.refresh(tokens.refresh_token ?? "")).refresh_token).toBeTypeOf("string");
  });

  test("can be pushed", async () => {
    const parameters = Object.fromEntries(device.authorizeUrl(withoutKey).searchParams);
    expect((await device.post("/api/oauth/par", parameters, noProof)).status).toBe(201);
  });

  test("leads to a code that needs a proof all the same, and the verifier", async () => {
    const form = device.codeParameters(await device.authorize(withoutKey));
    expect((await device.token(form, noProof)).body).toMatchObject({ error: "invalid_dpop_proof" });
    const thief = await RawDevice.create(system.issuer);
    const stolen = { ...form, code_verifier: thief.codeVerifier };
    expect((await thief.token(stolen)).body).toMatchObject({ error: "invalid_grant" });
    expect((await device.token(form)).status).toBe(200);
  });

  test("shows no short code, and says so in both languages", async () => {
    expect(await consentTo(device.authorizeUrl(withoutKey))).toContain("It has no key of its own to show");
    expect(await consentTo(device.authorizeUrl(withoutKey), "de")).toContain(
      "Es weist sich nicht mit einem eigenen Schlüssel aus",
    );
    const named = await consentTo(device.authorizeUrl());
    expect(named).toContain(device.signer.thumbprint.slice(0, 4));
    expect(named).not.toContain("It has no key of its own to show");
  });
});

test("a code bound by dpop_jkt needs that key, also with the verifier", async () => {
  const form = device.codeParameters(await device.authorize());
  const other = await RawDevice.create(system.issuer);
  expect((await other.token(form)).body).toMatchObject({ error: "invalid_grant" });
  expect((await device.token(form)).status).toBe(200);
});

describe("a plain request of a device (RFC 8628)", () => {
  async function configure() {
    const insecure = { execute: [client.allowInsecureRequests] };
    return await client.discovery(new URL(system.issuer), "authz-cli", undefined, client.None(), insecure);
  }

  test("of unmodified openid-client logs in, bound by the proof that its tokens came for", async () => {
    const configuration = await configure();
    const begun = await client.initiateDeviceAuthorization(configuration, { scope: allScopes });
    const browser = createBrowser();
    const page = await signIn(browser, begun.verification_uri_complete ?? "", "ada");
    const consent = await browser.submit(readForm(page), { user_code: begun.user_code });
    expect(consent.html).toContain("It has no key of its own to show");
    expect(consent.html).toContain("<dt>Asked from</dt>");
    await browser.submit(readForm(consent), { decision: "allow" });

    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
    const asked = { ...begun, interval: 0.01 };
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, asked, undefined, { DPoP });
    const jkt = await DPoP.calculateThumbprint();
    expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt } });
    const thief = await RawDevice.create(system.issuer);
    expect((await thief.refresh(tokens.refresh_token ?? "")).body).toMatchObject({ error: "invalid_grant" });
  });

  test("still needs a proof for its tokens", async () => {
    const path = "/api/oauth/device_authorization";
    const { body } = await device.post(path, { client_id: "authz-cli" }, noProof);
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "authz-cli",
      device_code: body["device_code"],
    };
    expect((await device.token(form, noProof)).body).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await device.token(form)).body).toMatchObject({ error: "authorization_pending" });
  });
});
