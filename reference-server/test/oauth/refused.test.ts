import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { Browser, type Form, readForm, type Visit } from "../support/browser.js";
import { signIn } from "../support/device.js";
import { saveKeptClient } from "../support/kept-client.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;

const app: Client = {
  ...registeredClient,
  id: "https://claude.ai/oauth/claude-code-client-metadata",
  name: "Claude Code",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback"],
  keys: [],
  dpopBound: false,
  source: "metadata_document",
  builtIn: false,
  enabled: true,
};

beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "ask.person=1000" });
  device = await RawDevice.create(system.issuer);
  const { store } = system.server.context;
  await store.resources.save({ ...system.resource, allowsBearer: true }, new Date());
  await saveKeptClient(store, app);
});
beforeEach(() => system.database.query("DELETE FROM access_requests"));
afterAll(() => system.close());

const reason = "I start on Monday.";
const createBrowser = () => new Browser(({ pathname }) => pathname === "/callback");
const requests = () =>
  system.database.query("SELECT kind, target, scopes, reason, state, client_id FROM access_requests");
const sessions = async () => (await system.database.query("SELECT FROM browser_sessions")).length;

/** The command line of a user without the permission for it. */
const login = (browser = createBrowser(), person = "bruno") => signIn(browser, device.authorizeUrl(), person);

/** An app that wants something at a service. */
const toService = (browser = createBrowser(), person = "bruno", scope = "contracts:read") =>
  signIn(
    browser,
    device.authorizeUrl({
      client_id: app.id,
      redirect_uri: "http://127.0.0.1:8765/callback",
      resource: system.resource.resource,
      scope,
      dpop_jkt: undefined,
    }),
    person,
  );

/** Where the link back to the app leads. */
function backFrom({ html }: Visit): URL {
  const [, href = ""] =
    /<a class="button" href="(http:\/\/127\.0\.0\.1:[^"]+callback[^"]*)"/.exec(html) ?? [];
  return new URL(href.replaceAll("&#38;", "&"));
}

describe("a refused sign-in of an app", () => {
  test("says what is missing, and asks for it without any permission and without a new session", async () => {
    const browser = createBrowser();
    const page = await login(browser);
    expect(page.status).toBe(403);
    expect(page.html).toContain("You may not sign in with Authz command line yet");
    expect(page.html).toContain("authz:login");
    expect(Object.fromEntries(backFrom(page).searchParams)).toMatchObject({
      error: "access_denied",
      state: "client-state",
      iss: system.issuer,
    });
    const before = await sessions();
    const asked = await browser.submit(readForm(page), { reason });
    expect(asked).toMatchObject({ status: 200 });
    expect(asked.html).toContain("Your request has been sent");
    expect(asked.html).toContain("Administrators of Acme can see it");
    expect(backFrom(asked).searchParams.get("error")).toBe("access_denied");
    expect(await sessions()).toBe(before);
    expect(await requests()).toEqual([
      {
        kind: "installation",
        target: "authz",
        scopes: ["authz:login"],
        reason,
        state: "pending",
        client_id: "authz-cli",
      },
    ]);
  });

  test("names the account, and lets the person choose another one and start again", async () => {
    const browser = createBrowser();
    const page = await login(browser);
    expect(page.html).toContain("bruno@acme.example");
    const [, href = ""] = /<a href="([^"]+)">Not you\?<\/a>/.exec(page.html) ?? [];
    const choice = await browser.open(new URL(href, system.issuer).href);
    await browser.submit(readForm(choice), { person: "ada" });
    const again = await browser.open(device.authorizeUrl());
    expect(again.status).toBe(200);
    expect(again.html).toContain("ada@acme.example");
  });

  test("tells what became of it the next time", async () => {
    const browser = createBrowser();
    await browser.submit(readForm(await login(browser)), { reason });
    const waiting = await login(browser);
    expect(waiting.html).toMatch(/You asked for <code>authz:login<\/code> on .*Nobody has decided yet/);
    expect(waiting.html).toContain("Once an administrator of Acme has decided");
    expect(waiting.forms).toEqual([]);
    await system.database.query(
      "UPDATE access_requests SET state = 'declined', note = 'Not before <Monday>.', decided_at = now()",
    );
    const declined = await login(browser);
    expect(declined.html).toContain("The administrator says: “Not before &#60;Monday&#62;.”");
    expect(declined.forms).toHaveLength(1);
  });

  test("on a device is asked for in the same way", async () => {
    const { body } = await device.post("/api/oauth/device_authorization", {
      client_id: "authz-cli",
      scope: "openid authz:login",
    });
    const browser = createBrowser();
    const typed = await signIn(browser, body["verification_uri_complete"] ?? "", "bruno");
    const page = await browser.submit(readForm(typed));
    const asked = await browser.submit(readForm(page), { reason });
    expect(asked.html).toContain("Your request has been sent");
    expect(await requests()).toMatchObject([{ scopes: ["authz:login"], state: "pending" }]);
  });
});

describe("a refused request for a service", () => {
  test("is asked for as the app named it", async () => {
    const browser = createBrowser();
    const page = await toService(browser);
    expect(page.html).toContain("You have no permission for this at Contracts");
    await browser.submit(readForm(page), { reason });
    expect(await requests()).toMatchObject([
      { kind: "service", target: "contracts", scopes: ["contracts:read"], client_id: app.id },
    ]);
  });

  test("never asks for more than the app may ever be given", async () => {
    const { store } = system.server.context;
    await saveKeptClient(store, { ...app, limited: true, ceiling: ["contracts:write"] });
    const browser = createBrowser();
    const page = await toService(browser, "bruno", "contracts:read contracts:write");
    await browser.submit(readForm(page), { reason });
    await saveKeptClient(store, { ...app, ceiling: [] });
    expect(await requests()).toMatchObject([{ scopes: ["contracts:write"] }]);
  });

  test("has no form when it is the app that is limited", async () => {
    const { store } = system.server.context;
    await saveKeptClient(store, { ...app, limited: true, ceiling: [] });
    const page = await toService();
    await saveKeptClient(store, app);
    expect(page).toMatchObject({ status: 403, forms: [] });
  });
});

describe("the form", () => {
  test("asks for nothing when the app was limited meanwhile, rather than for everything", async () => {
    const { store } = system.server.context;
    const browser = createBrowser();
    const page = await toService(browser);
    await saveKeptClient(store, { ...app, limited: true, ceiling: [] });
    const late = await browser.submit(readForm(page), { reason });
    await saveKeptClient(store, app);
    expect(late.status).toBe(400);
    expect(await requests()).toEqual([]);
  });

  test("counts once, also when it is sent twice at the same moment", async () => {
    const browser = createBrowser();
    const form = readForm(await login(browser));
    const both = await Promise.all([browser.submit(form, { reason }), browser.submit(form, { reason })]);
    expect(both.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 400]);
    expect(await requests()).toHaveLength(1);
    const again = await browser.submit(form, { reason: "Another one." });
    expect(again.html).toContain("This form is no longer valid");
    expect(await requests()).toMatchObject([{ reason }]);
  });

  test("stays good while what is typed is refused", async () => {
    const browser = createBrowser();
    const refused = await browser.submit(readForm(await login(browser)), { reason: "a\u202eb" });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("Enter a reason of 1 to 500 characters");
    expect((await browser.submit(readForm(refused), { reason })).status).toBe(200);
  });

  type Attack = (found: { readonly form: Form; readonly browser: Browser }) => Promise<Visit>;
  const submit = (form: Form, browser: Browser, changes = {}, headers = {}) =>
    browser.submit(form, { reason, ...changes }, headers);
  const attacks: readonly (readonly [string, Attack])[] = [
    ["no token", ({ form, browser }) => submit(form, browser, { csrf: "" })],
    ["a foreign token", ({ form, browser }) => submit(form, browser, { csrf: "x".repeat(43) })],
    ["another origin", ({ form, browser }) => submit(form, browser, {}, { origin: "https://evil.example" })],
    [
      "a cross-site post",
      ({ form, browser }) => submit(form, browser, {}, { "sec-fetch-site": "cross-site" }),
    ],
    ["an id that is none", ({ form, browser }) => submit(form, browser, { request: "x" })],
    [
      "another request",
      async ({ form, browser }) => {
        const other = readForm(await login(browser));
        return await submit(form, browser, { request: other.fields["request"] ?? "" });
      },
    ],
    ["another browser", ({ form }) => submit(form, createBrowser())],
    [
      "another person in the same browser",
      async ({ form, browser }) => {
        const page = await browser.open(`${system.issuer}/sign-in?prompt=select_account`);
        await browser.submit(readForm(page), { person: "fred" });
        return await submit(form, browser);
      },
    ],
    [
      "a request that is too old",
      async ({ form, browser }) => {
        system.advance(601);
        const late = await submit(form, browser);
        system.advance(-601);
        return late;
      },
    ],
    [
      "a person who is disabled by now",
      async ({ form, browser }) => {
        const set = (enabled: boolean) =>
          system.database.query("UPDATE users SET enabled = $1 WHERE email = 'bruno@acme.example'", [
            enabled,
          ]);
        await set(false);
        const visit = await submit(form, browser);
        await set(true);
        return visit;
      },
    ],
    [
      "a request that was allowed",
      async ({ form }) => {
        const browser = createBrowser();
        const consent = readForm(await login(browser, "fred"));
        await browser.submit(consent, { decision: "allow" });
        return await submit(form, browser, { request: consent.fields["request"] ?? "" });
      },
    ],
  ];
  test.each(attacks)("asks for nothing with %s", async (_name, attack) => {
    const browser = createBrowser();
    const visit = await attack({ form: readForm(await login(browser)), browser });
    expect(visit).toMatchObject({ status: 400 });
    expect(visit.html).toContain("This form is no longer valid");
    expect(await requests()).toEqual([]);
  });

  test("is limited like every other way to ask", async () => {
    const one = await startOauthServer({ AUTHZ_RATE_LIMITS: "ask.person=1" });
    try {
      const phone = await RawDevice.create(one.issuer);
      const browser = createBrowser();
      const first = await signIn(browser, phone.authorizeUrl(), "bruno");
      expect((await browser.submit(readForm(first), { reason: " " })).status).toBe(400);
      expect((await browser.submit(readForm(first), { reason })).status).toBe(429);
    } finally {
      await one.close();
    }
  });
});
