import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FaultyProvider, startFaultyProvider } from "../set-up/faulty-provider.js";
import { type Browser, readForm } from "../support/browser.js";
import { createBrowser } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";

/** Signs in without a prompt, by the provider's own session. */
let silent: FaultyProvider;
let system: OauthServer;
let device: RawDevice;

beforeAll(async () => {
  [system, silent] = await Promise.all([startOauthServer(), startFaultyProvider()]);
  device = await RawDevice.create(system.issuer);
  await system.database.query(
    "UPDATE identity_providers SET issuer = $1, client_secret = NULL, token_endpoint_auth_method = 'none'",
    [silent.issuer],
  );
});
beforeEach(() => silent.behave({}));
afterAll(() => Promise.all([system.close(), silent.close()]));

const now = () => Math.floor(Date.now() / 1000);
const says = (authTime: number) => silent.behave({ claims: { auth_time: authTime } });

/** The same browser, which stops where it would leave for the provider. */
function stopping(browser: Browser): Browser {
  const impatient = createBrowser((url) => url.origin === silent.issuer);
  for (const [name, value] of browser.cookies) impatient.cookies.set(name, value);
  return impatient;
}

/** A signed-in browser. */
async function unlocked(): Promise<Browser> {
  const browser = createBrowser();
  await browser.open(`${system.issuer}/sign-in`);
  return browser;
}

/** Begins a request, and leaves it waiting. */
async function waiting(browser: Browser, change: Readonly<Record<string, string>>): Promise<string> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const begun = await fetch(device.authorizeUrl(change), { redirect: "manual", headers: { cookie } });
  return `${system.issuer}${begun.headers.get("location") ?? ""}`;
}

describe.each<Readonly<Record<string, string>>>([{ prompt: "login" }, { max_age: "0" }, { max_age: "60" }])(
  "a request with %o",
  (change) => {
    test("sends the person to the provider, to authenticate anew and say when", async () => {
      const { url } = await stopping(await unlocked()).open(device.authorizeUrl(change));
      expect(url.origin).toBe(silent.issuer);
      expect(url.searchParams.get("prompt")).toBe("login");
      expect(url.searchParams.get("max_age")).toBe("0");
    });

    test("is not met by a sign-in that asked the provider for nothing", async () => {
      const browser = await unlocked();
      const consent = await waiting(browser, change);
      expect((await browser.open(`${system.issuer}/sign-in`)).url.pathname).toBe("/");
      const { url } = await stopping(browser).open(consent);
      expect([url.origin, url.searchParams.get("prompt")]).toEqual([silent.issuer, "login"]);
    });

    test("is not met by a provider that kept its session", async () => {
      says(now() - 7200);
      const { url } = await (await unlocked()).open(device.authorizeUrl(change));
      expect(url.searchParams.get("error")).toBe("login_required");
      expect((await system.audit("authorization.refused")).at(-1)?.data).toMatchObject({
        reason: "provider_kept_session",
      });
    });

    test("is met by a provider that says when it was", async () => {
      const authTime = now();
      says(authTime);
      const browser = await unlocked();
      const tokens = await signIn(browser, change);
      expect(decodeJwt(tokens["id_token"] ?? "")).toMatchObject({ auth_time: authTime });
    });
  },
);

test("prompt=login is met by a provider that was asked and does not say when; then no token says so", async () => {
  const tokens = await signIn(await unlocked(), { prompt: "login" });
  for (const name of ["id_token", "access_token"])
    expect(decodeJwt(tokens[name] ?? "")).not.toHaveProperty("auth_time");
  const assertion = await device.token({
    ...exchangeForm(tokens["refresh_token"], system.resource),
    client_id: "authz-cli",
  });
  expect(decodeJwt(assertion.body["access_token"] ?? "")).not.toHaveProperty("auth_time");
});

test("max_age is not met by a provider that does not say when: the ID token would have to", async () => {
  const { url } = await (await unlocked()).open(device.authorizeUrl({ max_age: "3600" }));
  expect(url.searchParams.get("error")).toBe("login_required");
  expect(url.searchParams.get("error_description")).toContain("does not say when");
  expect((await system.audit("authorization.refused")).at(-1)?.data).toMatchObject({
    reason: "provider_auth_time_missing",
  });
});

test("an unknown time of authentication is not stored", async () => {
  await signIn(await unlocked(), {});
  const [session] = await system.database.query<{ auth_time: Date | null }>(
    "SELECT auth_time FROM browser_sessions ORDER BY signed_in_at DESC LIMIT 1",
  );
  const [grant] = await system.database.query<{ auth_time: Date | null }>(
    "SELECT auth_time FROM grants ORDER BY created_at DESC LIMIT 1",
  );
  expect([session?.auth_time, grant?.auth_time]).toEqual([null, null]);
});

async function signIn(
  browser: Browser,
  change: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const consent = await browser.open(device.authorizeUrl(change));
  const { url } = await browser.submit(readForm(consent), { decision: "allow" });
  const answer = await device.token(device.codeParameters(url.searchParams.get("code") ?? ""));
  expect(answer.status).toBe(200);
  return answer.body;
}
