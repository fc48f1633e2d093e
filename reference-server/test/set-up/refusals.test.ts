import { randomBytes, randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { details, type FreshServer, formTo, SetUp, setupToken, startFreshServer } from "./fresh-server.js";

let system: FreshServer;
beforeAll(async () => {
  system = await startFreshServer({ AUTHZ_RATE_LIMITS: "set-up.address=30" });
});
afterAll(() => system.close());

const start = () => new SetUp(system.issuer);

describe("before it is set up", () => {
  test.each(["/", "/sign-in", "/admin", "/admin/audit"])("%s leads to the set-up", async (path) => {
    const page = await start().open(path);
    expect(page.url.pathname).toBe("/setup");
    expect(page.html).toContain("AUTHZ_SETUP_TOKEN");
  });

  test("the set-up token opens it, once shown, in this browser only", async () => {
    const setUp = start();
    const page = await setUp.enter(` ${setupToken}\n`);
    expect(page.html).toContain("Where do people sign in?");
    expect((await start().open()).html).toContain('name="token"');
  });

  test("every provider has a form, with what is the same for all of its customers", async () => {
    const setUp = start();
    await setUp.enter();
    for (const [key, text] of [
      ["google", 'value="https://accounts.google.com"'],
      ["entra", "xms_edov"],
      ["okta", ".okta.com"],
      ["keycloak", "/realms/"],
      ["auth0", ".auth0.com/"],
      ["other", 'value="openid profile email"'],
    ] as const) {
      const page = await setUp.open(`/setup?provider=${key}`);
      expect(page.html).toContain(text);
      expect(page.html).toContain(`${system.issuer}/sign-in/callback`);
    }
  });
});

describe("a set-up token is refused", () => {
  test.each([
    { name: "a wrong one", change: { token: "x".repeat(43) } },
    { name: "an empty one", change: { token: "" } },
    { name: "a part of it", change: { token: setupToken.slice(0, -1) } },
  ])("$name", async ({ change }) => {
    const setUp = start();
    const page = await setUp.browser.submit(readForm(await setUp.open()), change);
    expect(page.status).toBe(403);
    expect(page.html).toContain("This is not the setup token");
    expect(setUp.browser.cookies.has("authz-setup")).toBe(false);
    expect(system.log.some((line) => line.includes("SETUP_TOKEN_REFUSED"))).toBe(true);
  });

  test.each([
    ["with a foreign form token", { csrf: "x".repeat(43) }, {}],
    ["without a form token", { csrf: "" }, {}],
    ["from another origin", {}, { origin: "https://evil.example" }],
    ["from another site", {}, { "sec-fetch-site": "cross-site" }],
  ])("%s", async (_name, change, headers) => {
    const setUp = start();
    const form = readForm(await setUp.open());
    const page = await setUp.browser.submit(form, { token: setupToken, ...change }, headers);
    expect(page.status).toBe(400);
    expect(setUp.browser.cookies.has("authz-setup")).toBe(false);
  });

  test("in an address", async () => {
    const page = await start().open(`/setup?token=${setupToken}`);
    expect(page.html).toContain('name="token"');
  });
});

describe("a draft is refused", () => {
  test("in another browser", async () => {
    const [owner, thief] = [start(), start()];
    await owner.describe(system.idp.issuer);
    await thief.open();
    thief.browser.cookies.set("authz-setup", owner.browser.cookies.get("authz-setup") ?? "");
    expect((await thief.open()).html).toContain('name="token"');
  });

  test("when a letter of it was changed", async () => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const sealed = setUp.browser.cookies.get("authz-setup") ?? "";
    const letter = sealed[40] === "A" ? "B" : "A";
    setUp.browser.cookies.set("authz-setup", `${sealed.slice(0, 40)}${letter}${sealed.slice(41)}`);
    expect((await setUp.open()).html).toContain('name="token"');
  });

  test("after an hour", async () => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const form = formTo(await setUp.open(), "/setup/complete");
    system.advance(3601);
    expect((await setUp.browser.submit(form)).html).toContain("This setup is no longer valid");
    expect((await setUp.open()).html).toContain('name="token"');
  });

  test.each(["details", "test", "complete"])("at %s from another site", async (step) => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const page = await setUp.browser.open(`${system.issuer}/setup/${step}`, {
      method: "POST",
      body: new URLSearchParams(details(system.idp.issuer)),
      headers: { origin: "https://evil.example" },
    });
    expect(page.status).toBe(400);
  });
});

describe("details are refused, each beside its field", () => {
  test.each([
    { change: { administrator_email: "ada" }, says: "This is not an email address." },
    { change: { administrator_email: "" }, says: "This field is required." },
    { change: { installation_name: "" }, says: "This field is required." },
    { change: { issuer: "http://idp.example" }, says: "Enter an https address" },
    { change: { issuer: "https://login.microsoftonline.com/{tenant id}/v2.0" }, says: "braces" },
    { change: { discovery_url: "https://idp.example/metadata" }, says: "/.well-known/" },
    { change: { client_id: "" }, says: "This field is required." },
    { change: { client_secret: "" }, says: "This field is required." },
    { change: { auth_method: "none" }, says: "leave it empty" },
    { change: { auth_method: "private_key_jwt" }, says: "are not right yet" },
    { change: { scopes: "profile email" }, says: "scopes must include openid" },
    { change: { domains: "acme" }, says: "Enter domains" },
    {
      change: { domains: Array.from({ length: 101 }, (_, i) => `a${i}.example`).join() },
      says: "Enter domains",
    },
  ])("$change", async ({ change, says }) => {
    const setUp = start();
    const page = await setUp.describe(system.idp.issuer, change);
    expect(page.status).toBe(400);
    expect(page.html).toContain(says);
    const [[name, value] = ["", ""]] = Object.entries(change);
    const isShown = page.html.includes(`value="${value}"`);
    expect(isShown || name === "auth_method").toBe(true);
    expect(page.html).not.toContain('value="a-secret');
  });

  test("all of it together is too long for a cookie", async () => {
    const noise = (length: number) =>
      String.fromCodePoint(
        ...Array.from(randomBytes(length * 2))
          .map((byte) => 0x4e00 + byte * 64 + randomInt(64))
          .slice(0, length),
      );
    const page = await start().describe(system.idp.issuer, {
      client_secret: noise(900),
      name: noise(200),
      installation_name: noise(200),
    });
    expect(page.status).toBe(400);
    expect(page.html).toContain("too long");
  });
});

describe("a provider's answer counts", () => {
  test("once", async () => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const callback = await setUp.signInUntilCallback("test");
    expect((await setUp.browser.open(callback)).html).toContain("The test passed");
    expect((await setUp.browser.open(callback)).html).toContain("This sign-in is no longer valid");
  });

  test("in the browser that was sent there", async () => {
    const [owner, thief] = [start(), start()];
    await owner.describe(system.idp.issuer);
    await thief.describe(system.idp.issuer);
    const callback = await owner.signInUntilCallback("complete");
    expect((await thief.browser.open(callback)).html).toContain("This sign-in is no longer valid");
    expect((await system.countRows())["users"]).toBe(0);
  });

  test("for ten minutes", async () => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const callback = await setUp.signInUntilCallback("complete");
    system.advance(601);
    expect((await setUp.browser.open(callback)).html).toContain("Nothing was saved");
    expect((await system.countRows())["users"]).toBe(0);
  });

  test("when it is the first administrator who comes back", async () => {
    const setUp = start();
    await setUp.describe(system.idp.issuer);
    const page = await setUp.signIn("complete", "bruno");
    expect(page.html).toContain("You signed in as bruno@acme.example");
    expect(page.html).toContain("Setup is not complete. Nothing was saved.");
    expect((await system.countRows())["users"]).toBe(0);
  });
});

test("after too many tokens from one address there is 429", async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 40 && statuses.at(-1) !== 429; attempt += 1) {
    const setUp = start();
    statuses.push((await setUp.enter("wrong")).status);
  }
  expect(statuses.at(-1)).toBe(429);
});
