import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, readForm } from "../../support/browser.js";
import { type ClientPublisher, startClientPublisher } from "../../support/client-publisher.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let publisher: ClientPublisher;
let device: RawDevice;
let second: string;
const noProof = { proofs: [] };
const redirectUri = "http://localhost:53211/callback";

beforeAll(async () => {
  system = await startOauthServer();
  publisher = await startClientPublisher();
  device = await RawDevice.create(system.issuer);
  second = await system.startSecondInstance();
  await system.server.context.store.resources.save({ ...system.resource, allowsBearer: true }, new Date());
  await decide(true);
});
afterAll(async () => {
  await system.close();
  await publisher.close();
});

const decide = (allowed: boolean) =>
  system.server.context.store.transaction(async (tx) => {
    await tx.appHosts.save({ host: publisher.host, name: "Notes", allowed }, new Date());
    await tx.clients.judgeTrust(new Date());
  });

type Changes = Readonly<Record<string, string | undefined>>;

const request = (clientId: string, changes: Changes = {}) =>
  device.authorizeUrl({
    client_id: clientId,
    redirect_uri: redirectUri,
    resource: system.resource.resource,
    scope: "contracts:read",
    dpop_jkt: undefined,
    ...changes,
  });

async function allow(clientId: string, changes: Changes = {}, browser: Browser = createBrowser()) {
  const consent = await signIn(browser, request(clientId, changes), "ada");
  const { url } = await browser.submit(readForm(consent), { decision: "allow" });
  return { consent, url, code: url.searchParams.get("code") ?? "" };
}

const codeForm = (clientId: string, code: string) => ({
  ...device.codeParameters(code),
  client_id: clientId,
  redirect_uri: redirectUri,
});

test("an app with a document, on a port of this computer, gets a token for a service and keeps it fresh in any process", async () => {
  const path = "/apps/notes.json";
  const clientId = publisher.publishClient(path, {}, { "cache-control": "max-age=86400" });
  const { consent, url, code } = await allow(clientId);
  expect(consent.html).toContain("Field Notes");
  expect(consent.html).toContain(publisher.host);
  expect(consent.html).not.toContain("notes.example");
  expect(url.href.startsWith(`${redirectUri}?`)).toBe(true);
  expect(url.searchParams.get("iss")).toBe(system.issuer);

  const first = await device.token(codeForm(clientId, code), noProof);
  expect(first).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
  expect(decodeJwt(first.body["access_token"] ?? "")).toMatchObject({
    aud: system.resource.resource,
    client_id: clientId,
    act: { sub: clientId },
  });
  const refreshForm = (token: string | undefined) => ({
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: token,
  });
  const next = await device.token(refreshForm(first.body["refresh_token"]), { ...noProof, origin: second });
  expect(next.status).toBe(200);
  expect(publisher.requests(path)).toHaveLength(1);

  await decide(false);
  const stopped = await device.token(refreshForm(next.body["refresh_token"]), { ...noProof, origin: second });
  expect(stopped.body["error"]).toBe("invalid_client");
  await decide(true);
  expect((await device.token(refreshForm(next.body["refresh_token"]), noProof)).status).toBe(200);
});

describe("an app with keys", () => {
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

  test("proves who it is with the one in its document, and with no other", async () => {
    const [good, other] = [await generateEs256KeyPair(), await generateEs256KeyPair()];
    const redirects = { redirect_uris: ["http://127.0.0.1/callback"] };
    const clientId = publisher.publishClient("/apps/keys.json", {
      ...redirects,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [{ ...good.publicJwk, kid: "one", alg: "ES256", use: "sig" }] },
    });
    const sign = ({ privateJwk }: typeof good) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: clientId, sub: clientId, aud: system.issuer, jti: randomUUID() };
      const key = importPrivateJwk(privateJwk);
      return signCompactJws(
        { typ: "client-authentication+jwt", kid: "one" },
        { ...claims, iat: now, exp: now + 60 },
        key,
      );
    };
    const here = { redirect_uri: "http://127.0.0.1:53211/callback" };
    const { code } = await allow(clientId, here);
    const form = { ...codeForm(clientId, code), ...here, client_assertion_type: type };
    const wrong = await device.token({ ...form, client_assertion: sign(other) }, noProof);
    expect(wrong.body["error"]).toBe("invalid_client");
    expect((await device.token({ ...codeForm(clientId, code), ...here }, noProof)).body["error"]).toBe(
      "invalid_client",
    );
    expect((await device.token({ ...form, client_assertion: sign(good) }, noProof)).status).toBe(200);
  });
});

test("a document with other redirects asks for consent again", async () => {
  const path = "/apps/web.json";
  const web = "https://notes.example/callback";
  const clientId = publisher.publishClient(path, { redirect_uris: [web] });
  const browser = createBrowser();
  const { code } = await allow(clientId, { redirect_uri: web }, browser);
  const token = await device.token({ ...codeForm(clientId, code), redirect_uri: web }, noProof);
  expect(token.status).toBe(200);
  const remembered = await browser.open(request(clientId, { redirect_uri: web }));
  expect(remembered.url.host).toBe("notes.example");
  publisher.publishClient(path, { redirect_uris: [web, "https://notes.example/other"] });
  await system.database.query("UPDATE client_documents SET fresh_until = now() - interval '1 day'");
  const asked = await browser.open(request(clientId, { redirect_uri: web }));
  expect(asked.url.pathname).toBe("/oauth/consent");
});
