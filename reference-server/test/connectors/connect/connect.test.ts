import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readForm } from "../../support/browser.js";
import { createBrowser } from "../../support/device.js";
import { type Connecting, Person, startConnecting } from "../connecting.js";

let connecting: Connecting;
let ada: Person;

beforeAll(async () => {
  connecting = await startConnecting({ AUTHZ_RATE_LIMITS: "connect.person=1000" });
  ({ ada } = connecting);
});

afterAll(() => connecting.close());

beforeEach(() => connecting.reset());

const attemptOf = async (id: string) => (await ada.call("GET", `/notes/attempts/${id}`)).body;

const lastAudit = async (type: string) => (await connecting.system.audit(type)).at(-1);

describe("connecting an account", () => {
  it("goes from the client through the browser to a connection", async () => {
    const before = await ada.call("GET", "/notes");
    expect(before.body).toMatchObject({ state: "not_connected", grantedScopes: [], missingScopes: [] });
    const { id, url } = await ada.begin();
    expect(url).toBe(`${connecting.system.issuer}/connections/${id}`);
    expect(await attemptOf(id)).toEqual({ id, state: "pending" });

    const { visit, form } = await ada.ask(url);
    expect(visit.status).toBe(200);
    expect(visit.headers.get("content-security-policy")).toContain("form-action 'self'; base-uri 'none'");
    expect(visit.html).toContain("Read and change what is at these addresses:");
    expect(visit.html).toContain("Authz command line");
    // Required: cannot be unticked. By default: ticked. Others: not.
    expect(visit.html).toMatch(/<input type="checkbox" checked disabled>\s*<span>Read notes/);
    expect(visit.html).toMatch(/name="scope notes:write" value="on" checked/);
    expect(visit.html).toMatch(/name="scope notes:share" value="on">/);

    const end = await ada.go(form, { scopes: ["notes:write"] });
    expect(end.url.pathname).toBe(`/connections/${id}`);
    expect((await ada.browser.open(end.url.href)).html).toContain("Notes is connected");
    expect(end.html).toContain("Notes is connected");
    expect(end.html).toContain("ada@private.example");
    expect(await attemptOf(id)).toEqual({ id, state: "connected" });
    const after = await ada.call("GET", "/notes");
    expect(after.body).toMatchObject({
      state: "connected",
      account: { label: "ada@private.example" },
      grantedScopes: ["openid", "email", "offline_access", "notes:read", "notes:write"],
    });
    expect(await lastAudit("connection.created")).toMatchObject({
      outcome: "success",
      subject: await ada.id(),
      data: {
        connector: "notes",
        scopes: ["openid", "email", "offline_access", "notes:read", "notes:write"],
      },
    });
  });

  it("asks the third party with PKCE, state and nonce, and only for what was left in", async () => {
    const { form } = await ada.ask((await ada.begin()).url);
    const fields = Object.entries(form.fields).filter(([name]) => !name.startsWith("scope "));
    const going = await ada.browser.submit(
      { ...form, fields: Object.fromEntries(fields) },
      { decision: "continue" },
    );
    const query = going.leadsTo?.searchParams ?? new URLSearchParams();
    expect(Object.fromEntries(query)).toEqual({
      prompt: "consent",
      response_type: "code",
      client_id: "authz-connector",
      redirect_uri: `${connecting.system.issuer}/connections/callback/notes`,
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: "S256",
      scope: "openid email offline_access notes:read",
    });
    const [row] = await connecting.system.database.query(
      "SELECT * FROM connection_attempts ORDER BY opened_at DESC NULLS LAST LIMIT 1",
    );
    expect(JSON.stringify(row)).not.toContain(query.get("state"));
  });

  it("seals the tokens: none of them is in the database or the log", async () => {
    await ada.connect();
    const [row] = await connecting.system.database.query<{ credentials: Buffer }>(
      "SELECT credentials FROM connections",
    );
    const { connectorVault } = connecting.system.server.context;
    const connection = await ada.connection();
    if (connection === undefined) throw new Error("not connected");
    const row2 = `connections/${connection.id}/${connection.connectorId}/${connection.userId}`;
    const text = await connectorVault.open(connection.credentials, row2);
    const { accessToken, refreshToken } = JSON.parse(text) as Record<string, string>;
    expect(await connecting.thirdParty.isLive(accessToken ?? "")).toBe(true);
    for (const token of [accessToken ?? "", refreshToken ?? ""]) {
      expect(row?.credentials.includes(token)).toBe(false);
      expect(JSON.stringify(connecting.system.log)).not.toContain(token);
    }
  });

  it("keeps what was granted when an optional scope was left out at the third party", async () => {
    connecting.thirdParty.consent = { leftOut: ["notes:write"] };
    expect((await ada.connect()).html).toContain("Notes is connected");
    expect((await ada.connection())?.grantedScopes).toEqual([
      "openid",
      "email",
      "offline_access",
      "notes:read",
      "notes:share",
    ]);
  });

  it("can begin on the person's own page", async () => {
    const home = await ada.browser.open(connecting.system.issuer);
    expect(home.html).toContain("Connections");
    const start = home.forms.filter(({ action }) => action.pathname === "/connections/start");
    const asked = await ada.browser.submit(readForm({ ...home, forms: start }));
    expect(asked.url.pathname).toMatch(/^\/connections\/[0-9a-f-]{36}$/);
    expect(asked.html).not.toContain("Authz command line");
    const end = await ada.go(readForm(asked));
    expect(end.html).toContain("Notes is connected");
    expect(end.html).not.toContain("terminal");
  });

  it("signs a person in first, and comes back to the question", async () => {
    const { url } = await ada.begin();
    const browser = createBrowser(() => false);
    const choice = await browser.open(url);
    expect(choice.url.pathname).toMatch(/^\/interaction\//);
    const asked = await browser.submit(readForm(choice), { person: "ada" });
    expect(asked.url.href).toBe(url);
    expect(asked.html).toContain("Connect your account");
  });
});

describe("an attempt belongs to one person and one browser", () => {
  it("shows another person nothing, and lets them do nothing", async () => {
    const { id, url } = await ada.begin();
    const visit = await connecting.fred.browser.open(url);
    expect(visit.status).toBe(404);
    expect(visit.html).toContain("This is not yours to connect");
    expect((await connecting.fred.call("GET", `/notes/attempts/${id}`)).status).toBe(404);
    const { form } = await ada.ask(url);
    const stolen = await connecting.fred.browser.submit(form, { decision: "continue" });
    expect(stolen.html).toContain("This is not yours to connect");
    expect(await attemptOf(id)).toMatchObject({ state: "pending" });
  });

  it("is not continued by a form from elsewhere", async () => {
    const { id, url } = await ada.begin();
    const { form } = await ada.ask(url);
    const forged = await ada.browser.submit(form, { decision: "continue", csrf: "no" });
    expect(forged.html).toContain("Connect your account");
    const crossSite = await ada.browser.submit(
      form,
      { decision: "continue" },
      { "sec-fetch-site": "cross-site" },
    );
    expect(crossSite.html).toContain("Connect your account");
    expect(await attemptOf(id)).toMatchObject({ state: "pending" });
  });

  it("takes the answer only in the browser session that opened it", async () => {
    const { id, url } = await ada.begin();
    const { form } = await ada.ask(url);
    const { url: callback } = await ada.go(form, { stop: true });
    const stranger = createBrowser(() => false);
    expect((await stranger.open(callback)).status).toBe(400);
    expect((await connecting.fred.browser.open(callback)).status).toBe(400);
    const again = await Person.signIn(connecting.system, "ada");
    expect((await again.browser.open(callback)).status).toBe(400);
    expect(await attemptOf(id)).toMatchObject({ state: "pending" });
    expect((await ada.browser.open(callback)).html).toContain("Notes is connected");
  });

  it("takes one answer, of many at once", async () => {
    const { form } = await ada.ask((await ada.begin()).url);
    const { url: callback } = await ada.go(form, { stop: true });
    const before = connecting.thirdParty.tokenRequests.length;
    const ends = await Promise.all(Array.from({ length: 8 }, () => ada.browser.open(callback)));
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(ends.filter(({ status }) => status === 400)).toHaveLength(7);
    expect(connecting.thirdParty.tokenRequests.length - before).toBe(1);
    expect((await ada.browser.open(callback)).status).toBe(400);
  });

  it("is opened once", async () => {
    const { url } = await ada.begin();
    const { form } = await ada.ask(url);
    await ada.go(form, { stop: true });
    expect((await ada.go(form, { stop: true })).html).toContain("This attempt is no longer valid");
    expect((await ada.browser.open(url)).html).toContain("This attempt is no longer valid");
  });

  it("ends after ten minutes, before and after it was opened", async () => {
    const early = await ada.begin();
    const { form } = await ada.ask((await ada.begin()).url);
    const { url: callback } = await ada.go(form, { stop: true });
    connecting.system.advance(601);
    expect((await ada.browser.open(early.url)).html).toContain("This attempt is no longer valid");
    expect((await ada.browser.open(callback)).status).toBe(400);
    connecting.system.advance(-601);
    expect(await ada.connection()).toBeUndefined();
  });

  it("is not continued with the state of another attempt", async () => {
    const first = await ada.go((await ada.ask((await ada.begin()).url)).form, { stop: true });
    const second = await ada.go((await ada.ask((await ada.begin()).url)).form, { stop: true });
    const mixed = new URL(second.url);
    mixed.searchParams.set("code", first.url.searchParams.get("code") ?? "");
    const end = await ada.browser.open(mixed);
    expect(end.html).toContain("<code>provider_error</code>");
    expect(await ada.connection()).toBeUndefined();
  });
});

describe("connecting again", () => {
  it("keeps the connection and its id, with the scopes that were left in this time", async () => {
    await ada.connect();
    const before = await ada.connection();
    await ada.connect({ scopes: [] });
    const after = await ada.connection();
    expect(after).toMatchObject({
      id: before?.id,
      credentialVersion: 2,
      grantedScopes: ["openid", "email", "offline_access", "notes:read"],
    });
    expect((await lastAudit("connection.reconnected"))?.data).toMatchObject({ connectionId: before?.id });
  });

  it("is refused with another account, which gets its access back", async () => {
    await ada.connect();
    const before = await ada.connection();
    connecting.thirdParty.person = { subject: "somebody-else", email: "other@private.example" };
    const revoked = connecting.thirdParty.revocationRequests.length;
    const end = await ada.connect();
    expect(end.status).toBe(409);
    expect(end.html).toContain("<code>other_account</code>");
    expect(await ada.connection()).toEqual(before);
    expect(connecting.thirdParty.revocationRequests.length - revoked).toBe(2);
  });
});
