import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { type FaultyProvider, type ProviderFault, startFaultyProvider } from "./faulty-provider.js";
import {
  clientSecret,
  details as entries,
  type FreshServer,
  readChecks,
  SetUp,
  setupToken,
  startFreshServer,
} from "./fresh-server.js";

let system: FreshServer;
let provider: FaultyProvider;
beforeAll(async () => {
  [system, provider] = await Promise.all([startFreshServer(), startFaultyProvider()]);
});
afterAll(async () => {
  await provider.close();
  await system.close();
});

describe("a test of the sign-in", () => {
  test("passes every check, and stores nothing", async () => {
    const before = await system.countRows();
    const setUp = new SetUp(system.issuer);
    await setUp.describe(system.idp.issuer);
    const page = await setUp.signIn("test");
    expect(page.url.href).toBe(`${system.issuer}/setup`);
    expect(readChecks(page).states).toEqual(Array.from({ length: 9 }, () => "passed"));
    expect(page.html).toContain("The test passed");
    expect(
      page.html.match(/<li class="passed"><svg class="state"[^>]* aria-hidden="true"><path /g),
    ).toHaveLength(9);
    const style = await fetch(`${system.issuer}/assets/authz.css`);
    expect(await style.text()).not.toMatch(/content: "[^ -~]"/);
    expect(setUp.browser.cookies.has("authz-session")).toBe(false);
    expect(await system.countRows()).toEqual(before);
    expect(before["identity_providers"]).toBe(0);
  });

  test("keeps secret and token out of the log, the pages and the addresses", async () => {
    const setUp = new SetUp(system.issuer);
    await setUp.describe(system.idp.issuer);
    const pages = [await setUp.signIn("test"), await setUp.open("/setup?step=details")];
    for (const text of [
      ...system.log,
      ...pages.map(({ html }) => html),
      ...pages.map(({ url }) => url.href),
    ]) {
      expect(text).not.toContain(clientSecret);
      expect(text).not.toContain(setupToken);
    }
    expect([...setUp.browser.cookies].join()).not.toContain(clientSecret);
  });

  test("can be repeated with another secret, and keeps the one that was entered", async () => {
    const setUp = new SetUp(system.issuer);
    await setUp.describe(system.idp.issuer, { client_secret: "wrong" });
    expect(readChecks(await setUp.signIn("test")).failed).toContain("does not accept the client ID");
    await setUp.describe(system.idp.issuer);
    await setUp.describe(system.idp.issuer, { client_secret: "", name: "Other name" });
    expect((await setUp.signIn("test")).html).toContain("The test passed");
  });

  test("never takes a secret to another address than the one it was entered for", async () => {
    const setUp = new SetUp(system.issuer);
    await setUp.describe(system.idp.issuer);
    const elsewhere = [
      entries("https://evil.example", { client_secret: "" }),
      entries(system.idp.issuer, {
        client_secret: "",
        discovery_url: "https://evil.example/.well-known/openid-configuration",
      }),
    ];
    for (const entered of elsewhere) {
      const page = await setUp.open("/setup?step=details");
      const answer = await setUp.browser.submit(readForm(page), entered);
      expect(answer.status).toBe(400);
      expect(answer.html).toMatch(/id="client_secret-problem">This field is required/);
    }
  });
});

interface Case {
  readonly name: string;
  readonly fault?: ProviderFault;
  readonly details?: Readonly<Record<string, string>>;
  /** Checks that pass before. */
  readonly passed: number;
  readonly says: string;
}

const ada = { email: "ada@acme.example" };
const cases: readonly Case[] = [
  {
    name: "the issuer's port is closed",
    details: { issuer: "http://127.0.0.1:1" },
    passed: 0,
    says: "cannot be reached",
  },
  {
    name: "the issuer is in a private network",
    details: { issuer: "https://10.0.0.1" },
    passed: 0,
    says: "AUTHZ_OUTBOUND_NETWORKS",
  },
  {
    name: "there is no metadata",
    fault: { discovery: { status: 404, body: "{}" } },
    passed: 0,
    says: "no metadata at this address",
  },
  {
    name: "the metadata is no JSON",
    fault: { discovery: { status: 200, body: "<html>" } },
    passed: 0,
    says: "does not serve OpenID metadata",
  },
  {
    name: "the metadata has no issuer",
    fault: { metadata: { issuer: undefined } },
    passed: 0,
    says: "does not serve OpenID metadata",
  },
  {
    name: "the metadata is of another issuer",
    fault: { metadata: { issuer: "https://other.example" } },
    passed: 1,
    says: "https://other.example",
  },
  {
    name: "the provider refuses",
    fault: { answer: { error: "access_denied", error_description: "Not <b>you</b>." } },
    passed: 2,
    says: "access_denied: Not &#60;b&#62;you",
  },
  {
    name: "the answer names another issuer",
    fault: { answer: { code: "code", iss: "https://other.example" } },
    passed: 2,
    says: "an invalid response",
  },
  {
    name: "the client is refused",
    fault: { token: { status: 400, body: { error: "invalid_client" } } },
    passed: 3,
    says: "does not accept the client ID",
  },
  {
    name: "the code is refused",
    fault: { token: { status: 400, body: { error: "invalid_grant", error_description: "No." } } },
    passed: 3,
    says: "invalid_grant: No.",
  },
  {
    name: "the token endpoint fails",
    fault: { token: { status: 500, body: {} } },
    passed: 3,
    says: "HTTP 500",
  },
  {
    name: "there is no ID token",
    fault: { token: { status: 200, body: { access_token: "a", token_type: "Bearer" } } },
    passed: 4,
    says: "not valid for this application",
  },
  {
    name: "the nonce is another one",
    fault: { claims: { nonce: "other" } },
    passed: 4,
    says: "its nonce is different",
  },
  {
    name: "the ID token is for another client",
    fault: { claims: { aud: "other" } },
    passed: 4,
    says: "not valid for this application",
  },
  {
    name: "the ID token has expired",
    fault: { claims: { exp: 1 } },
    passed: 4,
    says: "not valid for this application",
  },
  {
    name: "the signature does not fit",
    fault: { foreignKey: true },
    passed: 4,
    says: "does not match the provider",
  },
  { name: "the keys cannot be read", fault: { keys: { status: 500 } }, passed: 4, says: "signing keys" },
  {
    name: "userinfo fails",
    fault: { claims: { email: undefined }, userinfo: { status: 500, body: {} } },
    passed: 5,
    says: "userinfo endpoint",
  },
  {
    name: "there is no address",
    fault: { claims: { email: undefined } },
    passed: 5,
    says: "does not share your email address",
  },
  {
    name: "the address is not verified",
    fault: { claims: { email_verified: undefined } },
    passed: 6,
    says: "does not say that ada@acme.example is verified",
  },
  {
    name: "the domain is not allowed",
    details: { domains: "other.example" },
    passed: 7,
    says: "is not allowed",
  },
  {
    name: "it is another person",
    fault: { claims: { email: "Bruno@acme.example" } },
    passed: 8,
    says: "You signed in as Bruno@acme.example",
  },
];

describe("a test of the sign-in names the check that failed when", () => {
  test.each(cases)("$name", async ({ fault = {}, details = {}, passed, says }) => {
    provider.behave(fault);
    const setUp = new SetUp(system.issuer);
    await setUp.describe(provider.issuer, { administrator_email: ada.email, ...details });
    const page = await setUp.leave("test");
    const { states, failed } = readChecks(page);
    expect(failed).toContain(says);
    expect(failed).toMatch(/<strong>.{20,}<\/strong>/);
    expect(states.indexOf("failed")).toBe(passed);
    expect(states.filter((state) => state === "passed")).toHaveLength(passed);
    expect(page.html).toContain("Nothing was saved");
  });

  test("the person cancels, and reads it in German", async () => {
    const setUp = new SetUp(system.issuer);
    await setUp.describe(system.idp.issuer);
    const there = await setUp.leave("test");
    const cookie = [...setUp.browser.cookies].map((pair) => pair.join("=")).join("; ");
    expect(cookie).toContain("authz-setup=");
    await setUp.signIn("test", "");
    expect(there.url.origin).toBe(system.idp.issuer);
    const page = await setUp.browser.open(`${system.issuer}/setup`, { headers: { "accept-language": "de" } });
    expect(readChecks(page).failed).toContain("hat Sie nicht angemeldet");
  });

  test("nothing was stored by any of them", async () => {
    const rows = await system.countRows();
    for (const table of [
      "identity_providers",
      "users",
      "browser_sessions",
      "assignments",
      "sign_in_attempts",
    ]) {
      expect(rows[table]).toBe(0);
    }
  });
});
