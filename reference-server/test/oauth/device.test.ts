import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, readForm, type Visit } from "../support/browser.js";
import { allScopes, createBrowser, Device, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice, type TokenCall } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let otherOrigin: string;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "user-code.address=10000,user-code.person=10000" });
  device = await RawDevice.create(system.issuer);
  otherOrigin = await system.startSecondInstance();
});
afterAll(() => system.close());

const path = "/api/oauth/device_authorization";
const grantType = "urn:ietf:params:oauth:grant-type:device_code";

async function begin(change: Readonly<Record<string, string | undefined>> = {}, call: TokenCall = {}) {
  return await device.post(path, { client_id: "authz-cli", scope: allScopes, ...change }, call);
}

async function poll(deviceCode: string | undefined, call: TokenCall = {}) {
  const form = { grant_type: grantType, client_id: "authz-cli", device_code: deviceCode };
  return await device.token(form, call);
}

/** Opens the page with the code filled in, and continues to the consent page. */
async function typeCode(address: string | undefined, person: string, browser: Browser = createBrowser()) {
  const page = await signIn(browser, address ?? "", person);
  return { browser, consent: await browser.submit(readForm(page), { user_code: codeOn(page) }) };
}

function codeOn({ html }: Visit): string {
  return /name="user_code" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

async function answer(
  begun: Readonly<Record<string, string>>,
  decision: "allow" | "deny",
  person = "ada",
): Promise<Visit> {
  const { browser, consent } = await typeCode(begun["verification_uri_complete"], person);
  return await browser.submit(readForm(consent), { decision });
}

describe("a device without a browser", () => {
  test("gets a code to show, an address, and how often to ask", async () => {
    const begun = await begin();
    expect(begun.status).toBe(200);
    expect(begun.headers.get("cache-control")).toBe("no-store");
    expect(begun.body).toStrictEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/) as string,
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/) as string,
      verification_uri: `${system.issuer}/device`,
      verification_uri_complete: `${system.issuer}/device?user_code=${begun.body["user_code"]}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test("waits, and logs in once its person has allowed it, with the key it began with", async () => {
    const { body } = await begin();
    expect(await poll(body["device_code"])).toMatchObject({
      status: 400,
      body: { error: "authorization_pending" },
    });
    const end = await answer(body, "allow");
    expect(end.status).toBe(200);
    expect(end.html).toContain("Your device is connected");
    const tokens = await poll(body["device_code"]);
    expect(tokens.status).toBe(200);
    expect(tokens.body).toMatchObject({ token_type: "DPoP", scope: allScopes });
    expect(decodeJwt(tokens.body["access_token"] ?? "")).toMatchObject({
      cnf: { jkt: device.signer.thumbprint },
    });
    expect((await device.userinfo(tokens.body["access_token"] ?? "")).body).toMatchObject({
      email: "ada@acme.example",
    });
    expect((await device.refresh(tokens.body["refresh_token"] ?? "")).status).toBe(200);
    expect((await system.audit()).slice(-3).map(({ type }) => type)).toStrictEqual([
      "consent.given",
      "token.issued",
      "token.issued",
    ]);
    expect((await system.audit("token.issued")).at(-2)).toMatchObject({ data: { grantType } });
  });

  test("logs in with unmodified oauth4webapi, bound by dpop_jkt", async () => {
    const unmodified = await Device.create(system.issuer);
    const { server, client: client_, dpop } = unmodified;
    const insecure = { [oauth.allowInsecureRequests]: true };
    const parameters = { scope: allScopes, dpop_jkt: await dpop.calculateThumbprint() };
    const begun = await oauth.processDeviceAuthorizationResponse(
      server,
      client_,
      await oauth.deviceAuthorizationRequest(server, client_, oauth.None(), parameters, insecure),
    );
    const { browser, consent } = await typeCode(begun.verification_uri_complete, "ada");
    await browser.submit(readForm(consent), { decision: "allow" });
    const response = await oauth.deviceCodeGrantRequest(server, client_, oauth.None(), begun.device_code, {
      DPoP: dpop,
      ...insecure,
    });
    expect(await oauth.processDeviceCodeResponse(server, client_, response)).toMatchObject({
      token_type: "dpop",
      id_token: expect.any(String) as string,
    });
  });

  test("logs in with unmodified openid-client, which polls by itself", async () => {
    const configuration = await client.discovery(
      new URL(system.issuer),
      "authz-cli",
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    );
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
    const begun = await client.initiateDeviceAuthorization(configuration, {
      scope: allScopes,
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const { browser, consent } = await typeCode(begun.verification_uri_complete, "ada");
    await browser.submit(readForm(consent), { decision: "allow" });
    const asked = { ...begun, interval: 0.01 };
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, asked, undefined, { DPoP });
    expect(tokens.claims()?.sub).toBeTypeOf("string");
  });

  test("of a confidential client authenticates at both endpoints", async () => {
    const portal = await RegisteredClient.register(system);
    const begun = await begin({ ...portal.credentials() });
    expect(begun.status).toBe(200);
    await answer(begun.body, "allow");
    const form = { grant_type: grantType, device_code: begun.body["device_code"] };
    expect(await device.token({ ...form, client_id: portal.id })).toMatchObject({ status: 400 });
    expect((await device.token({ ...form, ...portal.credentials() })).status).toBe(200);
  });
});

describe("beginning is refused", () => {
  const refusals: readonly {
    name: string;
    change?: Record<string, string | undefined>;
    call?: TokenCall | (() => TokenCall);
    status?: number;
    error: string;
  }[] = [
    { name: "without a client", change: { client_id: undefined }, error: "invalid_client" },
    { name: "for an unknown client", change: { client_id: "nobody" }, error: "invalid_client" },
    { name: "with an unknown scope", change: { scope: "contracts:read" }, error: "invalid_scope" },
    {
      name: "with a malformed dpop_jkt",
      change: { dpop_jkt: "x" },
      call: { proofs: [] },
      error: "invalid_request",
    },
    { name: "with the key of another proof", change: { dpop_jkt: "x".repeat(43) }, error: "invalid_request" },
    {
      name: "with a proof for another endpoint",
      call: () => ({ proofs: [device.proof()] }),
      error: "invalid_dpop_proof",
    },
    {
      name: "with JSON",
      call: { headers: { "content-type": "application/json" }, body: "{}" },
      error: "invalid_request",
    },
  ];
  test.each(refusals)("$name: $error", async ({ change, call = {}, status = 400, error }) => {
    const refused = await begin(change, typeof call === "function" ? call() : call);
    expect(refused).toMatchObject({ status, body: { error } });
  });

  test("with a proof that was used before", async () => {
    const proofs = [device.proof(path)];
    expect((await begin({}, { proofs })).status).toBe(200);
    expect((await begin({}, { proofs })).body).toMatchObject({ error: "invalid_dpop_proof" });
  });
});

describe("asking for the tokens", () => {
  test("too early is slow_down, and the device has to wait five seconds longer", async () => {
    const { body } = await begin();
    const ask = async (seconds: number) => {
      system.advance(seconds);
      const later = device.at(() => Date.now() + elapsed(seconds));
      return (await poll(body["device_code"], { proofs: [later.proof()] })).body["error"];
    };
    let total = 0;
    const elapsed = (seconds: number) => (total += seconds) * 1000;
    expect(await ask(0)).toBe("authorization_pending");
    expect(await ask(2)).toBe("slow_down");
    expect(await ask(6)).toBe("slow_down");
    expect(await ask(15)).toBe("authorization_pending");
    expect(await ask(15)).toBe("authorization_pending");
    system.advance(-total);
  });

  test("after ten minutes is expired_token, and the code on the page is unknown", async () => {
    const { body } = await begin();
    system.advance(601);
    const later = device.at(() => Date.now() + 601_000);
    const late = await poll(body["device_code"], { proofs: [later.proof()] });
    const { consent } = await typeCode(body["verification_uri_complete"], "ada");
    system.advance(-601);
    expect(late).toMatchObject({ status: 400, body: { error: "expired_token" } });
    expect(consent.html).toContain("No device is waiting for this code");
  });

  test("after a denial is access_denied", async () => {
    const { body } = await begin();
    const end = await answer(body, "deny");
    expect(end.html).toContain("The device is not connected");
    expect(await poll(body["device_code"])).toMatchObject({ status: 400, body: { error: "access_denied" } });
    expect((await system.audit()).slice(-2).map(({ type }) => type)).toStrictEqual([
      "consent.refused",
      "token.refused",
    ]);
  });

  test("for a user without the permission is access_denied, and the page names whom to ask", async () => {
    const { body } = await begin();
    const { consent } = await typeCode(body["verification_uri_complete"], "bruno");
    expect(consent.status).toBe(403);
    expect(consent.html).toMatch(/authz:login.*administrator of Acme/s);
    expect((await poll(body["device_code"])).body).toMatchObject({ error: "access_denied" });
  });

  test.each([
    ["an unknown code", "invalid_grant", { device_code: "x".repeat(43) }],
    ["no code", "invalid_request", { device_code: undefined }],
    ["the user code", "invalid_grant", { device_code: "WDJB-MJHT" }],
    ["an unknown client", "invalid_client", { client_id: "nobody" }],
  ])("with %s is %s", async (_name, error, change) => {
    const { body } = await begin();
    const form = { grant_type: grantType, client_id: "authz-cli", device_code: body["device_code"] };
    expect((await device.token({ ...form, ...change })).body).toMatchObject({ error });
  });

  test("with another key is invalid_grant, and the device still gets its tokens", async () => {
    const { body } = await begin();
    await answer(body, "allow");
    const thief = await RawDevice.create(system.issuer);
    const stolen = await poll(body["device_code"], { proofs: [thief.proof()] });
    expect(stolen.body).toMatchObject({ error: "invalid_grant" });
    expect((await poll(body["device_code"], { proofs: [] })).body).toMatchObject({
      error: "invalid_dpop_proof",
    });
    expect((await poll(body["device_code"])).status).toBe(200);
  });

  test("as another client is invalid_grant", async () => {
    const { id } = await RegisteredClient.register(system, { type: "public" });
    const { body } = await begin();
    const form = { grant_type: grantType, client_id: id, device_code: body["device_code"] };
    expect((await device.token(form)).body).toMatchObject({ error: "invalid_grant" });
  });

  test("twice gives tokens once, and ends nothing", async () => {
    const { body } = await begin();
    await answer(body, "allow");
    const first = await poll(body["device_code"]);
    expect((await poll(body["device_code"])).body).toMatchObject({ error: "invalid_grant" });
    expect((await device.refresh(first.body["refresh_token"] ?? "")).status).toBe(200);
  });

  test("many times at once on two instances gives tokens once", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { body } = await begin();
      await answer(body, "allow");
      const origins = [system.issuer, otherOrigin];
      const asked = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          poll(body["device_code"], { origin: origins[index % 2] ?? "" }),
        ),
      );
      expect(asked.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(asked.filter((one) => one.body["error"] === "invalid_grant")).toHaveLength(5);
      const winner = asked.find(({ status }) => status === 200);
      expect((await device.refresh(winner?.body["refresh_token"] ?? "")).status).toBe(200);
    }
  });
});

describe("the page where the code is typed", () => {
  test("asks for the sign-in first, and keeps the code on the way", async () => {
    const { body } = await begin();
    const page = await signIn(createBrowser(), body["verification_uri_complete"] ?? "", "ada");
    expect(page.url.pathname).toBe("/device");
    expect(codeOn(page)).toBe(body["user_code"]);
    expect(page.html).toContain("Ada Lovelace");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self';");
  });

  test("takes a code as people type it, and asks the same question as for a browser", async () => {
    const { body } = await begin();
    const browser = createBrowser();
    const page = await signIn(browser, body["verification_uri"] ?? "", "ada");
    expect(codeOn(page)).toBe("");
    const typed = ` ${body["user_code"]?.toLowerCase().replace("-", " ")} `;
    const consent = await browser.submit(readForm(page), { user_code: typed });
    expect(consent.url.pathname).toBe("/oauth/consent");
    const { thumbprint } = device.signer;
    expect(consent.html).toContain(`${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`);
    expect(consent.html).toContain("another device");
    // The place of request: where and when the device asked.
    expect(consent.html).toMatch(/<dt>Asked from<\/dt><dd><code>127\.0\.0\.1<\/code>/);
    expect(consent.html).toMatch(/<dt>Asked at<\/dt><dd>\d+ \w+ \d{4}, \d\d:\d\d UTC/);
    expect(consent.html).toContain("<code>authz:login</code>");
    expect(consent.headers.get("content-security-policy")).toContain("form-action 'self';");
  });

  test.each(["BCDF-GHJK", "nonsense", "", "\0", "<b>"])("says what is wrong with %j", async (typed) => {
    const browser = createBrowser();
    const page = await signIn(browser, `${system.issuer}/device`, "ada");
    const again = await browser.submit(readForm(page), { user_code: typed });
    expect(again.status).toBe(typed === "\0" ? 403 : 400);
    expect(again.url.pathname).toBe("/device");
    expect(again.html).not.toContain("<b>");
  });

  test.each([
    { name: "no token", change: { csrf: "" }, headers: {} },
    { name: "another origin", change: {}, headers: { origin: "https://evil.example" } },
    { name: "a cross-site post", change: {}, headers: { "sec-fetch-site": "cross-site" } },
  ])("does not take a code with $name", async ({ change, headers }) => {
    const { body } = await begin();
    const browser = createBrowser();
    const page = await signIn(browser, body["verification_uri_complete"] ?? "", "ada");
    const posted = { user_code: body["user_code"] ?? "", ...change };
    const visit = await browser.submit(readForm(page), posted, headers);
    expect([visit.status, visit.url.pathname]).toStrictEqual([403, "/device"]);
  });

  test("opens by its own link only", async () => {
    const browser = createBrowser();
    const link = `${system.issuer}/sign-in?return_to=${encodeURIComponent("https://evil.example/device")}`;
    const page = await signIn(browser, link, "ada");
    expect(page.url.href).toBe(`${system.issuer}/`);
  });

  test("gives the device to the first person who answers", async () => {
    const { body } = await begin();
    const one = await typeCode(body["verification_uri_complete"], "ada");
    const two = await typeCode(body["verification_uri_complete"], "fred");
    const ends = await Promise.all(
      [one, two].map(({ browser, consent }) => browser.submit(readForm(consent), { decision: "allow" })),
    );
    expect(ends.filter(({ html }) => html.includes("Your device is connected"))).toHaveLength(1);
    expect(ends.filter(({ html }) => html.includes("This request is no longer valid"))).toHaveLength(1);
  });

  test("neither code is in the database, the log or the audit trail", async () => {
    const { body } = await begin();
    await answer(body, "allow");
    const rows = await system.database.query("SELECT d::text FROM device_authorizations d");
    const everything = JSON.stringify([rows, await system.audit(), system.log]);
    for (const secret of [body["device_code"] ?? "", body["user_code"] ?? ""]) {
      expect(secret).not.toBe("");
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });
});

test("a person can try ten codes in a minute, in however many browsers", async () => {
  const strict = await startOauthServer();
  // Counts fade over a minute, so the attempts begin with one.
  strict.advance(60 - ((Date.now() / 1000) % 60));
  try {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const browser = createBrowser();
      const page = await signIn(browser, `${strict.issuer}/device`, "ada");
      statuses.push((await browser.submit(readForm(page), { user_code: "BCDF-GHJK" })).status);
    }
    expect(statuses).toStrictEqual([...Array.from({ length: 10 }, () => 400), 429, 429]);
  } finally {
    await strict.close();
  }
});
