import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

async function consentPage(person = "ada") {
  const browser = createBrowser();
  return { browser, page: await signIn(browser, device.authorizeUrl(), person) };
}

describe("an authorization request that cannot be answered safely", () => {
  test.each([
    { name: "an unknown client", change: { client_id: "nobody" } },
    { name: "a client with a NUL character", change: { client_id: "authz-cli\0" } },
    { name: "an unregistered redirect URI", change: { redirect_uri: "https://evil.example/callback" } },
    { name: "no redirect URI", change: { redirect_uri: undefined } },
  ])("shows a page and redirects nowhere: $name", async ({ change }) => {
    const visit = await createBrowser().open(device.authorizeUrl(change));
    expect(visit.status).toBe(400);
    expect(visit.url.origin).toBe(system.issuer);
    expect(visit.html).toContain("This sign-in cannot start");
    expect(visit.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(visit.html).not.toContain("evil.example");
  });
});

describe("an authorization request with a fault", () => {
  test.each([
    ["an unknown scope", { scope: "openid contracts:read" }, "invalid_scope"],
    ["a plain code challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["a key that is none", { dpop_jkt: "x" }, "invalid_request"],
    ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
    ["prompt=none without a session", { prompt: "none" }, "login_required"],
  ])("goes back to the client: %s", async (_name, change, error) => {
    const { url } = await createBrowser().open(device.authorizeUrl(change));
    expect(url.origin + url.pathname).toBe("http://127.0.0.1:49152/callback");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error,
      state: "client-state",
      iss: system.issuer,
    });
    expect(url.searchParams.get("error_description")).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("with a NUL character never becomes a failure of the server", async () => {
    const visit = await createBrowser().open(device.authorizeUrl({ state: "a\0b" }));
    expect(visit.status).toBe(400);
  });
});

describe("a request that is posted", () => {
  const post = (body: URLSearchParams | string, headers: Record<string, string> = {}) => {
    const { origin, pathname } = device.authorizeUrl();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", body, headers: { ...type, ...headers }, redirect: "manual" } as const;
    return fetch(`${origin}${pathname}`, init);
  };
  const queryOf = (answer: Response) =>
    new URL(answer.headers.get("location") ?? "", system.issuer).searchParams;

  test("becomes the same request by GET, with which the browser brings its cookies", async () => {
    const url = device.authorizeUrl({ nonce: "ä&=+ %", prompt: "login", max_age: "" });
    const answer = await post(url.searchParams);
    expect(answer.status).toBe(303);
    expect(answer.headers.getSetCookie()).toStrictEqual([]);
    const expected = Object.fromEntries(url.searchParams);
    delete expected["max_age"];
    expect(Object.fromEntries(queryOf(answer))).toStrictEqual(expected);
    const { origin, pathname, searchParams: body } = device.authorizeUrl();
    const visit = await createBrowser().open(`${origin}${pathname}`, { method: "POST", body });
    expect(visit.url.pathname).toMatch(/^\/interaction\//);
  });

  test("from another site, without the cookie, leaves the sign-ins in other tabs alone", async () => {
    const { browser, page } = await consentPage();
    const before = [...browser.cookies];
    // A cross-site post has no SameSite=Lax cookie; the browser stores any cookie of the answer.
    const answer = await post(device.authorizeUrl().searchParams, { "sec-fetch-site": "cross-site" });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=", 2);
      browser.cookies.set(name, value);
    }
    expect([...browser.cookies]).toStrictEqual(before);
    const { url } = await browser.submit(readForm(page), { decision: "allow" });
    expect(url.searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  });

  test("loses what this server does not know, and keeps what is wrong with the rest", async () => {
    const { searchParams } = device.authorizeUrl({ login_hint: "ada@acme.example" });
    expect(queryOf(await post(searchParams)).has("login_hint")).toBe(false);
    searchParams.append("state", "second");
    expect(queryOf(await post(searchParams)).getAll("state")).toHaveLength(2);
    expect(queryOf(await post("scope=&scope=&client_id=a")).getAll("scope")).toStrictEqual(["", ""]);
  });

  test.each([
    { name: "a NUL character", body: "state=%00" },
    { name: "no form", body: "{}", headers: { "content-type": "application/json" } },
    { name: "more than fits an address", body: `client_id=authz-cli&state=${"x".repeat(8000)}` },
  ])("with $name ends at a page", async ({ body, headers }) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("This sign-in cannot start");
  });
});

describe("prompt=none", () => {
  test("never succeeds, because a native client is not answered without asking", async () => {
    const { browser } = await consentPage();
    const { url } = await browser.open(device.authorizeUrl({ prompt: "none" }));
    expect(url.searchParams.get("error")).toBe("consent_required");
  });

  test("does not tell an app what a person may do, per service and scope", async () => {
    const { browser } = await consentPage();
    const ask = async (scope: string) => {
      const { resource } = system.resource;
      const { url } = await browser.open(device.authorizeUrl({ prompt: "none", resource, scope }));
      return Object.fromEntries([...url.searchParams].filter(([name]) => name !== "state"));
    };
    const held = await ask("contracts:read");
    expect(held["error"]).toBe("consent_required");
    expect(await ask("contracts:write")).toEqual(held);
  });
});

describe("prompt=login and max_age=0", () => {
  test.each([{ prompt: "login" }, { max_age: "0" }, { prompt: "select_account" }])(
    "lead to the provider despite a session: %o",
    async (change) => {
      const { browser } = await consentPage();
      const visit = await browser.open(device.authorizeUrl(change));
      expect(visit.url.origin).toBe(system.idp.issuer);
      const consent = await browser.submit(readForm(visit), { person: "fred" });
      expect(consent.html).toContain("fred@acme.example");
    },
  );
});

describe("a client that asks for a sign-in of its own", () => {
  test.each([{ prompt: "login" }, { max_age: "60" }])(
    "reaches the provider, also without the prompt in the link: %o",
    async (change) => {
      const begun = await fetch(device.authorizeUrl(change), { redirect: "manual" });
      const cookie = begun.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
      const query = new URL(begun.headers.get("location") ?? "", system.issuer).search;
      const address = `${system.issuer}/sign-in${query}`;
      const sent = await fetch(address, { redirect: "manual", headers: { cookie: cookie.join("; ") } });
      const target = new URL(sent.headers.get("location") ?? "");
      expect(target.origin).toBe(system.idp.issuer);
      expect(target.searchParams.get("prompt")).toBe("login");
    },
  );
});

describe("a user without the permission authz:login", () => {
  test("reads whom to ask, and goes back to the client with access_denied", async () => {
    const browser = createBrowser();
    const { html } = await signIn(browser, device.authorizeUrl(), "bruno");
    const [, href = ""] = /href="(http:\/\/127\.0\.0\.1:49152[^"]+)"/.exec(html) ?? [];
    const answer = Object.fromEntries(new URL(href.replaceAll("&#38;", "&")).searchParams);
    expect(answer).toMatchObject({ error: "access_denied", state: "client-state", iss: system.issuer });
    expect(answer["error_description"]).toMatch(/authz:login.*administrator of Acme/);
    expect(await system.audit("authorization.refused")).toContainEqual(
      expect.objectContaining({
        outcome: "denied",
        data: { error: "access_denied", reason: "login_permission_missing" },
      }),
    );
  });
});

describe("the consent page", () => {
  test("names the client, the device, the account and each scope", async () => {
    const { page } = await consentPage("fred");
    const { thumbprint } = device.signer;
    expect(page.html).toContain("Authz command line");
    expect(page.html).toContain(`${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`);
    expect(page.html).toContain("fred@acme.example");
    for (const scope of ["openid", "profile", "email", "offline_access", "authz:login"]) {
      expect(page.html).toContain(`<code>${scope}</code>`);
    }
  });

  test("escapes what a provider says about a person", async () => {
    const { page } = await consentPage("fred");
    expect(page.html).not.toContain("<b>");
    expect(page.html).toContain("Fred &#60;b&#62;&#38;&#34;&#39;");
  });

  test("has headers that fit a page whose form ends at the client", async () => {
    const { page } = await consentPage();
    expect(page.headers.get("content-security-policy")).toContain(
      "form-action 'self' http://127.0.0.1:49152;",
    );
    expect(page.headers.get("content-security-policy")).not.toContain("script-src");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  test("gives the client nothing when the person denies", async () => {
    const { browser, page } = await consentPage();
    const { url } = await browser.submit(readForm(page), { decision: "deny" });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "access_denied",
      state: "client-state",
      iss: system.issuer,
    });
    expect((await system.audit("consent.refused")).at(-1)).toMatchObject({ outcome: "denied" });
  });

  test("takes one answer only", async () => {
    const { browser, page } = await consentPage();
    const form = readForm(page);
    const answers = await Promise.all([0, 1, 2].map(() => browser.submit(form, { decision: "allow" })));
    const codes = answers.filter(({ url }) => url.searchParams.has("code"));
    expect(codes).toHaveLength(1);
    expect(answers.filter(({ html }) => html.includes("This request is no longer valid"))).toHaveLength(2);
    expect((await browser.open(page.url)).html).toContain("This request is no longer valid");
  });

  test("is over after ten minutes", async () => {
    const { browser, page } = await consentPage();
    system.advance(601);
    const late = await browser.submit(readForm(page), { decision: "allow" });
    system.advance(-601);
    expect(late.html).toContain("This request is no longer valid");
  });

  test("does not open in another browser, not even of the same person", async () => {
    const { page } = await consentPage();
    const other = await consentPage();
    const stolen = await other.browser.open(page.url);
    expect(stolen.status).toBe(400);
    expect(stolen.html).toContain("This request is no longer valid");
  });

  test("asks the person who signed in after it was shown", async () => {
    const { browser, page } = await consentPage("ada");
    const form = readForm(page);
    await signIn(browser, `${system.issuer}/sign-in?prompt=select_account`, "fred");
    const late = await browser.submit(form, { decision: "allow" });
    expect(late.status).toBe(403);
    expect(late.html).toContain("Your answer did not count");
    expect(late.html).toContain(`href="${page.url.pathname}${page.url.search}"`);
    expect((await browser.open(page.url)).html).toContain("fred@acme.example");
  });

  test("judges again at the answer: a permission that was taken away meanwhile", async () => {
    const { browser, page } = await consentPage("fred");
    const { store } = system.server.context;
    const login = (await store.assignments.listByEmail("fred@acme.example")).find(
      ({ scope }) => scope === "authz:login",
    );
    await store.assignments.remove(login?.id ?? "");
    const late = await browser.submit(readForm(page), { decision: "allow" });
    await store.assignments.insertMissing(
      { id: login?.id ?? "", email: "fred@acme.example", scope: "authz:login" },
      new Date(),
    );
    expect(late.status).toBe(403);
    expect(late.html).toContain("error=access_denied");
  });

  test.each([
    ["no token", { csrf: "" }, {}, 403],
    ["a foreign token", { csrf: "x".repeat(43) }, {}, 403],
    ["another origin", {}, { origin: "https://evil.example" }, 403],
    ["another port of this machine", {}, { origin: "http://127.0.0.1:1" }, 403],
    ["a cross-site post", {}, { "sec-fetch-site": "cross-site" }, 403],
    ["a same-site post", {}, { "sec-fetch-site": "same-site" }, 403],
    ["a null origin alone", {}, { origin: "null", "sec-fetch-site": undefined }, 403],
    ["no decision", { decision: "" }, {}, 400],
    ["another decision", { decision: "maybe" }, {}, 400],
    ["a NUL character", { request: "\0" }, {}, 400],
    ["a request that is no UUID", { request: "1" }, {}, 400],
  ])("refuses an answer with %s", async (_name, change, headers, status) => {
    const { browser, page } = await consentPage();
    const answer = await browser.submit(readForm(page), { decision: "allow", ...change }, headers);
    expect(answer.status).toBe(status);
    expect(answer.url.origin).toBe(system.issuer);
    expect((await browser.open(page.url)).html).toContain("ada@acme.example");
  });

  test.each([
    { origin: "null", "sec-fetch-site": "same-origin" },
    { origin: undefined, "sec-fetch-site": undefined },
  ])("takes an answer with headers %o", async (headers) => {
    const { browser, page } = await consentPage();
    const { url } = await browser.submit(readForm(page), { decision: "allow" }, headers);
    expect(url.searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  });
});
