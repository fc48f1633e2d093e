import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readUserAgent } from "../../../src/person/pages/browsers.js";
import type { Browser, Form, Visit } from "../../support/browser.js";
import { createBrowser, signIn } from "../../support/device.js";
import { registeredClient } from "../../../src/store/clients.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

const everyGrant = {
  limit: 50,
  sort: "createdAt",
  descending: true,
  after: undefined,
  q: undefined,
  clientId: undefined,
  service: undefined,
  state: "live",
  now: new Date(),
} as const;

const home = () => `${system.issuer}/`;

/** The forms of a page that lead to one address. */
function formsTo({ forms }: Visit, path: string): readonly Form[] {
  return forms.filter(({ action }) => action.pathname === path);
}

async function signedIn(person = "ada"): Promise<Browser> {
  const browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, person);
  return browser;
}

describe("the employee's page", () => {
  test("signs one device out and leaves the others alone", async () => {
    const browser = await signedIn();
    const kept = await RawDevice.create(system.issuer);
    const keptTokens = await kept.signIn({}, browser);
    const lost = await RawDevice.create(system.issuer);
    const lostTokens = await lost.signIn({}, browser);
    const page = await browser.open(home());
    const code = ({ signer: { thumbprint } }: RawDevice) =>
      `${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`;
    expect(page.html).toContain(code(kept));
    // The newest comes first.
    const [form] = formsTo(page, "/devices/sign-out");
    if (form === undefined) throw new Error("There is a device.");
    const after = await browser.submit(form);
    expect(after.url.href).toBe(home());
    expect(after.html).not.toContain(code(lost));
    expect(after.html).toContain(code(kept));

    expect((await lost.userinfo(lostTokens["access_token"] ?? "")).status).toBe(401);
    expect((await lost.refresh(lostTokens["refresh_token"] ?? "")).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await kept.refresh(keptTokens["refresh_token"] ?? "")).status).toBe(200);
    expect((await system.audit("grant.revoked")).at(-1)).toMatchObject({
      outcome: "success",
      data: { reason: "revoked_by_user" },
    });
  });

  test("lists what acts for the person by app, and signs all of it out at once", async () => {
    const { store } = system.server.context;
    const browser = await signedIn();
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn({}, browser);
    const user = await store.users.findByEmail("ada@acme.example");
    const service = await store.resources.findByKey("contracts");
    if (user === undefined) throw new Error("Ada has signed in.");
    const grantId = "5c1f0b8e-4f5a-4b1e-9a70-1d2c3b4a5f60";
    const id = "https://claude.ai/oauth/claude-code-client-metadata";
    const client = { ...registeredClient, id, name: "Claude <Code>", source: "metadata_document" } as const;
    const kept = {
      type: "public",
      redirectUris: [],
      keys: [],
      dpopBound: false,
      builtIn: false,
      enabled: true,
    } as const;
    await store.clients.save({ ...client, ...kept }, new Date());
    await system.database.query(
      `INSERT INTO grants (id, user_id, client_id, resource_id, scopes, auth_time, amr, created_at, expires_at)
      VALUES ($1, $2, $3, $4, '{contracts:read}', now(), '{}', now() - interval '1 hour', now() + interval '1 hour')`,
      [grantId, user.id, id, service?.id ?? null],
    );
    const { html } = await browser.open(home());
    const section = html.slice(html.indexOf('id="apps"'), html.indexOf('id="browsers"'));
    await store.consents.save({
      userId: user.id,
      clientId: id,
      resourceId: service?.id ?? "",
      scopes: ["contracts:read"],
      clientDigest: Buffer.alloc(32),
      givenAt: new Date(),
    });
    expect(section).toContain("<h3>Claude &#60;Code&#62; <code>claude.ai</code></h3>");
    expect(section).toContain(service?.name);
    expect(section).toContain("<code>contracts:read</code>");
    expect(section).toContain("Call services with your permissions");
    expect(section).toMatch(/last used <time datetime="[^"]+">\d/);

    expect((await browser.open(home())).html).toContain('href="/devices/sign-out-all"');
    const question = await browser.open(`${system.issuer}/devices/sign-out-all`);
    const named = [...question.html.matchAll(/<h3>.*<\/h3>|<code>[\w-]{4}-[\w-]{4}<\/code>/g)].map(String);
    expect(named).toContain("<h3>Claude &#60;Code&#62; <code>claude.ai</code></h3>");
    expect(named.length).toBeGreaterThan(3);
    expect(question.html).not.toContain("<script");
    const [form] = formsTo(question, "/devices/sign-out-all");
    if (form === undefined) throw new Error("There are several apps.");
    await browser.submit(form, { csrf: "x".repeat(43) });
    const live = (await store.grants.list({ ...everyGrant, userId: user.id })).items;
    expect(live.length).toBeGreaterThan(1);
    const told = await browser.submit(form);
    expect([...told.html.matchAll(/<h3>.*<\/h3>|<code>[\w-]{4}-[\w-]{4}<\/code>/g)].map(String)).toEqual(
      named,
    );
    expect(told.html).toContain(`These ${live.length} sign-ins have ended.`);
    expect((await store.grants.list({ ...everyGrant, userId: user.id })).items).toEqual([]);
    expect((await device.refresh(tokens["refresh_token"] ?? "")).body).toMatchObject({
      error: "invalid_grant",
    });
    const consent = { userId: user.id, clientId: id, resourceId: service?.id ?? "" };
    expect(await store.consents.find({ ...consent, now: new Date() })).toBeUndefined();
    const ended = (await system.audit("grant.revoked")).filter(({ data }) => data["grantId"] === grantId);
    expect(ended).toMatchObject([{ outcome: "success", data: { reason: "revoked_by_user" } }]);
    expect((await browser.open(`${system.issuer}/devices/sign-out-all`)).url.href).toBe(home());
  });

  test("signs another browser out, and says which one this is", async () => {
    const here = await signedIn();
    const there = await signedIn();
    const page = await here.open(home());
    expect(page.html.match(/, this one/g)).toHaveLength(1);
    const forms = formsTo(page, "/browsers/sign-out");
    expect(forms.length).toBeGreaterThan(0);
    for (const form of forms) {
      await here.submit(form);
    }
    expect((await there.open(home())).html).not.toContain("Ada Lovelace");
    const after = await here.open(home());
    expect(after.html).toContain("Ada Lovelace");
    expect(formsTo(after, "/browsers/sign-out")).toHaveLength(0);
    expect((await system.audit("session.ended")).at(-1)).toMatchObject({ outcome: "success" });
  });

  test("names devices as their clients do, until their owner does", async () => {
    const browser = await signedIn("fred");
    const device = await RawDevice.create(system.issuer);
    const redeem = device.codeParameters(await device.authorize({}, browser, "fred"));
    const name = "fred-laptop\u202e (Linux)";
    expect((await device.token({ ...redeem, device_name: name })).status).toBe(200);
    const page = await browser.open(home());
    expect(page.html).toContain("<strong>fred-laptop (Linux)</strong>");
    const [form] = formsTo(page, "/devices/name");
    if (form === undefined) throw new Error("There is a device.");
    const renamed = await browser.submit(form, { name: " At <b>home</b> " });
    expect(renamed.html).toContain("<strong>At &#60;b&#62;home&#60;/b&#62;</strong>");
    // Neither with a token that is not of this page, nor of somebody else's device.
    await browser.submit(form, { name: "Forged", csrf: "x".repeat(43) });
    const stranger = await signedIn();
    await (await RawDevice.create(system.issuer)).signIn({}, stranger);
    const [own] = formsTo(await stranger.open(home()), "/devices/name");
    if (own === undefined) throw new Error("There is a device.");
    await stranger.submit(own, { name: "Forged", id: form.fields["id"] ?? "" });
    expect((await browser.open(home())).html).not.toContain("Forged");
    const cleared = await browser.submit(form, { name: "" });
    expect(cleared.html).not.toContain("home</strong>");
  });

  const forgeries: readonly {
    name: string;
    change: Record<string, string>;
    headers: Record<string, string>;
  }[] = [
    { name: "no token", change: { csrf: "" }, headers: {} },
    { name: "a foreign token", change: { csrf: "x".repeat(43) }, headers: {} },
    { name: "another origin", change: {}, headers: { origin: "https://evil.example" } },
    { name: "a cross-site post", change: {}, headers: { "sec-fetch-site": "cross-site" } },
    { name: "an id that is none", change: { id: "\0" }, headers: {} },
    { name: "an unknown id", change: { id: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60" }, headers: {} },
  ];
  test.each(forgeries)("signs nothing out with $name", async ({ change, headers }) => {
    const browser = await signedIn();
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn({}, browser);
    const [form] = formsTo(await browser.open(home()), "/devices/sign-out");
    if (form === undefined) throw new Error("There is a device.");
    await browser.submit(form, change, headers);
    expect((await device.refresh(tokens["refresh_token"] ?? "")).status).toBe(200);
  });

  test("does not sign out another person's app", async () => {
    const ada = await signedIn("ada");
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn({}, ada);
    const page = await ada.open(home());
    const [theirs] = formsTo(page, "/devices/sign-out");
    const fred = await signedIn("fred");
    const fredDevice = await RawDevice.create(system.issuer);
    await fredDevice.signIn({}, fred, "fred");
    const [own] = formsTo(await fred.open(home()), "/devices/sign-out");
    if (theirs === undefined || own === undefined) throw new Error("Both have a device.");
    await fred.submit(own, { id: theirs.fields["id"] ?? "" });
    expect((await device.refresh(tokens["refresh_token"] ?? "")).status).toBe(200);
  });

  test("redirects posts of a person who is not signed in", async () => {
    const visit = await createBrowser().open(`${system.issuer}/devices/sign-out`, {
      method: "POST",
      body: "",
    });
    expect(visit.url.href).toBe(home());
  });
});

describe("a browser is called", () => {
  const linux = "Mozilla/5.0 (X11; Linux x86_64)";
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  test.each([
    {
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      name: "Firefox on Linux",
    },
    { userAgent: `${linux} ${webkit} Chrome/143.0.0.0 Safari/537.36`, name: "Chrome on Linux" },
    {
      userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`,
      name: "Edge on Windows",
    },
    {
      userAgent:
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
      name: "Safari on macOS",
    },
    {
      userAgent:
        "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
      name: "Safari on iOS",
    },
    {
      userAgent: `Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/143.0.0.0 Mobile Safari/537.36`,
      name: "Chrome on Android",
    },
    {
      userAgent: `${linux} ${webkit} HeadlessChrome/143.0.0.0 Safari/537.36`,
      name: "Chrome on Linux",
    },
    { userAgent: "curl/8.15.0", name: "nothing" },
    { userAgent: null, name: "nothing" },
  ])("$name", ({ userAgent, name }) => {
    const { product, system: on } = readUserAgent(userAgent);
    expect(product === undefined ? "nothing" : `${product} on ${on}`).toBe(name);
  });
});
