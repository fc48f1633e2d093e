import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ClientPublisher, startClientPublisher } from "../../support/client-publisher.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let publisher: ClientPublisher;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  publisher = await startClientPublisher();
  device = await RawDevice.create(system.issuer);
});
afterAll(async () => {
  await system.close();
  await publisher.close();
});
afterEach(async () => {
  await system.server.context.store.settings.save({ appTrust: "listed" }, new Date());
  await system.database.query("TRUNCATE app_hosts, app_requests");
});

let count = 0;
const newClient = () => publisher.publishClient(`/apps/${(count += 1)}.json`);
const address = (clientId: string) =>
  device.authorizeUrl({
    client_id: clientId,
    redirect_uri: "http://localhost:53211/callback",
    scope: "openid",
    resource: system.resource.resource,
  });
const wasFetched = (clientId: string) => publisher.requests(new URL(clientId).pathname).length > 0;

describe("an app from a host that is not allowed", () => {
  test("gets nothing, and its person a page that names the host and whom to ask", async () => {
    const clientId = newClient();
    const visit = await createBrowser().open(address(clientId));
    expect(visit.status).toBe(403);
    expect(visit.url.origin).toBe(system.issuer);
    expect(visit.html).toContain("This app is not allowed yet");
    expect(visit.html).toContain(`An app from ${publisher.host} wants`);
    expect(visit.html).toContain("The administrators of Acme decide");
    expect(visit.html).toContain("Sign in so that the administrators can see that you asked for it.");
    expect(visit.html).not.toContain("<script");
    expect(visit.headers.get("content-security-policy")).not.toContain("script-src");
    expect(wasFetched(clientId)).toBe(false);
    expect(await system.audit("app_host.asked")).toEqual([]);
  });

  test("is asked for once by each person who comes with it, after they signed in", async () => {
    const clientId = newClient();
    const browser = createBrowser();
    const before = await browser.open(address(clientId));
    const [, href = ""] = /<a class="button" href="([^"]+)"/.exec(before.html) ?? [];
    const link = new URL(href.replaceAll("&#38;", "&"), system.issuer);
    const visit = await signIn(browser, link, "ada");
    expect(visit.status).toBe(403);
    expect(visit.html).toContain("You are signed in as ada@acme.example.");
    expect(visit.html).toContain(`Ask one of them to allow ${publisher.host}`);
    await browser.open(address(clientId));
    await browser.open(address(newClient()));
    const { appRequests } = system.server.context.store;
    expect(await appRequests.listPeople(publisher.host, 10)).toMatchObject([
      { email: "ada@acme.example", clientId },
    ]);
    const events = await system.audit("app_host.asked");
    expect(events).toMatchObject([{ outcome: "denied", data: { host: publisher.host } }]);
    expect(wasFetched(clientId)).toBe(false);

    const { appHosts } = system.server.context.store;
    await appHosts.save({ host: publisher.host, name: "Notes", allowed: true }, new Date());
    const allowed = await browser.open(address(clientId));
    expect([allowed.status, new URL(allowed.url).pathname]).not.toEqual([403, "/api/oauth/authorize"]);
    expect(wasFetched(clientId)).toBe(true);
  });

  test("says so in German", async () => {
    const visit = await createBrowser().open(address(newClient()), { headers: { "accept-language": "de" } });
    expect(visit.html).toContain("Diese App ist noch nicht zugelassen");
    expect(visit.html).toContain("Die Administration von Acme legt fest");
  });

  test("is shown in punycode", async () => {
    const visit = await createBrowser().open(address("https://xn--pple-43d.example/app.json"));
    expect(visit.html).toContain("xn--pple-43d.example");
    expect(visit.html).not.toContain("аpple");
  });

  test("of a request too long for a link comes back with nothing but the app", async () => {
    const clientId = newClient();
    const url = address(clientId);
    url.searchParams.set("state", "s".repeat(2000));
    const { html } = await createBrowser().open(url);
    const [, href = ""] = /<a class="button" href="([^"]+)"/.exec(html) ?? [];
    const returnTo = new URL(href.replaceAll("&#38;", "&"), system.issuer).searchParams.get("return_to");
    expect(returnTo).toBe(`/api/oauth/authorize?${new URLSearchParams({ client_id: clientId }).toString()}`);
  });

  test("hears it as invalid_client where programs ask", async () => {
    const response = await fetch(`${system.issuer}/api/oauth/par`, {
      method: "POST",
      body: new URLSearchParams({ client_id: newClient() }),
    });
    expect(await response.json()).toEqual({
      error: "invalid_client",
      error_description: `Apps from ${publisher.host} are not allowed here. An administrator can allow the host.`,
    });
  });
});

describe("which hosts may", () => {
  test.each<{ appTrust: "off" | "listed" | "any"; decided?: boolean; page: string }>([
    { appTrust: "off", page: "This sign-in cannot start" },
    { appTrust: "off", decided: true, page: "This sign-in cannot start" },
    { appTrust: "listed", page: "This app is not allowed yet" },
    { appTrust: "listed", decided: false, page: "This app is not allowed yet" },
    { appTrust: "listed", decided: true, page: "Choose a person" },
    { appTrust: "any", page: "Choose a person" },
    { appTrust: "any", decided: false, page: "This app is not allowed yet" },
  ])("$appTrust, decided $decided: $page", async ({ appTrust, decided, page }) => {
    const { store } = system.server.context;
    const at = new Date();
    await store.settings.save({ appTrust }, at);
    if (decided !== undefined)
      await store.appHosts.save({ host: publisher.host, name: "Notes", allowed: decided }, at);
    const clientId = newClient();
    const visit = await createBrowser().open(address(clientId));
    const atProvider = visit.url.pathname.startsWith("/interaction/");
    expect(atProvider ? "Choose a person" : visit.html).toContain(page);
    expect(wasFetched(clientId)).toBe(atProvider);
  });

  test("an app that was allowed and is no longer gets the same page, and its document is left alone", async () => {
    const { store } = system.server.context;
    const at = new Date();
    await store.appHosts.save({ host: publisher.host, name: "Notes", allowed: true }, at);
    const clientId = newClient();
    await createBrowser().open(address(clientId));
    await store.appHosts.remove(publisher.host);
    await store.clients.judgeTrust(at);
    system.advance(400);
    const visit = await createBrowser().open(address(clientId));
    expect([visit.status, publisher.requests(new URL(clientId).pathname).length]).toEqual([403, 1]);
    expect(visit.html).toContain("This app is not allowed yet");
  });

  test("an app that an administrator switched off is unknown, without a hint to ask for it", async () => {
    const { store } = system.server.context;
    await store.appHosts.save({ host: publisher.host, name: "Notes", allowed: true }, new Date());
    const clientId = newClient();
    await createBrowser().open(address(clientId));
    await system.database.query("UPDATE clients SET enabled = false WHERE id = $1", [clientId]);
    const visit = await createBrowser().open(address(clientId));
    expect(visit.html).toContain("This sign-in cannot start");
  });
});
