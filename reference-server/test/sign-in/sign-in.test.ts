import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

const open = (path: string) => `${system.issuer}${path}`;

describe("a sign-in", () => {
  test("leads to the account page, which names the person and the devices that act for them", async () => {
    const device = await RawDevice.create(system.issuer);
    const browser = createBrowser();
    await device.signIn({}, browser);
    const home = await browser.open(open("/"));
    const { thumbprint } = device.signer;
    expect(home.html).toContain("Ada Lovelace");
    expect(home.html).toContain(`${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`);
  });

  test("with an account that is new for a known address is recorded as a link, once", async () => {
    await signIn(createBrowser(), open("/sign-in"), "ada");
    const before = await system.audit("user.linked");
    const [account] = await system.database.query<{ subject: string }>(
      "DELETE FROM user_identities RETURNING subject",
    );
    await signIn(createBrowser(), open("/sign-in"), "ada");
    await signIn(createBrowser(), open("/sign-in"), "ada");
    const linked = (await system.audit("user.linked")).slice(before.length);
    expect(linked).toMatchObject([{ data: { account: account?.subject } }]);
  });

  test("sets cookies that no script and no other site can use", async () => {
    const browser = createBrowser();
    await signIn(browser, open("/sign-in"), "ada");
    const session = browser.cookies.get("authz-session") ?? "";
    expect(decodeURIComponent(session)).toMatch(/^[\w-]{43}\.[\w+/=]+$/);
  });

  test("replaces the session before it, so that its cookie is worthless", async () => {
    const browser = createBrowser();
    await signIn(browser, open("/sign-in"), "ada");
    const before = browser.cookies.get("authz-session") ?? "";
    await signIn(browser, open("/sign-in"), "ada");
    expect(browser.cookies.get("authz-session")).not.toBe(before);
    browser.cookies.set("authz-session", before);
    expect((await browser.open(open("/"))).html).not.toContain("Ada Lovelace");
  });

  test("ends after eight hours", async () => {
    const browser = createBrowser();
    await signIn(browser, open("/sign-in"), "ada");
    system.advance(8 * 3600 + 1);
    const late = await browser.open(open("/"));
    system.advance(-8 * 3600 - 1);
    expect(late.html).not.toContain("Ada Lovelace");
  });

  test.each([
    { name: "an altered signature", alter: (cookie: string) => `${cookie.slice(0, -4)}AAA%3D` },
    { name: "no signature", alter: (cookie: string) => cookie.split(".")[0] ?? "" },
    {
      name: "an altered token",
      alter: (cookie: string) => `${cookie.startsWith("A") ? "B" : "A"}${cookie.slice(1)}`,
    },
    { name: "a NUL character", alter: () => "%00.%00" },
  ])("is not believed with $name", async ({ alter }) => {
    const browser = createBrowser();
    await signIn(browser, open("/sign-in"), "ada");
    browser.cookies.set("authz-session", alter(browser.cookies.get("authz-session") ?? ""));
    const home = await browser.open(open("/"));
    expect(home.status).toBe(200);
    expect(home.html).not.toContain("Ada Lovelace");
  });

  test("works in two tabs at once", async () => {
    const browser = createBrowser();
    const first = await browser.open(open("/sign-in"));
    const second = await browser.open(open("/sign-in"));
    expect((await browser.submit(readForm(second), { person: "ada" })).html).toContain("Ada Lovelace");
    expect((await browser.submit(readForm(first), { person: "fred" })).html).toContain("fred@acme.example");
  });
});

describe("a sign-in is refused", () => {
  test.each([
    { person: "dora", reason: "email_unverified", words: "has not verified your email address" },
    { person: "emil", reason: "email_domain", words: "cannot sign in here" },
  ])("to $person: $reason", async ({ person, reason, words }) => {
    const browser = createBrowser();
    const page = await signIn(browser, open("/sign-in"), person);
    expect(page.status).toBe(403);
    expect(page.html).toContain(words);
    expect(browser.cookies.has("authz-session")).toBe(false);
    expect((await system.audit("sign_in.refused")).at(-1)).toMatchObject({
      outcome: "denied",
      data: { provider: "acme", reason },
    });
  });

  test("to a disabled person", async () => {
    const { store } = system.server.context;
    await signIn(createBrowser(), open("/sign-in"), "clara");
    const [row] = await system.database.query<{ id: string }>(
      "SELECT id FROM users WHERE email = 'clara@acme.example'",
    );
    await store.users.setEnabled(row?.id ?? "", false, new Date());
    const page = await signIn(createBrowser(), open("/sign-in"), "clara");
    expect(page.html).toContain("Your account is disabled");
  });

  test("when the person cancels at the provider, and keeps the request open for another try", async () => {
    const device = await RawDevice.create(system.issuer);
    const browser = createBrowser();
    const provider = await browser.open(device.authorizeUrl());
    const page = await browser.submit(readForm(provider), { cancel: "yes" });
    expect(page.html).toContain("did not sign you in");
    const again = /<a class="button" href="([^"]+)"/.exec(page.html)?.[1]?.replaceAll("&#38;", "&") ?? "";
    const consent = await signIn(browser, open(again), "ada");
    expect(consent.url.pathname).toBe("/oauth/consent");
  });

  test("in a browser other than the one it began in", async () => {
    const attacker = createBrowser();
    const victim = createBrowser();
    await victim.open(open("/sign-in"));
    const callback = await stopBeforeCallback(attacker, "ada");
    const page = await victim.open(callback);
    expect(page.html).toContain("This sign-in is no longer valid");
    expect(victim.cookies.has("authz-session")).toBe(false);
  });

  test("the second time the same answer arrives", async () => {
    const browser = createBrowser();
    const callback = await stopBeforeCallback(browser, "ada");
    expect((await browser.open(callback)).html).toContain("Ada Lovelace");
    expect((await browser.open(callback)).html).toContain("This sign-in is no longer valid");
  });

  test("when the answer takes longer than ten minutes", async () => {
    const browser = createBrowser();
    const callback = await stopBeforeCallback(browser, "ada");
    system.advance(601);
    const late = await browser.open(callback);
    system.advance(-601);
    expect(late.html).toContain("This sign-in is no longer valid");
  });

  test.each([
    ["a code the provider does not know", (url: URL) => url.searchParams.set("code", "nonsense")],
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
    ["two codes", (url: URL) => url.searchParams.append("code", "other")],
    ["no code", (url: URL) => url.searchParams.delete("code")],
  ])("when the answer carries %s", async (_name, change) => {
    const browser = createBrowser();
    const callback = await stopBeforeCallback(browser, "ada");
    change(callback);
    const page = await browser.open(callback);
    expect(page.status).toBe(403);
    expect(page.html).toContain("cannot be trusted");
    expect(browser.cookies.has("authz-session")).toBe(false);
  });

  test.each(["?state=%00", "?state=a&state=b", "?", "?state=%ff", "?error=access_denied"])(
    "for a callback %s without an attempt",
    async (query) => {
      const browser = createBrowser();
      await browser.open(open("/sign-in"));
      const page = await browser.open(open(`/sign-in/callback${query}`));
      expect(page.status).toBe(400);
      expect(page.html).toContain("This sign-in is no longer valid");
    },
  );
});

describe("several providers", () => {
  test("are offered by name; an unknown or disabled one leads back to the choice", async () => {
    const { store, credentials } = system.server.context;
    const acme = await store.identityProviders.findByKey("acme");
    if (acme === undefined) throw new Error("The provider is missing.");
    const id = randomUUID();
    const clientSecret = await credentials.seal("secret", `identity_providers/${id}`);
    const partner = {
      ...acme,
      id,
      clientSecret,
      key: "partner",
      name: "Partner <accounts>",
      issuer: "http://127.0.0.1:9",
    };
    await store.identityProviders.save(partner, new Date());
    const browser = createBrowser();
    const choice = await browser.open(open("/sign-in"));
    expect(choice.html).toContain("Acme accounts");
    expect(choice.html).toContain("Partner &#60;accounts&#62;");
    expect((await browser.open(open("/sign-in/start?provider=nobody"))).html).toContain("Acme accounts");

    const away = await browser.open(open("/sign-in/start?provider=partner"));
    expect(away.status).toBe(503);
    expect(away.html).toContain("cannot be reached at the moment");
    await store.identityProviders.save({ ...partner, enabled: false }, new Date());
    expect((await browser.open(open("/sign-in/start?provider=partner"))).url.origin).toBe(system.idp.issuer);
  });
});

describe("signing out", () => {
  test("ends the session here and leaves the devices alone", async () => {
    const device = await RawDevice.create(system.issuer);
    const browser = createBrowser();
    const tokens = await device.signIn({}, browser);
    const cookie = browser.cookies.get("authz-session") ?? "";
    const page = await browser.submit(readForm(await browser.open(open("/"))));
    expect(page.html).toContain("You are signed out");
    browser.cookies.set("authz-session", cookie);
    expect((await browser.open(open("/"))).html).not.toContain("Ada Lovelace");
    expect((await device.refresh(tokens["refresh_token"] ?? "")).status).toBe(200);
    expect((await system.audit("session.ended")).at(-1)).toMatchObject({ outcome: "success" });
  });

  test("asks first when another site sends the browser, by link or by post", async () => {
    const browser = createBrowser();
    await signIn(browser, open("/sign-in"), "ada");
    const link = await browser.open(open("/sign-out?post_logout_redirect_uri=https://evil.example&state=x"));
    expect(link.html).toContain("Sign out of Acme?");
    expect(link.html).not.toContain("evil.example");
    const post = await browser.open(open("/sign-out"), {
      method: "POST",
      body: new URLSearchParams({ csrf: "x" }),
    });
    expect(post.html).toContain("Sign out of Acme?");
    expect((await browser.open(open("/"))).html).toContain("Ada Lovelace");
  });
});

/** Follows a sign-in up to the redirect back, without opening it. */
async function stopBeforeCallback(browser: ReturnType<typeof createBrowser>, person: string): Promise<URL> {
  const impatient = createBrowser((url) => url.pathname === "/sign-in/callback");
  for (const [name, value] of browser.cookies) impatient.cookies.set(name, value);
  const { url } = await signIn(impatient, open("/sign-in"), person);
  for (const [name, value] of impatient.cookies) browser.cookies.set(name, value);
  return url;
}
