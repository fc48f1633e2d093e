import { createHash, randomUUID } from "node:crypto";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { CallRule } from "../../src/rules/call-rule.js";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { Browser, readForm, type Visit } from "../support/browser.js";
import { signIn } from "../support/device.js";
import { saveKeptClient } from "../support/kept-client.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
const noProof = { proofs: [] };
const webApp = "https://claude.ai/oauth/app";
const loopbackApp = "http://127.0.0.1/callback";

/** An app that knows no DPoP, as agent hosts are; its document names a web and a loopback address. */
const app: Client = {
  ...registeredClient,
  id: "https://claude.ai/oauth/claude-code-client-metadata",
  name: "Claude Code",
  type: "public",
  redirectUris: [webApp, loopbackApp],
  keys: [],
  dpopBound: false,
  source: "metadata_document",
  builtIn: false,
  enabled: true,
};

beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  const { store } = system.server.context;
  await store.resources.save({ ...system.resource, allowsBearer: true }, new Date());
  await saveKeptClient(store, app);
});
afterAll(() => system.close());

/** One that stops where the app would take the answer. */
function createBrowser(): Browser {
  return new Browser(({ host }) => host === "claude.ai" || host === "127.0.0.1:8765");
}

type Changes = Readonly<Record<string, string | undefined>>;

function request(changes: Changes = {}): URL {
  return device.authorizeUrl({
    client_id: app.id,
    redirect_uri: "http://127.0.0.1:8765/callback",
    resource: system.resource.resource,
    scope: "contracts:read",
    dpop_jkt: undefined,
    ...changes,
  });
}

async function allow(
  changes: Changes = {},
  person = "ada",
  browser: Browser = createBrowser(),
): Promise<string> {
  const visit = await signIn(browser, request(changes), person);
  const { url } = await browser.submit(readForm(visit), { decision: "allow" });
  return url.searchParams.get("code") ?? `no code: ${url.href}`;
}

function codeForm(code: string, changes: Changes = {}): Changes {
  return {
    ...device.codeParameters(code),
    client_id: app.id,
    redirect_uri: "http://127.0.0.1:8765/callback",
    resource: system.resource.resource,
    ...changes,
  };
}

const redeem = async (code: string, changes: Changes = {}): Promise<Answer> =>
  await device.token(codeForm(code, changes), noProof);

const refresh = async (token: string | undefined, changes: Changes = {}): Promise<Answer> =>
  await device.token(
    { grant_type: "refresh_token", client_id: app.id, refresh_token: token, ...changes },
    noProof,
  );

async function rememberNothing(): Promise<void> {
  await system.database.query("DELETE FROM consents");
  await system.database.query("DELETE FROM grants WHERE client_id = $1", [app.id]);
}

describe("an access token for a service", () => {
  test("comes straight from the authorization server, and says who acts for whom", async () => {
    const answer = await redeem(await allow());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      token_type: "Bearer",
      expires_in: 300,
      scope: "offline_access contracts:read",
    });
    const keys = createRemoteJWKSet(new URL(`${system.issuer}/api/oauth/jwks`));
    const { payload, protectedHeader } = await jwtVerify(answer.body["access_token"] ?? "", keys, {
      issuer: system.issuer,
      audience: system.resource.resource,
      typ: "at+jwt",
    });
    const grants = await system.database.query<{ id: string; user_id: string }>(
      "SELECT id, user_id FROM grants ORDER BY created_at DESC LIMIT 1",
    );
    expect(protectedHeader.alg).toBe("ES256");
    expect(payload).toStrictEqual({
      iss: system.issuer,
      sub: grants[0]?.user_id,
      aud: system.resource.resource,
      client_id: app.id,
      scope: "contracts:read",
      email: "ada@acme.example",
      name: "Ada Lovelace",
      sid: grants[0]?.id,
      act: { sub: app.id },
      status: {
        status_list: { idx: expect.any(Number) as number, uri: `${system.issuer}/oauth/status` },
      },
      jti: expect.any(String) as string,
      iat: expect.any(Number) as number,
      exp: (payload.iat ?? 0) + 300,
    });
    expect((await system.audit("token.issued")).at(-1)).toMatchObject({
      data: { resource: system.resource.resource, scopes: ["offline_access", "contracts:read"], jkt: null },
    });
  });

  test("is bound to the key of a client that uses DPoP", async () => {
    const answer = await device.token(codeForm(await allow()));
    expect(answer.body).toMatchObject({ token_type: "DPoP" });
    expect(decodeJwt(answer.body["access_token"] ?? "")).toMatchObject({
      cnf: { jkt: device.signer.thumbprint },
    });
  });

  test("is no token for this server's own API, and none to exchange", async () => {
    const { access_token: token = "", refresh_token: refreshToken = "" } = (await redeem(await allow())).body;
    const me = await fetch(`${system.issuer}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(me.status).toBe(401);
    const exchanged = await device.token(
      { ...exchangeForm(refreshToken, system.resource), client_id: app.id },
      noProof,
    );
    expect(exchanged).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("ends its grant when it is revoked, and by no other client", async () => {
    const { body } = await redeem(await allow());
    const revoke = async (clientId: string) => {
      const form = new URLSearchParams({ token: body["access_token"] ?? "", client_id: clientId });
      return await fetch(`${system.issuer}/api/oauth/revoke`, { method: "POST", body: form });
    };
    expect(await (await revoke("authz-cli")).json()).toMatchObject({ error: "invalid_grant" });
    const alive = await refresh(body["refresh_token"]);
    expect(alive.status).toBe(200);
    expect((await revoke(app.id)).status).toBe(200);
    expect((await refresh(alive.body["refresh_token"])).body).toMatchObject({ error: "invalid_grant" });
    expect((await system.audit("grant.revoked")).at(-1)?.data).toMatchObject({ reason: "revoked_by_client" });
  });

  test("without a scope is for everything the person has there", async () => {
    expect((await redeem(await allow({ scope: undefined }))).body["scope"]).toBe(
      "offline_access contracts:read",
    );
  });

  test.each(["authz:login", "contracts:read authz:login"])(
    "leaves out the permission to act at other services: %s",
    async (scope) => {
      expect((await redeem(await allow({ scope }))).body["scope"]).toBe("offline_access contracts:read");
    },
  );

  test("is for a host that asks for every scope of the metadata, at first and whenever it refreshes", async () => {
    const metadata = await fetch(`${system.issuer}/.well-known/oauth-authorization-server`);
    const { scopes_supported: published } = (await metadata.json()) as { scopes_supported: string[] };
    expect(published).toStrictEqual(["openid", "profile", "email", "offline_access"]);
    const scope = published.join(" ");
    const first = await redeem(await allow({ scope }));
    expect(first.body["scope"]).toBe(`${scope} contracts:read`);
    const next = await refresh(first.body["refresh_token"], { scope });
    expect(next).toMatchObject({ status: 200, body: { scope: `${scope} contracts:read` } });
    expect(decodeJwt(next.body["access_token"] ?? "")).toMatchObject({ scope: "contracts:read" });
  });

  test("stays one for what is asked for at a refresh, which names no scope of the service, some, or none", async () => {
    const { refresh_token: token } = (await redeem(await allow({ scope: "openid" }))).body;
    const rows = [
      { scope: "offline_access", left: "offline_access contracts:read" },
      { scope: "openid", left: "openid contracts:read" },
      { scope: undefined, left: "openid offline_access contracts:read" },
    ];
    let latest = token;
    for (const { scope, left } of rows) {
      const { body } = await refresh(latest, { scope });
      expect(body["scope"]).toBe(left);
      latest = body["refresh_token"];
    }
  });

  test("leaves out what the person may not, and says what is left", async () => {
    const browser = createBrowser();
    const visit = await signIn(browser, request({ scope: "contracts:read contracts:write" }), "ada");
    expect(visit.html).toContain("permissions you do not have");
    const { url } = await browser.submit(readForm(visit), { decision: "allow" });
    const answer = await redeem(url.searchParams.get("code") ?? "");
    expect(answer.body["scope"]).toBe("offline_access contracts:read");
  });

  test("names the service, the proven host and every scope in words before it is allowed", async () => {
    await rememberNothing();
    const { html } = await signIn(createBrowser(), request({ redirect_uri: webApp }), "ada");
    expect(html).toContain("Claude Code");
    expect(html).toContain("<strong>claude.ai</strong>");
    expect(html).toContain(system.resource.name);
    expect(html).toContain("<code>contracts:read</code>");
  });
});

describe("a request for a service is refused", () => {
  const rows: readonly (readonly [string, Changes, string])[] = [
    ["an unregistered service", { resource: "https://other.example/api" }, "invalid_target"],
    ["no absolute URL", { resource: "contracts" }, "invalid_target"],
    ["a fragment", { resource: "https://contracts.example/api#x" }, "invalid_target"],
    ["no resource, from an unregistered client", { resource: undefined }, "invalid_target"],
    ["a scope that the service does not know", { scope: "contracts:burn" }, "invalid_scope"],
  ];
  test.each(rows)("for %s", async (_what, changes, error) => {
    const { url } = await createBrowser().open(request(changes));
    expect(url.searchParams.get("error")).toBe(error);
  });

  test("for its own API by an unregistered client, with an explanation", async () => {
    const { url } = await createBrowser().open(request({ resource: undefined }));
    expect(url.searchParams.get("error_description")).toMatch(
      /Name the service .* has to be registered by an administrator/,
    );
  });

  test("for two services at once", async () => {
    const url = request();
    url.searchParams.append("resource", "https://other.example/api");
    expect((await createBrowser().open(url)).url.searchParams.get("error")).toBe("invalid_target");
  });

  test("for a disabled one, and at the pushed and the device endpoint alike", async () => {
    const { store } = system.server.context;
    const form = {
      client_id: app.id,
      response_type: "code",
      redirect_uri: webApp,
      resource: system.resource.resource,
      code_challenge: createHash("sha256").update(device.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    };
    expect((await device.post("/api/oauth/par", form, noProof)).status).toBe(201);
    expect((await device.post("/api/oauth/device_authorization", form, noProof)).status).toBe(200);
    await store.resources.save({ ...system.resource, allowsBearer: true, enabled: false }, new Date());
    const answers = await Promise.all(
      ["par", "device_authorization"].map((name) => device.post(`/api/oauth/${name}`, form, noProof)),
    );
    const { url } = await createBrowser().open(request());
    await store.resources.save({ ...system.resource, allowsBearer: true }, new Date());
    expect(answers.map(({ body }) => body["error"])).toEqual(["invalid_target", "invalid_target"]);
    expect(url.searchParams.get("error")).toBe("invalid_target");
  });

  test("with a page that says whom to ask, where the person has nothing there", async () => {
    const browser = createBrowser();
    const { html, status } = await signIn(browser, request(), "fred");
    expect(status).toBe(403);
    expect(html).toContain("Ask an administrator");
    const back = /href="(http:\/\/127\.0\.0\.1:8765[^"]+)"/
      .exec(html)?.[1]
      ?.replaceAll("&amp;", "&")
      .replaceAll("&#38;", "&");
    expect(new URL(back ?? "").searchParams.get("error")).toBe("access_denied");
    expect((await system.audit("authorization.refused")).at(-1)?.data).toMatchObject({
      reason: "nothing_granted",
    });
  });
});

describe("a service with rules", () => {
  const rule = async (...rules: readonly CallRule[]) => {
    const resource = { ...system.resource, allowsBearer: true, rules };
    await system.server.context.store.resources.save(resource, new Date());
  };
  afterEach(async () => await rule());

  test("keeps the scopes of its rules out of tokens, which the consent page says", async () => {
    const { body } = await redeem(await allow());
    await rule({ methods: ["DELETE"], scopes: ["contracts:read"], ask: "self" }, { default: "allow" });
    const refreshed = await refresh(body["refresh_token"]);
    expect(refreshed.body).toMatchObject({ error: "invalid_grant" });
    expect(refreshed.body["error_description"]).toContain("Call it through this server");
    await rememberNothing();
    const { url } = await signIn(createBrowser(), request(), "ada");
    expect(url.searchParams.get("error")).toBe("access_denied");
    expect(url.searchParams.get("error_description")).toContain("through this server");
    expect((await system.audit("authorization.refused")).at(-1)?.data).toMatchObject({
      reason: "scopes_in_rules",
    });
  });

  test("leaves other scopes as they were", async () => {
    const { body } = await redeem(await allow());
    await rule({ methods: ["DELETE"], scopes: ["contracts:write"], ask: "self" }, { default: "allow" });
    expect((await refresh(body["refresh_token"])).body["scope"]).toBe("offline_access contracts:read");
  });
});

describe("the token endpoint", () => {
  test.each([
    ["another service", { resource: "https://other.example/api" }, "invalid_target"],
    ["something else", { resource: "contracts" }, "invalid_target"],
  ])("refuses a code for %s, and the code stays usable", async (_what, changes, error) => {
    const code = await allow();
    expect((await redeem(code, changes)).body["error"]).toBe(error);
    expect((await redeem(code, { resource: undefined })).status).toBe(200);
  });

  test("compares identifiers as URLs", async () => {
    const { host } = new URL(system.resource.resource);
    const loud = system.resource.resource.replace(host, host.toUpperCase());
    expect((await redeem(await allow({ resource: loud }), { resource: loud })).status).toBe(200);
  });

  test("wants a key where the service takes no Bearer tokens", async () => {
    const { store } = system.server.context;
    const [first, second] = [await allow(), await allow()];
    await store.resources.save({ ...system.resource, allowsBearer: false }, new Date());
    expect((await redeem(first)).body["error"]).toBe("invalid_dpop_proof");
    expect((await device.token(codeForm(second))).body["token_type"]).toBe("DPoP");
    await store.resources.save({ ...system.resource, allowsBearer: true }, new Date());
    expect((await redeem(first)).status).toBe(200);
  });

  test("redeems what a device was allowed, for the service it asked for", async () => {
    const form = {
      client_id: app.id,
      resource: system.resource.resource,
      scope: "contracts:read contracts:write",
    };
    const { body } = await device.post("/api/oauth/device_authorization", form, noProof);
    const browser = createBrowser();
    const page = await signIn(browser, new URL(body["verification_uri_complete"] ?? ""), "ada");
    const consent = await browser.submit(readForm(page), { user_code: body["user_code"] ?? "" });
    expect(consent.html).toContain(system.resource.name);
    await browser.submit(readForm(consent), { decision: "allow" });
    const grant = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: app.id,
      device_code: body["device_code"],
    };
    expect(
      (await device.token({ ...grant, resource: "https://other.example/api" }, noProof)).body["error"],
    ).toBe("invalid_target");
    const answer = await device.token(grant, noProof);
    expect(answer.body["scope"]).toBe("offline_access contracts:read");
    expect(decodeJwt(answer.body["access_token"] ?? "").aud).toBe(system.resource.resource);
  });
});

describe("a refresh", () => {
  test("goes on for the same service, with and without its name", async () => {
    const { refresh_token: first } = (await redeem(await allow())).body;
    const second = await refresh(first, { resource: system.resource.resource });
    expect(decodeJwt(second.body["access_token"] ?? "").aud).toBe(system.resource.resource);
    const third = await refresh(second.body["refresh_token"], { scope: "contracts:read offline_access" });
    expect(third).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    const other = await refresh(third.body["refresh_token"], { resource: "https://other.example/api" });
    expect(other).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    expect((await refresh(third.body["refresh_token"])).status).toBe(200);
  });

  test("asks for the permissions again, and ends with the last of them", async () => {
    const { refresh_token: first } = (await redeem(await allow())).body;
    const { store } = system.server.context;
    const rule = { email: "ada@acme.example", scope: "contracts:read" };
    await system.database.query("DELETE FROM assignments WHERE scope_key = $1", [rule.scope]);
    const answer = await refresh(first);
    await store.assignments.insertMissing({ id: randomUUID(), ...rule }, new Date());
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect((await system.audit("token.refused")).at(-1)?.data).toMatchObject({ reason: "nothing_granted" });
    expect((await refresh(first)).status).toBe(200);
  });

  test("never gives more than the client's ceiling", async () => {
    const { store } = system.server.context;
    const { refresh_token: first } = (await redeem(await allow())).body;
    await store.clients.save({ ...app, limited: true, ceiling: ["contracts:write"] }, new Date());
    const refused = await refresh(first);
    await store.clients.save({ ...app, limited: true, ceiling: ["contracts:read"] }, new Date());
    const allowed = await refresh(first);
    await store.clients.save(app, new Date());
    expect(refused.body["error"]).toBe("invalid_grant");
    expect(allowed.body["scope"]).toBe("offline_access contracts:read");
  });

  test("is refused as soon as the client is not trusted any more", async () => {
    const { store } = system.server.context;
    const { refresh_token: first } = (await redeem(await allow())).body;
    await store.clients.save({ ...app, trusted: false }, new Date());
    const refused = await refresh(first);
    await store.clients.save(app, new Date());
    expect(refused).toMatchObject({ body: { error: "invalid_client" } });
    expect((await refresh(first)).status).toBe(200);
  });
});

describe("consent", () => {
  const again = async (browser: Browser, changes: Changes) => await browser.open(request(changes));

  test("is remembered where only the client can receive the answer, and asked again for more scopes", async () => {
    await rememberNothing();
    const browser = createBrowser();
    const first = await signIn(browser, request({ redirect_uri: webApp, scope: "contracts:read" }), "ada");
    const answer = await browser.submit(readForm(first), { decision: "allow" });
    await redeem(answer.url.searchParams.get("code") ?? "", { redirect_uri: webApp });
    const second = await again(browser, { redirect_uri: webApp });
    expect(second.url.origin + second.url.pathname).toBe(webApp);
    expect(second.url.searchParams.has("code")).toBe(true);
    expect((await system.audit("consent.given")).at(-1)?.data).toMatchObject({ remembered: true });
    const asked = await again(browser, { redirect_uri: webApp, prompt: "consent" });
    expect(asked.html).toContain("You already allowed this on");
    const more = await again(browser, { redirect_uri: webApp, scope: "openid contracts:read" });
    expect(more.url.pathname).toBe("/oauth/consent");
  });

  test("is shown once more for an address that any program here can listen on", async () => {
    await rememberNothing();
    const browser = createBrowser();
    await redeem(await allow({}, "ada", browser));
    const { url, html } = await again(browser, {});
    expect(url.pathname).toBe("/oauth/consent");
    expect(html).toContain("You already allowed this on");
  });

  test.each([
    ["other addresses", { redirectUris: [webApp, "https://claude.ai/elsewhere"] }],
    ["another service", undefined],
  ])("is not remembered for %s", async (_what, change) => {
    await rememberNothing();
    const { store } = system.server.context;
    const browser = createBrowser();
    await redeem(await allow({ redirect_uri: webApp }, "ada", browser), { redirect_uri: webApp });
    if (change === undefined)
      await system.database.query("DELETE FROM consents WHERE resource_id IS NOT NULL");
    else await store.clients.save({ ...app, ...change }, new Date());
    const { url } = await again(browser, { redirect_uri: webApp });
    await store.clients.save(app, new Date());
    expect(url.pathname).toBe("/oauth/consent");
  });

  test("that is denied stays denied after another tab allowed the same", async () => {
    await rememberNothing();
    const browser = createBrowser();
    const one = await signIn(browser, request({ redirect_uri: webApp }), "ada");
    const other = await browser.open(request({ redirect_uri: webApp }));
    await browser.submit(readForm(other), { decision: "allow" });
    const { searchParams } = (await browser.submit(readForm(one), { decision: "deny" })).url;
    expect([searchParams.get("error"), searchParams.get("code")]).toEqual(["access_denied", null]);
  });

  test("is for what the page showed: when it would be something else, the person is asked again", async () => {
    const { assignments } = system.server.context.store;
    const browser = createBrowser();
    const allowed = async (page: Visit) => await browser.submit(readForm(page), { decision: "allow" });
    const page = await signIn(browser, request({ scope: undefined }), "ada");
    const rule = { id: randomUUID(), email: "ada@acme.example", scope: "contracts:write" };
    await assignments.insertMissing(rule, new Date());
    const more = await allowed(page);
    await assignments.remove(rule.id);
    const less = await allowed(more);
    const shown = [page, more, less].map(({ html }) => html.includes("<code>contracts:write</code>"));
    expect(shown).toEqual([false, true, false]);
    expect([more.url.pathname, less.url.pathname]).toEqual(["/oauth/consent", "/oauth/consent"]);
    const { url } = await allowed(less);
    const { body } = await redeem(url.searchParams.get("code") ?? "");
    expect(body["scope"]).toBe("offline_access contracts:read");
  });

  test("is forgotten when the person denies the next request", async () => {
    await rememberNothing();
    const browser = createBrowser();
    await redeem(await allow({ redirect_uri: webApp }, "ada", browser), { redirect_uri: webApp });
    const asked = await again(browser, { redirect_uri: webApp, prompt: "consent" });
    await browser.submit(readForm(asked), { decision: "deny" });
    expect((await again(browser, { redirect_uri: webApp })).url.pathname).toBe("/oauth/consent");
  });

  const ends: readonly { name: string; end: (tokens: Answer["body"]) => Promise<unknown> }[] = [
    {
      name: "the app's own revocation",
      end: async ({ refresh_token: token = "" }) =>
        await fetch(`${system.issuer}/api/oauth/revoke`, {
          method: "POST",
          body: new URLSearchParams({ token, client_id: app.id }),
        }),
    },
    {
      name: "the reuse of a refresh token",
      async end({ refresh_token: token }) {
        const { body } = await refresh(token);
        await refresh(body["refresh_token"]);
        await refresh(token);
      },
    },
    {
      name: "its expiry",
      end: async ({ access_token: token = "" }) =>
        await system.database.query("UPDATE grants SET expires_at = now() WHERE id = $1", [
          decodeJwt(token)["sid"],
        ]),
    },
  ];
  test.each(ends)("is forgotten with the last grant, by $name", async ({ end }) => {
    await rememberNothing();
    const browser = createBrowser();
    const web = { redirect_uri: webApp };
    const more = { ...web, scope: "openid contracts:read" };
    const first = await redeem(await allow(more, "ada", browser), web);
    const code = (await again(browser, web)).url.searchParams.get("code") ?? "";
    const second = await redeem(code, web);
    await end(second.body);
    expect((await again(browser, more)).url.origin).toBe(new URL(webApp).origin);
    await end(first.body);
    const asked = await again(browser, web);
    expect([asked.url.pathname, asked.html.includes("You already allowed this")]).toEqual([
      "/oauth/consent",
      false,
    ]);
    const { url } = await browser.submit(readForm(asked), { decision: "allow" });
    await redeem(url.searchParams.get("code") ?? "", web);
    expect((await again(browser, web)).url.origin).toBe(new URL(webApp).origin);
    expect((await again(browser, more)).url.pathname).toBe("/oauth/consent");
  });

  test("is listed to the person, and forgotten when they end the app", async () => {
    await rememberNothing();
    const browser = createBrowser();
    const code = await allow({ redirect_uri: webApp }, "ada", browser);
    await redeem(code, { redirect_uri: webApp });
    const [grant] = await system.database.query<{ id: string }>(
      "SELECT id FROM grants WHERE client_id = $1 ORDER BY created_at DESC LIMIT 1",
      [app.id],
    );
    const account = await browser.open(new URL(`${system.issuer}/`));
    expect(account.html).toContain(`Your consent at ${system.resource.name} is remembered since`);
    const ending = account.forms.filter(
      ({ action, fields }) => action.pathname === "/devices/sign-out" && fields["id"] === grant?.id,
    );
    await browser.submit(readForm({ ...account, forms: ending }));
    expect((await again(browser, { redirect_uri: webApp })).url.pathname).toBe("/oauth/consent");
  });
});

describe("a limited client at this server's own API", () => {
  test("acts within its ceiling, also where its user holds more", async () => {
    const { store } = system.server.context;
    const command = await store.clients.find("authz-cli");
    if (command === undefined) throw new Error("The command-line client is built in.");
    const tokens = await device.signIn();
    const resources = async () => {
      const url = `${system.issuer}/api/me/resources`;
      const accessToken = tokens["access_token"] ?? "";
      const dpop = device.signer.sign({ method: "GET", url, accessToken });
      const answer = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await resources()).text).toContain('"grantedScopes":["contracts:read"]');

    await store.clients.save({ ...command, limited: true, ceiling: ["authz:login"] }, new Date());
    const within = await resources();
    const exchange = { ...exchangeForm(tokens["refresh_token"], system.resource), client_id: "authz-cli" };
    const named = await device.token({ ...exchange, scope: "contracts:read" });
    const everything = await device.token(exchange);
    await store.clients.save({ ...command, limited: true, ceiling: ["contracts:read"] }, new Date());
    const without = await resources();
    const subjects = ["refresh_token", "id_token", "access_token"];
    const exchanged = await Promise.all(
      subjects.map((name) =>
        device.token({
          ...exchange,
          scope: "contracts:read",
          subject_token: tokens[name],
          subject_token_type: `urn:ietf:params:oauth:token-type:${name}`,
        }),
      ),
    );
    await store.clients.save(command, new Date());

    expect(within.status).toBe(200);
    expect(within.text).not.toContain('"grantedScopes":["contracts:read"]');
    expect(named.body["error"]).toBe("invalid_scope");
    expect(everything.body["error"]).toBe("invalid_scope");
    expect(without.status).toBe(403);
    expect(exchanged.map(({ body }) => body["error"])).toEqual(subjects.map(() => "invalid_grant"));
    expect((await device.token({ ...exchange, scope: "contracts:read" })).status).toBe(200);
  });
});
