import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevIdp, type DevIdpSecrets, generateSecrets, loadSecrets, startDevIdp } from "../src/index.js";
import { Browser } from "../../../reference-server/test/support/browser.js";

const redirectUri = "http://127.0.0.1:3000/sign-in/callback";
const client = {
  clientId: "authz",
  clientSecret: "test-secret",
  name: "Authz <dev>",
  redirectUris: [redirectUri],
};

describe("the development identity provider", () => {
  let secrets: DevIdpSecrets;
  let idp: DevIdp;
  const openBrowser = () => new Browser((url) => url.origin !== idp.issuer);

  beforeAll(async () => {
    secrets = await generateSecrets();
    idp = await startDevIdp({ clients: [client], secrets });
  });

  afterAll(async () => {
    await idp.close();
  });

  async function configure(authentication: openid.ClientAuth): Promise<openid.Configuration> {
    return openid.discovery(new URL(idp.issuer), client.clientId, undefined, authentication, {
      execute: [openid.allowInsecureRequests],
    });
  }

  async function begin(config: openid.Configuration): Promise<{
    url: URL;
    checks: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string };
  }> {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const expectedNonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid profile email groups",
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    return { url, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
  }

  test.each([
    { name: "client_secret_basic", authentication: openid.ClientSecretBasic(client.clientSecret) },
    { name: "client_secret_post", authentication: openid.ClientSecretPost(client.clientSecret) },
  ])("signs in the person that was picked, for a client that uses $name", async ({ authentication }) => {
    const config = await configure(authentication);
    const browser = openBrowser();
    const { url, checks } = await begin(config);
    const form = await browser.open(url);
    expect(form.html).toContain("Who are you?");
    expect(form.html).toContain("Authz &lt;dev&gt;");
    const back = await browser.submit({ action: form.url, fields: { person: "ada" } });
    expect(back.url.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/sign-in\/callback\?code=/);
    const tokens = await openid.authorizationCodeGrant(config, back.url, checks);
    const ada = {
      sub: "ada",
      name: "Ada Lovelace",
      email: "ada@acme.example",
      email_verified: true,
      groups: ["sales"],
    };
    expect(tokens.claims()).toMatchObject(ada);
    expect(await openid.fetchUserInfo(config, tokens.access_token, "ada")).toEqual(ada);
  });

  test("asks again each time, so another person is one click away", async () => {
    const config = await configure(openid.ClientSecretBasic(client.clientSecret));
    const browser = openBrowser();
    for (const person of ["ada", "bruno"]) {
      const { url, checks } = await begin(config);
      const form = await browser.open(url);
      const back = await browser.submit({ action: form.url, fields: { person } });
      const tokens = await openid.authorizationCodeGrant(config, back.url, checks);
      expect(tokens.claims()?.sub).toBe(person);
    }
  });

  test.each([
    { name: "cancel", form: { cancel: "yes" } },
    { name: "an unknown person", form: { person: "mallory" } },
  ])("sends $name back as access_denied", async ({ form }) => {
    const config = await configure(openid.ClientSecretBasic(client.clientSecret));
    const browser = openBrowser();
    const page = await browser.open((await begin(config)).url);
    const back = await browser.submit({ action: page.url, fields: form });
    expect(back.url.searchParams.get("error")).toBe("access_denied");
  });

  test("answers in words when the sign-in is not this browser's", async () => {
    const config = await configure(openid.ClientSecretBasic(client.clientSecret));
    const page = await openBrowser().open((await begin(config)).url);
    const stranger = await openBrowser().submit({ action: page.url, fields: { person: "ada" } });
    expect(stranger.status).toBe(400);
    expect(stranger.html).toContain("This sign-in is over");
  });

  test("refuses a redirect address that is not registered, in words", async () => {
    const url = new URL("/auth?client_id=authz&response_type=code&scope=openid", idp.issuer);
    url.searchParams.set("redirect_uri", "https://attacker.example/");
    const refused = await openBrowser().open(url);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("invalid_redirect_uri");
  });

  test("lists its people at its own address", async () => {
    const home = await openBrowser().open(new URL(idp.issuer));
    expect(home.html).toContain("clara@acme.example");
  });

  test("says behind another address how a server can use it", async () => {
    const answer = await new Promise<IncomingMessage>((resolve) => {
      get(idp.issuer, { headers: { host: "idp.example.com" } }, resolve);
    });
    expect(answer.statusCode).toBe(421);
    const page = await text(answer);
    expect(page).toContain("AUTHZ_ALLOW_INSECURE_LOOPBACK=true");
    expect(page).toContain(idp.issuer);
  });

  test.each(["0.0.0.0", "192.168.1.10", "::", "example.com"])("refuses to listen on %s", async (host) => {
    await expect(startDevIdp({ clients: [client], secrets, host })).rejects.toThrow(TypeError);
  });

  test("keeps its keys in a file that only its owner can read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "authz-dev-idp-"));
    try {
      const file = join(folder, "state", "dev-idp.json");
      const first = await loadSecrets(file);
      expect(await loadSecrets(file)).toEqual(first);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
