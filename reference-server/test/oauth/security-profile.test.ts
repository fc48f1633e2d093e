import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

describe("the authorization endpoint", () => {
  test("is not for scripts of other origins", async () => {
    const headers = { origin: "https://app.example" };
    const answer = await fetch(device.authorizeUrl(), { headers, redirect: "manual" });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toStrictEqual([]);
    const preflight = await fetch(device.authorizeUrl(), { method: "OPTIONS", headers });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("and the consent page redirect with 303, so that no browser posts a form again elsewhere", async () => {
    const first = await fetch(device.authorizeUrl(), { redirect: "manual" });
    expect(first.status).toBe(303);
    const browser = createBrowser();
    const { action, fields } = readForm(await signIn(browser, device.authorizeUrl(), "ada"));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = new URLSearchParams({ ...fields, decision: "allow" });
    const answer = await fetch(action, { method: "POST", body, headers: { cookie }, redirect: "manual" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toContain("code=");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("keeps the query of a redirect URI", async () => {
    const redirectUri = "https://portal.acme.example/callback?tenant=7";
    const { id } = await RegisteredClient.register(system, { redirectUris: [redirectUri] });
    const browser = createBrowser((url) => url.host === "portal.acme.example");
    const change = { client_id: id, redirect_uri: redirectUri, prompt: "none" };
    const { url } = await browser.open(device.authorizeUrl(change));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ tenant: "7", error: "login_required" });
  });

  test("does not take a redirect URI with a fragment", async () => {
    const url = device.authorizeUrl({ redirect_uri: "http://127.0.0.1:49152/callback#x" });
    expect((await createBrowser().open(url)).html).toContain("This sign-in cannot start");
  });
});

describe("the metadata", () => {
  test("has no empty lists", async () => {
    const answer = await fetch(`${system.issuer}/.well-known/oauth-authorization-server`);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const metadata = (await answer.json()) as Record<string, unknown>;
    const lists = Object.values(metadata).filter((value): value is unknown[] => Array.isArray(value));
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((list) => list.length === 0)).toStrictEqual([]);
  });
});

describe("what is guessed", () => {
  test("codes, refresh tokens and device codes have 256 random bits", async () => {
    const code = await device.authorize();
    const tokens = await device.signIn();
    const begun = await device.post("/api/oauth/device_authorization", { client_id: "authz-cli" });
    for (const secret of [code, tokens["refresh_token"], begun.body["device_code"]]) {
      expect(Buffer.from(secret ?? "", "base64url")).toHaveLength(32);
    }
  });

  test("a person and a client can never be taken for one another", async () => {
    const tokens = await device.signIn();
    const { sub, client_id: clientId } = decodeJwt(tokens["access_token"] ?? "");
    expect(sub).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(clientId).toBe("authz-cli");
  });
});

describe("no token is accepted in the place of another:", () => {
  test("an identity assertion for a service is no access token, and its issuer does not redeem it", async () => {
    const tokens = await device.signIn();
    const { body } = await device.token({
      ...exchangeForm(tokens["refresh_token"], system.resource),
      client_id: "authz-cli",
    });
    const assertion = body["access_token"] ?? "";
    expect((await device.userinfo(assertion)).body).toMatchObject({ error: "invalid_token" });
    const redeem = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
    expect((await device.token({ ...redeem, client_id: "authz-cli" })).body).toMatchObject({
      error: "invalid_grant",
    });
  });
});
