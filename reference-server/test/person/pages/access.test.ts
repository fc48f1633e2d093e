import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, type Form, type Visit } from "../../support/browser.js";
import { testConnector } from "../../support/connectors.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;
let ada: Browser;
let bruno: Browser;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "ask.person=1000" });
  ada = createBrowser();
  bruno = createBrowser();
  await signIn(ada, `${system.issuer}/sign-in`, "ada");
  await signIn(bruno, `${system.issuer}/sign-in`, "bruno");
});
beforeEach(() => system.database.query("DELETE FROM access_requests"));
afterAll(() => system.close());

const open = (path: string, browser = ada, language = "en") =>
  browser.open(`${system.issuer}${path}`, { headers: { "accept-language": language } });
const requests = () =>
  system.database.query("SELECT kind, target, scopes, reason, state, client_id FROM access_requests");

/** The first form of a page that leads to an address. */
function formTo({ forms, html }: Visit, path: string): Form {
  const form = forms.find(({ action }) => action.pathname === path);
  if (form === undefined) throw new Error(`No form to ${path}: ${html}`);
  return form;
}

async function ask(path: string, values: Record<string, string>, browser = ada) {
  return await browser.submit(formTo(await open(path, browser), "/access"), values);
}

const reason = "I have to file the Acme contract.";
const service = "/access?service=contracts";
const write = { "scope contracts:write": "on" };

describe("the page of a place", () => {
  test("shows what a person has and why, and what they lack", async () => {
    const { html } = await open(service);
    expect(html).toMatch(/contracts:read<span class="muted">given to your address<\/span>/);
    expect(html).toContain('name="scope contracts:write" value="on">');
    expect(html).not.toContain("invoices:read");
  });

  test("is linked from the account page, also for a service where the person has nothing", async () => {
    expect((await open("/")).html).toContain(
      'href="/access?service=contracts" aria-label="Ask for more at Contracts"',
    );
    const { html } = await open("/", bruno);
    expect(html).toContain("One service that you cannot use yet");
    expect(html).toContain('href="/access?service=contracts" aria-label="Ask for it: Contracts"');
    expect(html).toContain('href="/access"');
  });

  test("says until when something is given", async () => {
    const until = new Date(Date.now() + 3_600_000);
    await system.database.query("UPDATE assignments SET expires_at = $1 WHERE scope_key = 'contracts:read'", [
      until,
    ]);
    const end = `until <time datetime="${until.toISOString()}">`;
    expect((await open(service)).html).toContain(end);
    expect((await open("/")).html).toContain(end);
    await system.database.query("UPDATE assignments SET expires_at = NULL");
  });

  test.each(["/access?service=nothing", "/access?connector=nothing", "/access?service=agents"])(
    "is not there: %s",
    async (path) => expect((await open(path)).status).toBe(404),
  );

  test.each(["/access?service=%00", "/access?service=%zz"])("survives %s", async (path) => {
    expect((await open(path)).status).toBe(404);
  });

  test("leads through the sign-in and back", async () => {
    const visit = await signIn(createBrowser(), `${system.issuer}${service}`, "ada");
    expect(visit.url.href).toBe(`${system.issuer}${service}`);
  });
});

describe("asking", () => {
  test("is a request without an app, which the account page shows and withdraws", async () => {
    const visit = await ask(service, { reason, ...write });
    expect(visit.url.pathname).toBe("/");
    const row = { kind: "service", target: "contracts", scopes: ["contracts:write"], reason };
    expect(await requests()).toEqual([{ ...row, state: "pending", client_id: null }]);
    expect(visit.html).toMatch(
      /Contracts<span class="muted">You asked for <code>contracts:write<\/code> on /,
    );
    expect(visit.html).toContain(`Your reason: ${reason}`);
    expect((await open(service)).html).not.toContain("<textarea");
    const withdrawn = await ada.submit(formTo(visit, "/access/withdraw"));
    expect(withdrawn.html).toContain("Withdrawn on ");
    expect(await requests()).toMatchObject([{ state: "withdrawn" }]);
    expect((await open(service)).html).toContain("<textarea");
  });

  test("shows what was decided, with the note, and for how long it is given", async () => {
    await ask(service, { reason, ...write });
    const note = "Ask <Grace> first.";
    await system.database.query(
      "UPDATE access_requests SET state = 'declined', note = $1, decided_at = now()",
      [note],
    );
    for (const path of ["/", service]) {
      const { html } = await open(path);
      expect(html).toMatch(/Declined on .*The administrator says: “Ask &#60;Grace&#62; first\.”/);
    }
    expect((await open("/", ada, "de")).html).toContain("Die Administration sagt dazu:");
    await system.database.query(
      `UPDATE access_requests SET state = 'approved', note = NULL, granted_scopes = scopes, expires_at = now() + interval '1 day'`,
    );
    expect((await open("/")).html).toMatch(/Approved on .*<code>contracts:write<\/code>\. It ends on /);
  });

  test("works for a person without any permission, for apps and agents too", async () => {
    await ask("/access", { reason, "scope authz:login": "on" }, bruno);
    const row = { kind: "installation", target: "authz", scopes: ["authz:login"], state: "pending" };
    expect(await requests()).toMatchObject([row]);
    expect((await open("/", bruno)).html).toMatch(/Apps and agents<span class="muted">You asked for/);
    expect((await system.audit("access.requested")).at(-1)?.data).toMatchObject({ kind: "installation" });
  });

  test("never offers the administration", async () => {
    const { html } = await open("/access", bruno);
    expect(html).not.toContain("authz:administer");
    await ask("/access", { reason, "scope authz:login": "on", "scope authz:administer": "on" }, bruno);
    expect(await requests()).toMatchObject([{ scopes: ["authz:login"] }]);
  });

  const refusals: readonly { name: string; values: Record<string, string>; says: string }[] = [
    { name: "no reason", values: { ...write, reason: " " }, says: "Enter a reason" },
    { name: "a reason turned around", values: { ...write, reason: "a\u202eb" }, says: "Enter a reason" },
    { name: "a long reason", values: { ...write, reason: "x".repeat(501) }, says: "Enter a reason" },
    { name: "nothing chosen", values: { reason }, says: "Choose at least one" },
    {
      name: "what the person has",
      values: { reason, "scope contracts:read": "on" },
      says: "You already have what you chose",
    },
  ];
  test.each(refusals)("is refused with $name, and keeps what was typed", async ({ values, says }) => {
    const visit = await ask(service, values);
    expect(visit).toMatchObject({ status: 400 });
    expect(visit.html).toContain(says);
    const typed = values["reason"] === reason ? reason : "";
    expect(visit.html).toContain(`${typed}</textarea>`);
    expect(await requests()).toEqual([]);
  });

  test.each(["/access", "/access/withdraw"])("%s takes no form from elsewhere", async (path) => {
    await ask(service, { reason, ...write });
    const [row] = await system.database.query<{ id: string }>("SELECT id FROM access_requests");
    const body = new URLSearchParams({
      csrf: "x",
      service: "contracts",
      reason: "Another reason.",
      "scope contracts:write": "on",
      id: row?.id ?? "",
    });
    await ada.open(`${system.issuer}${path}`, {
      method: "POST",
      body: body.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(await requests()).toMatchObject([{ state: "pending", reason }]);
  });

  test("cannot withdraw another person's request", async () => {
    await ask(service, { reason, ...write });
    const [row] = await system.database.query<{ id: string }>("SELECT id FROM access_requests");
    const own = await ask("/access", { reason, "scope authz:login": "on" }, bruno);
    await bruno.submit(formTo(own, "/access/withdraw"), { id: row?.id ?? "" });
    const states = await system.database.query("SELECT state FROM access_requests");
    expect(states).toEqual([{ state: "pending" }, { state: "pending" }]);
  });
});

test("access to a connector is requested in the same way", async () => {
  const { store } = system.server.context;
  const fields = testConnector({ key: "tracker", name: "Tracker", requiredScopes: ["invoices:read"] });
  await store.connectors.save(fields, new Date());
  const { html } = await open("/");
  expect(html).toContain('href="/access?connector=tracker" aria-label="Ask for it: Tracker"');
  await ask("/access?connector=tracker", { reason, "scope invoices:read": "on" });
  expect(await requests()).toMatchObject([
    { kind: "connector", target: "tracker", scopes: ["invoices:read"] },
  ]);
  expect((await open("/")).html).toMatch(
    /Tracker<span class="muted">You asked for <code>invoices:read<\/code>/,
  );
});
