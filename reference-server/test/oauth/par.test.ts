import { randomBytes } from "node:crypto";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readForm, type Visit } from "../support/browser.js";
import { allScopes, createBrowser, Device, redirectUri, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice, type TokenCall } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const path = "/api/oauth/par";
const insecure = { [oauth.allowInsecureRequests]: true };

type Change = Readonly<Record<string, string | undefined>>;

/** The parameters of an authorization request, as they would stand in the address. */
function parameters(change: Change = {}): Record<string, string> {
  return Object.fromEntries(device.authorizeUrl(change).searchParams);
}

/** Pushes a request without a proof, unless the call brings one. */
async function push(change: Change = {}, call: TokenCall = { proofs: [] }) {
  return await device.post(path, parameters(change), call);
}

function authorizeUrl(requestUri: string | undefined, change: Record<string, string> = {}): URL {
  const url = new URL(`${system.issuer}/api/oauth/authorize`);
  url.search = new URLSearchParams({
    client_id: "authz-cli",
    request_uri: requestUri ?? "",
    ...change,
  }).toString();
  return url;
}

describe("a pushed request", () => {
  test("is answered with a request_uri for sixty seconds, and becomes a grant", async () => {
    const pushed = await push();
    expect(pushed.status).toBe(201);
    expect(pushed.headers.get("cache-control")).toBe("no-store");
    expect(pushed.body).toStrictEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/) as string,
      expires_in: 60,
    });
    const browser = createBrowser();
    const consent = await signIn(browser, authorizeUrl(pushed.body["request_uri"]), "ada");
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    expect(url.searchParams.get("state")).toBe("client-state");
    const answer = await device.token(device.codeParameters(url.searchParams.get("code") ?? ""));
    expect(answer.status).toBe(200);
  });

  test("works with unmodified oauth4webapi, bound by a DPoP header alone", async () => {
    const unmodified = await Device.create(system.issuer);
    const { server, client: client_, dpop } = unmodified;
    const parametersOf = (await unmodified.authorizeUrl({ dpop_jkt: undefined })).searchParams;
    const response = await oauth.pushedAuthorizationRequest(server, client_, oauth.None(), parametersOf, {
      DPoP: dpop,
      ...insecure,
    });
    const { request_uri } = await oauth.processPushedAuthorizationResponse(server, client_, response);
    const browser = createBrowser();
    const consent = await signIn(browser, authorizeUrl(request_uri), "ada");
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    expect(await unmodified.redeem(url)).toMatchObject({ token_type: "dpop" });
  });

  test("works with unmodified openid-client", async () => {
    const configuration = await client.discovery(
      new URL(system.issuer),
      "authz-cli",
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    );
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const url = await client.buildAuthorizationUrlWithPAR(
      configuration,
      {
        redirect_uri: redirectUri,
        scope: allScopes,
        state: "s",
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      },
      { DPoP },
    );
    expect([...url.searchParams.keys()].sort()).toStrictEqual(["client_id", "request_uri"]);
    const browser = createBrowser();
    const callback = await browser.submit(readForm(await signIn(browser, url, "ada")), { decision: "allow" });
    const checks = { pkceCodeVerifier, expectedState: "s" };
    const tokens = await client.authorizationCodeGrant(configuration, callback.url, checks, undefined, {
      DPoP,
    });
    expect(tokens.claims()?.sub).toBeTypeOf("string");
  });

  test("of a confidential client needs its assertion, for which the endpoint's own address is an audience", async () => {
    const portal = await RegisteredClient.register(system);
    const change = { client_id: portal.id };
    expect(await push(change)).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    const credentials = portal.credentials({ claims: { aud: `${system.issuer}${path}` } });
    const form = { ...parameters(change), ...credentials };
    const pushed = await device.post(path, form, { proofs: [] });
    expect(pushed.status).toBe(201);
    const again = await device.post(path, form, { proofs: [] });
    expect(again).toMatchObject({ status: 400, body: { error: "invalid_client" } });
  });

  test("counts instead of what stands beside it in the address", async () => {
    const { body } = await push({ scope: "openid authz:login" });
    const browser = createBrowser();
    const url = authorizeUrl(body["request_uri"], { scope: allScopes, redirect_uri: "https://evil.example" });
    const consent = await signIn(browser, url, "ada");
    expect(consent.html).not.toContain("<code>offline_access</code>");
    const { url: callback } = await browser.submit(readForm(consent), { decision: "deny" });
    expect(callback.href.startsWith(redirectUri)).toBe(true);
  });

  test("with prompt=none is answered at the redirect URI", async () => {
    const { body } = await push({ prompt: "none" });
    const { url } = await createBrowser().open(authorizeUrl(body["request_uri"]));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "login_required",
      state: "client-state",
      iss: system.issuer,
    });
  });
});

describe("a request_uri", () => {
  const refusal = () =>
    expect.objectContaining({
      status: 400,
      url: expect.objectContaining({ origin: system.issuer }) as URL,
      html: expect.stringContaining("This sign-in cannot start") as string,
    }) as Visit;
  const open = (url: URL) => createBrowser().open(url);

  test("is good once, also for two browsers at the same moment", async () => {
    const { body } = await push();
    const url = authorizeUrl(body["request_uri"]);
    const visits = await Promise.all([0, 1, 2].map(() => createBrowser().open(url)));
    expect(visits.filter(({ url: { pathname } }) => pathname.startsWith("/interaction/"))).toHaveLength(1);
    expect(visits.filter(({ html }) => html.includes("This sign-in cannot start"))).toHaveLength(2);
    expect(await open(url)).toEqual(refusal());
  });

  test("is good for sixty seconds, and then the person has the usual ten minutes", async () => {
    const early = await push();
    const late = await push();
    const browser = createBrowser();
    const consent = await signIn(browser, authorizeUrl(early.body["request_uri"]), "ada");
    system.advance(61);
    expect(await open(authorizeUrl(late.body["request_uri"]))).toEqual(refusal());
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    system.advance(-61);
    expect(url.searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  });

  test("belongs to its client", async () => {
    const { id } = await RegisteredClient.register(system, { type: "public" });
    const { body } = await push();
    expect(await open(authorizeUrl(body["request_uri"], { client_id: id }))).toEqual(refusal());
    const visit = await createBrowser().open(authorizeUrl(body["request_uri"]));
    expect(visit.url.pathname).toMatch(/^\/interaction\//);
  });

  test("that was never issued is refused", async () => {
    const invented = `urn:ietf:params:oauth:request_uri:${randomBytes(32).toString("base64url")}`;
    expect(await open(authorizeUrl(invented))).toEqual(refusal());
  });

  test("is not in the database", async () => {
    const { body } = await push();
    const secret = body["request_uri"]?.split(":").at(-1) ?? "";
    const rows = await system.database.query("SELECT r::text FROM authorization_requests r");
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString("hex"));
  });
});

describe("pushing is refused", () => {
  const refusals: readonly (readonly [name: string, error: string, change: Change])[] = [
    ["without a client", "invalid_client", { client_id: undefined }],
    ["for an unknown client", "invalid_client", { client_id: "nobody" }],
    ["with an unregistered redirect URI", "invalid_request", { redirect_uri: "https://evil.example" }],
    ["without a redirect URI", "invalid_request", { redirect_uri: undefined }],
    ["with another request_uri", "invalid_request", { request_uri: "urn:x" }],
    ["with a request object", "request_not_supported", { request: "e30." }],
    ["with another response type", "unsupported_response_type", { response_type: "token" }],
    ["with an unknown scope", "invalid_scope", { scope: "contracts:read" }],
    ["with a plain challenge", "invalid_request", { code_challenge_method: "plain" }],
    ["with a dpop_jkt that is none", "invalid_request", { dpop_jkt: "x" }],
    ["with a client secret", "invalid_client", { client_secret: "s" }],
  ];
  test.each(refusals)("%s: %s", async (_name, error, change) => {
    const answer = await push(change);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error, error_description: expect.any(String) as string });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("with a proof of another key than dpop_jkt", async () => {
    const other = await RawDevice.create(system.issuer);
    const answer = await push({ dpop_jkt: other.signer.thumbprint }, {});
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test.each([
    { name: "for another address", proofs: () => [device.proof()] },
    { name: "that is none", proofs: () => ["nonsense"] },
    { name: "given twice", proofs: () => [device.proof(path), device.proof(path)] },
  ])("with a proof $name", async ({ proofs }) => {
    const answer = await push({}, { proofs: proofs() });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
  });

  test("with a proof that was used before", async () => {
    const proofs = [device.proof(path)];
    expect((await push({}, { proofs })).status).toBe(201);
    expect(await push({}, { proofs })).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
  });

  test("to a machine client", async () => {
    const machine = await RegisteredClient.register(system, { type: "machine" });
    const form = { ...parameters(), ...machine.credentials() };
    const answer = await device.post(path, form, { proofs: [] });
    expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
  });

  test("with any method but POST", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await fetch(`${system.issuer}${path}`, { method });
      expect([answer.status, answer.headers.get("allow")]).toStrictEqual([405, "POST"]);
    }
  });

  test("with more than 64 KiB", async () => {
    const answer = await push({}, { proofs: [], body: `a=${"x".repeat(65 * 1024)}` });
    expect(answer.status).toBe(413);
  });
});
