import { randomUUID } from "node:crypto";
import { type DevIdp, developmentPeople, startDevIdp } from "@authz/dev-idp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { type FaultyProvider, type ProviderFault, startFaultyProvider } from "../set-up/faulty-provider.js";
import { type Administrator, signInAtConsole } from "./administrator.js";

let system: OauthServer;
let partner: DevIdp;
let faulty: FaultyProvider;
let ada: Administrator;
let stops = false;
const secret = "a-secret-of-the-partner";

beforeAll(async () => {
  [system, faulty] = await Promise.all([startOauthServer(), startFaultyProvider()]);
  partner = await startDevIdp({
    people: [
      ...developmentPeople,
      { id: "dora", name: "Dora Unverified", email: "dora@acme.example", emailVerified: false },
      { id: "emil", name: "Emil Elsewhere", email: "emil@elsewhere.example" },
    ],
    clients: [
      {
        clientId: "authz",
        clientSecret: secret,
        redirectUris: [`${system.issuer}/sign-in/callback/partner`],
      },
    ],
  });
  const { store } = system.server.context;
  const at = new Date();
  for (const scope of ["authz:administer", "authz:login"]) {
    for (const name of ["ada", "bruno"]) {
      await store.assignments.insertMissing({ id: randomUUID(), email: `${name}@acme.example`, scope }, at);
    }
  }
  ada = await signInAtConsole(system.issuer, "ada", ({ pathname }) => stops && /callback/.test(pathname));
  await ada.call("POST", "/identity-providers", { body: described() });
  await ada.call("POST", "/identity-providers", {
    body: { ...described(), key: "faulty", name: "Faulty", issuer: faulty.issuer },
  });
});
afterAll(async () => {
  await system.close();
  await partner.close();
  await faulty.close();
});

const described = () => ({
  key: "partner",
  name: "Partner",
  issuer: partner.issuer,
  clientId: "authz",
  clientSecret: secret,
  scopes: ["openid", "email"],
  allowedEmailDomains: ["acme.example"],
});

type Begun = { readonly id: string; readonly authorizationUrl: string; readonly state: string };

async function begin(key: string, changes?: object, by = ada): Promise<Begun> {
  const { status, body } = await by.call("POST", `/identity-providers/${key}/tests`, {
    body: changes === undefined ? {} : { changes },
  });
  expect([status, body]).toEqual([201, expect.any(Object)]);
  return body as unknown as Begun;
}

const read = async (key: string, id: string, by = ada) =>
  (await by.call("GET", `/identity-providers/${key}/tests/${id}`)).body as {
    state: string;
    providerMessage: string | null;
    checks: { id: string; state: string; detail: string; remedy?: string }[];
    claims: { name: string; value: string }[];
  };

const show = async (key = "partner") => (await ada.call("GET", `/identity-providers/${key}`)).body;

async function patch(change: object, key = "partner") {
  const { version } = await show(key);
  return await ada.call("PATCH", `/identity-providers/${key}`, { body: change, version: version as number });
}

/** Signs in at the provider as a person, and returns the last page. */
async function goThrough({ authorizationUrl }: Begun, person = "ada") {
  const visit = await ada.browser.open(authorizationUrl);
  return await ada.browser.submit(readForm(visit), { person });
}

const countRows = async () =>
  await system.database.query(
    `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM browser_sessions) AS sessions,
      (SELECT count(*)::int FROM user_identities) AS identities, (SELECT count(*)::int FROM grants) AS grants`,
  );

describe("a provider that was never tested", () => {
  test("is not enabled by any caller without vouching for it", async () => {
    expect(await show()).toMatchObject({ enabled: false, test: { state: "none", testedAt: null } });
    const refused = await patch({ enabled: true });
    expect([refused.status, refused.body["error"]]).toEqual([409, "test_required"]);
    const created = await ada.call("POST", "/identity-providers", {
      body: { ...described(), key: "at-once", enabled: true },
    });
    expect([created.status, created.body["error"]]).toEqual([409, "test_required"]);
    const vouched = await ada.call("POST", "/identity-providers", {
      body: { ...described(), key: "at-once", enabled: true, untested: true },
    });
    expect(vouched.body).toMatchObject({ enabled: true, test: { state: "none" } });
    const [event] = (await system.audit("provider.test_skipped")).slice(-1);
    expect(event).toMatchObject({ data: { key: "at-once" } });
    await ada.call("DELETE", "/identity-providers/at-once", { version: 1 });
  });
});

describe("a test sign-in", () => {
  test("goes through the whole sign-in, opens no session, and names the user it would sign in", async () => {
    const before = await countRows();
    const cookies = new Map(ada.browser.cookies);
    const begun = await begin("partner");
    expect(begun.state).toBe("pending");
    const page = await goThrough(begun, "bruno");
    expect(page.url.pathname + page.url.search).toBe(`/admin/identity-providers/partner?test=${begun.id}`);
    const result = await read("partner", begun.id);
    expect(result.state).toBe("passed");
    expect(new Set(result.checks.map(({ state }) => state))).toEqual(new Set(["passed"]));
    expect(result.claims).toEqual(
      expect.arrayContaining([
        { name: "email", value: "bruno@acme.example" },
        { name: "email_verified", value: "true" },
      ]),
    );
    expect(result.checks.find(({ id }) => id === "person")?.detail).toContain("bruno@acme.example");
    expect(await countRows()).toEqual(before);
    expect(ada.browser.cookies.get("authz-session")).toBe(cookies.get("authz-session"));
    expect(await show()).toMatchObject({ enabled: false, version: 1, test: { state: "passed" } });
  });

  test("lets the provider be enabled then, and nothing else had to be said", async () => {
    expect((await patch({ enabled: true })).body).toMatchObject({ enabled: true });
    const events = await system.audit();
    const own = events.filter(({ type }) => type.startsWith("provider.test"));
    expect(own.slice(-2)).toMatchObject([
      { type: "provider.test_started", data: { key: "partner", changes: false } },
      { type: "provider.tested", outcome: "success", data: { key: "partner" } },
    ]);
  });

  test("shows secret, code and state nowhere", async () => {
    const begun = await begin("partner");
    stops = true;
    const { url } = await goThrough(begun);
    stops = false;
    const [code, state] = ["code", "state"].map((name) => url.searchParams.get(name) ?? "");
    await ada.browser.open(url);
    const shown = JSON.stringify([await read("partner", begun.id), await system.audit(), system.log]);
    for (const text of [secret, code, state]) expect(shown).not.toContain(text);
  });
});

describe("a provider that serves", () => {
  test.each([
    { name: "client", change: { clientId: "another" } },
    { name: "secret", change: { clientSecret: "another" } },
    { name: "scope", change: { scopes: ["openid", "email", "profile"] } },
    { name: "way to authenticate", change: { tokenEndpointAuthMethod: "client_secret_post" } },
    { name: "metadata address", change: { discoveryUrl: "DISCOVERY", clientSecret: secret } },
    { name: "domain less, that of the tester", change: { allowedEmailDomains: ["other.example"] } },
  ])("does not get another $name before that was tested", async ({ change }) => {
    const discoveryUrl = `${partner.issuer}/.well-known/openid-configuration`;
    const wanted = "discoveryUrl" in change ? { ...change, discoveryUrl } : change;
    const before = await show();
    const refused = await patch(wanted);
    expect([refused.status, refused.body["error"]]).toEqual([409, "test_required"]);
    expect(await show()).toEqual(before);
  });

  test.each([
    { name: "name", change: { name: "Partners" } },
    { name: "domain more", change: { allowedEmailDomains: ["acme.example", "other.example"] } },
    { name: "same secret", change: { clientSecret: secret } },
  ])("gets another $name without a test, and stays tested", async ({ change }) => {
    expect(await patch(change)).toMatchObject({ status: 200, body: { test: { state: "passed" } } });
  });

  test("gets what was tested while it was not saved, and serves with the old meanwhile", async () => {
    const changes = { scopes: ["openid", "email", "profile"] };
    const begun = await begin("partner", changes);
    await goThrough(begun);
    expect((await read("partner", begun.id)).state).toBe("passed");
    expect(await show()).toMatchObject({ scopes: ["openid", "email"], test: { state: "passed" } });
    const saved = await patch(changes);
    expect(saved.body).toMatchObject({ ...changes, enabled: true, test: { state: "passed" } });
  });

  test("does not get what another test was about, and not an hour later", async () => {
    const changes = { clientSecret: secret, tokenEndpointAuthMethod: "client_secret_post" };
    const begun = await begin("partner", changes);
    await goThrough(begun);
    const other = await patch({ ...changes, scopes: ["openid", "email"] });
    expect(other.body["error"]).toBe("test_required");
    await system.database.query(
      "UPDATE sign_in_tests SET finished_at = finished_at - interval '61 minutes' WHERE id = $1",
      [begun.id],
    );
    expect((await patch(changes)).body["error"]).toBe("test_required");
  });

  test("is tested with changes of the issuer only with the secret again", async () => {
    const { status, body } = await ada.call("POST", "/identity-providers/partner/tests", {
      body: { changes: { issuer: faulty.issuer } },
    });
    expect([status, body["fields"]]).toEqual([400, [expect.objectContaining({ path: "clientSecret" })]]);
  });
});

test("a provider whose secret cannot be read any more is tested with the secret again", async () => {
  const [row] = await system.database.query<{ client_secret: Buffer }>(
    "SELECT client_secret FROM identity_providers WHERE key = 'partner'",
  );
  const keep = (bytes: Buffer | undefined) =>
    system.database.query("UPDATE identity_providers SET client_secret = $1 WHERE key = 'partner'", [bytes]);
  await keep(Buffer.alloc(64));
  const refused = await ada.call("POST", "/identity-providers/partner/tests", { body: {} });
  const begun = await ada.call("POST", "/identity-providers/partner/tests", {
    body: { changes: { clientSecret: secret } },
  });
  await keep(row?.client_secret);
  expect([refused.status, refused.body["fields"]]).toEqual([
    400,
    [expect.objectContaining({ path: "clientSecret" })],
  ]);
  expect(begun.status).toBe(201);
});

describe("a test sign-in fails, and says where,", () => {
  test.each<[name: string, check: string, person: string | undefined, changes?: object]>([
    ["with a wrong secret", "token_endpoint", undefined, { clientSecret: "wrong" }],
    ["as a person without a verified address", "email_verified", "dora"],
    ["as a person of another domain", "email_domain", "emil"],
  ])("%s", async (_name, check, person, changes) => {
    const begun = await begin("partner", changes);
    await goThrough(begun, person);
    expect(await outcome("partner", begun.id)).toEqual(failedAt(check));
  });

  test.each<[name: string, fault: ProviderFault, check: string]>([
    ["metadata of another issuer", { metadata: { issuer: "https://o.example" } }, "issuer"],
    ["metadata that cannot be read", { discovery: { status: 404, body: "" } }, "discovery"],
    ["an answer that refuses", { answer: { error: "access_denied" } }, "sign_in"],
    ["another nonce", { claims: { nonce: "other" } }, "id_token"],
    ["another audience", { claims: { aud: "other" } }, "id_token"],
    ["a signature of another key", { foreignKey: true }, "id_token"],
    ["no address", { claims: { email: undefined } }, "email"],
    ["an address that is not verified", { claims: { email_verified: false } }, "email_verified"],
  ])("with %s", async (_name, fault, check) => {
    faulty.behave(fault);
    const begun = await begin("faulty");
    if (begun.state === "pending") await ada.browser.open(begun.authorizationUrl);
    expect(await outcome("faulty", begun.id)).toEqual(failedAt(check));
    expect((await patch({ enabled: true }, "faulty")).body["error"]).toBe("test_required");
  });

  test.each([
    ["none", undefined],
    ["one that is no address of the web", "javascript:alert(1)//"],
    ["a text", "nowhere"],
  ])("with %s for an authorization endpoint", async (_name, endpoint) => {
    faulty.behave({ metadata: { authorization_endpoint: endpoint } });
    const { id, authorizationUrl } = await begin("faulty");
    expect(authorizationUrl).toBeNull();
    expect(await outcome("faulty", id)).toEqual(failedAt("discovery"));
  });

  test.each<[name: string, fault: ProviderFault, check: string]>([
    ["its metadata", { metadata: { issuer: `https://o.example/\u0000${"x".repeat(5000)}` } }, "issuer"],
    [
      "the refusal of a code",
      {
        token: {
          status: 400,
          body: { error: "invalid_grant", error_description: `A\u0000b${"\u{1f600}".repeat(500)}` },
        },
      },
      "token_endpoint",
    ],
    ["the address", { claims: { email: `a\u0000${"\u{1f600}".repeat(200)}@acme.example` } }, "email"],
  ])("when %s has what cannot be stored, which is cleaned", async (_name, fault, check) => {
    faulty.behave(fault);
    const begun = await begin("faulty");
    if (begun.state === "pending") await ada.browser.open(begun.authorizationUrl);
    expect(await outcome("faulty", begun.id)).toEqual(failedAt(check));
    const { providerMessage } = await read("faulty", begun.id);
    expect(Array.from(providerMessage ?? "").length).toBeLessThan(520);
    expect(providerMessage ?? "").not.toMatch(/\p{Cc}/u);
  });

  test("as a disabled user", async () => {
    const email = "fred@acme.example";
    const { store } = system.server.context;
    const provider = await store.identityProviders.findByKey("acme");
    const signIn = { providerId: provider?.id ?? "", subject: "f", email, at: new Date() };
    const user = await store.transaction((tx) => tx.users.signIn(signIn));
    await store.users.setEnabled(user.id, false, new Date());
    faulty.behave({ claims: { email } });
    const begun = await begin("faulty");
    await ada.browser.open(begun.authorizationUrl);
    expect(await outcome("faulty", begun.id)).toEqual(failedAt("person"));
  });

  test("with an address full of what cannot be stored, which is cleaned", async () => {
    faulty.behave({ claims: { email: undefined, name: `A\u0000b${"x".repeat(5000)}` } });
    const begun = await begin("faulty");
    await ada.browser.open(begun.authorizationUrl);
    expect(await outcome("faulty", begun.id)).toEqual(failedAt("email"));
    const { claims } = await read("faulty", begun.id);
    const name = claims.find((claim) => claim.name === "name")?.value ?? "";
    expect(name).toMatch(/^A\\u\{0\}bx+…$/);
    expect(name.length).toBeLessThan(210);
  });
});

/** How a test ended, and whether every step before the failed one passed, and none after it was reached. */
async function outcome(key: string, id: string) {
  const { state, checks } = await read(key, id);
  const at = checks.findIndex((check) => check.state === "failed");
  const all = (part: typeof checks, wanted: string) => part.every((check) => check.state === wanted);
  return {
    state,
    check: checks[at]?.id,
    saysWhatToDo: (checks[at]?.remedy ?? "").length > 20,
    passedBefore: all(checks.slice(0, at), "passed"),
    unreachedAfter: all(checks.slice(at + 1), "unreached"),
  };
}

const failedAt = (check: string) => ({
  state: "failed",
  check,
  saysWhatToDo: true,
  passedBefore: true,
  unreachedAfter: true,
});

describe("the answer of a provider counts", () => {
  async function comeBack(): Promise<{ id: string; url: URL }> {
    faulty.behave({});
    const begun = await begin("faulty");
    stops = true;
    const { url } = await ada.browser.open(begun.authorizationUrl);
    stops = false;
    return { id: begun.id, url };
  }
  const isOver = (html: string) => expect(html).toContain("This sign-in is no longer valid");

  test("once", async () => {
    const { id, url } = await comeBack();
    expect((await ada.browser.open(url)).url.searchParams.get("test")).toBe(id);
    expect((await read("faulty", id)).state).toBe("passed");
    const again = await ada.browser.open(url);
    expect(again.status).toBe(400);
  });

  test("once among two processes", async () => {
    const { id, url } = await comeBack();
    const second = await system.startSecondInstance();
    const cookie = [...ada.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const answers = await Promise.all(
      [system.issuer, second, system.issuer, second].map((origin) =>
        fetch(new URL(url.pathname + url.search, origin), { headers: { cookie }, redirect: "manual" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400]);
    expect((await read("faulty", id)).state).toBe("passed");
  });

  test("with its own state only", async () => {
    const { id, url } = await comeBack();
    url.searchParams.set("state", "x".repeat(43));
    expect((await ada.browser.open(url)).status).toBe(400);
    expect((await read("faulty", id)).state).toBe("pending");
  });

  test("at its own callback only", async () => {
    const { id, url } = await comeBack();
    url.pathname = "/sign-in/callback/partner";
    await ada.browser.open(url);
    expect(await outcome("faulty", id)).toEqual(failedAt("sign_in"));
  });

  test("in the session that began it only", async () => {
    const { id, url } = await comeBack();
    const bruno = await signInAtConsole(system.issuer, "bruno");
    expect((await bruno.browser.open(url)).status).toBe(400);
    expect((await bruno.call("GET", `/identity-providers/faulty/tests/${id}`)).status).toBe(404);
    expect((await read("faulty", id)).state).toBe("pending");
  });

  test("in the browser that began it only", async () => {
    const { id, url } = await comeBack();
    const session = ada.browser.cookies.get("authz-session");
    const cookie = `authz-session=${session}; authz-browser=${"A".repeat(43)}`;
    expect((await fetch(url, { headers: { cookie }, redirect: "manual" })).status).toBe(400);
    expect((await read("faulty", id)).state).toBe("pending");
  });

  test("only from a session that may still administer", async () => {
    const { id, url } = await comeBack();
    const { database } = system;
    const where = "email = 'ada@acme.example' AND scope_key = 'authz:administer'";
    const [row] = await database.query<Record<string, unknown>>(`SELECT * FROM assignments WHERE ${where}`);
    expect(row).toBeDefined();
    await database.query(`DELETE FROM assignments WHERE ${where}`);
    expect((await ada.browser.open(url)).status).toBe(400);
    const at = new Date();
    const given = { id: randomUUID(), email: "ada@acme.example", scope: "authz:administer" };
    await system.server.context.store.assignments.insertMissing(given, at);
    expect((await read("faulty", id)).state).toBe("pending");
  });

  test("for ten minutes", async () => {
    const { id, url } = await comeBack();
    await system.database.query(
      "UPDATE sign_in_tests SET expires_at = now() - interval '1 s' WHERE id = $1",
      [id],
    );
    const late = await ada.browser.open(url);
    expect(late.status).toBe(400);
    isOver(late.html);
    expect((await read("faulty", id)).state).toBe("expired");
  });
});

test("a machine is told that this is for browsers, and no page of another site begins one", async () => {
  const foreign = await fetch(`${system.issuer}/api/admin/v1/identity-providers/partner/tests`, {
    method: "POST",
    headers: {
      cookie: [...ada.browser.cookies].map((pair) => pair.join("=")).join("; "),
      origin: "https://evil.example",
      "content-type": "application/json",
    },
    body: "{}",
  });
  expect([foreign.status, ((await foreign.json()) as { error: string }).error]).toEqual([
    403,
    "invalid_csrf_token",
  ]);
});
