import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { type DevIdp, developmentPeople, startDevIdp } from "@authz/dev-idp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, readForm } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";

let system: OauthServer;
let partner: DevIdp;
let evil: string;
/** What the provider that means no good was sent. */
const stolen: string[] = [];
const evilServer = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => (body += part));
  request.on("end", () => {
    if (request.method === "POST") stolen.push(body);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        issuer: evil,
        authorization_endpoint: `${evil}/authorize`,
        token_endpoint: `${evil}/token`,
        jwks_uri: `${evil}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    evilServer.listen(0, "127.0.0.1", resolve);
  });
  const address = evilServer.address();
  evil = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  system = await startOauthServer();
  const redirectUris = [callback("partner")];
  partner = await startDevIdp({
    people: developmentPeople,
    clients: [{ clientId: "authz", clientSecret: "secret", redirectUris }],
  });
  await register("partner", partner.issuer);
  await register("evil", evil);
});
afterAll(async () => {
  await system.close();
  await partner.close();
  evilServer.close();
});

const callback = (key: string) => `${system.issuer}/sign-in/callback/${key}`;
const start = (key: string) => `${system.issuer}/sign-in/start?provider=${key}`;

async function register(key: string, issuer: string): Promise<void> {
  const { store, credentials } = system.server.context;
  const acme = await store.identityProviders.findByKey("acme");
  if (acme === undefined) throw new Error("The provider is missing.");
  const id = randomUUID();
  const clientSecret = await credentials.seal("secret", `identity_providers/${id}`);
  await store.identityProviders.save({ ...acme, id, key, issuer, clientSecret }, new Date());
}

/** Begins a sign-in at the provider that means no good, which sends the browser on to another one. */
async function beginMixedUp(browser: Browser, target: { idp: string; redirectUri: string }): Promise<URL> {
  const { url } = await browser.open(start("evil"));
  const sentOn = new URL(`${target.idp}/auth`);
  sentOn.search = url.search;
  sentOn.searchParams.set("redirect_uri", target.redirectUri);
  const consent = await browser.open(sentOn);
  const back = await browser.submit(readForm(consent), { person: "ada" });
  return back.url;
}

const impatient = () =>
  createBrowser(({ origin, pathname }) => origin === evil || pathname.startsWith("/sign-in/callback"));

/** Opens an address with the cookies of a browser that stopped before it. */
async function goOn(browser: Browser, url: URL) {
  const patient = createBrowser();
  for (const [name, value] of browser.cookies) patient.cookies.set(name, value);
  return await patient.open(url);
}

describe("the answer of one provider to the attempt of another", () => {
  test.each([
    { name: "which has the plain callback", idp: () => system.idp.issuer, path: "/sign-in/callback" },
    { name: "which has its own", idp: () => partner.issuer, path: "/sign-in/callback/partner" },
  ])("is refused, and its code goes nowhere: of a provider $name", async ({ idp, path }) => {
    const browser = impatient();
    const redirectUri = `${system.issuer}${path}`;
    const answer = await beginMixedUp(browser, { idp: idp(), redirectUri });
    expect(answer.pathname).toBe(path);
    expect(answer.searchParams.get("code")).toMatch(/\S{20,}/);
    // Many providers do not say who they are (RFC 9207).
    answer.searchParams.delete("iss");
    const page = await goOn(browser, answer);
    expect(page.status).toBe(403);
    expect(page.html).toContain("cannot be trusted");
    expect(stolen).toStrictEqual([]);
    expect((await system.audit("sign_in.refused")).at(-1)).toMatchObject({
      data: { provider: "evil", reason: "invalid_response" },
    });
  });
});

describe("each provider", () => {
  test.each([
    { key: "acme", path: "/sign-in/callback" },
    { key: "partner", path: "/sign-in/callback/partner" },
  ])("signs people in at its callback: $key", async ({ key, path }) => {
    const browser = createBrowser();
    const before = impatient();
    const asked = await before.open(start(key));
    expect(asked.status).toBe(200);
    const back = await before.submit(readForm(asked), { person: "ada" });
    expect(back.url.pathname).toBe(path);
    const home = await signIn(browser, start(key), "ada");
    expect(home.html).toContain("Ada Lovelace");
  });

  test("after the first has a callback of its own, and keeps it", async () => {
    const { store } = system.server.context;
    const rows = () => system.database.query("SELECT key, own_callback FROM identity_providers ORDER BY key");
    const expected = [
      { key: "acme", own_callback: false },
      { key: "evil", own_callback: true },
      { key: "partner", own_callback: true },
    ];
    expect(await rows()).toStrictEqual(expected);
    const found = await store.identityProviders.findByKey("partner");
    if (found === undefined) throw new Error("The provider is missing.");
    await store.identityProviders.save({ ...found, name: "Partner", ownCallback: false }, new Date());
    expect(await rows()).toStrictEqual(expected);
  });
});
