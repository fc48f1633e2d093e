import * as openid from "openid-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DevIdp,
  type DevIdpSecrets,
  developmentPeople,
  generateSecrets,
  startDevIdp,
} from "../src/index.js";
import { Browser } from "../../../reference-server/test/support/browser.js";

const redirectUri = "http://127.0.0.1:3000/sign-in/callback";
const clients = (["rotating", "reusable", "none"] as const).map((refreshTokens) => ({
  clientId: refreshTokens,
  clientSecret: "test-secret",
  redirectUris: [redirectUri],
  refreshTokens,
}));

let secrets: DevIdpSecrets;
let idp: DevIdp;
beforeAll(async () => {
  secrets = await generateSecrets();
  idp = await startDevIdp({ clients, secrets });
});
beforeEach(() => {
  idp.disturb(undefined);
  for (const person of developmentPeople) idp.setPerson(person);
});
afterAll(() => idp.close());

async function configure(clientId: string): Promise<openid.Configuration> {
  const authentication = openid.ClientSecretBasic("test-secret");
  const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
  return await openid.discovery(new URL(idp.issuer), clientId, undefined, authentication, { execute });
}

async function signIn(config: openid.Configuration, person = "ada") {
  const browser = new Browser((url) => url.origin !== idp.issuer);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid profile email groups offline_access",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const form = await browser.open(url);
  const back = await browser.submit({ action: form.url, fields: { person } });
  return await openid.authorizationCodeGrant(config, back.url, { pkceCodeVerifier, expectedState });
}

async function signedIn(clientId = "rotating") {
  const config = await configure(clientId);
  const { refresh_token: first = "" } = await signIn(config);
  return { config, first };
}

/** The error of a refresh, or the claims of the new ID token. */
async function refresh(config: openid.Configuration, token: string | undefined) {
  try {
    const tokens = await openid.refreshTokenGrant(config, token ?? "");
    return { next: tokens.refresh_token, claims: tokens.claims() };
  } catch (error) {
    return { error: error instanceof openid.ResponseBodyError ? error.error : "no answer" };
  }
}

describe("refresh tokens of the development identity provider", () => {
  test("are replaced at each use, and the old one then ends all of them", async () => {
    const { config, first } = await signedIn();
    const { next } = await refresh(config, first);
    expect(next).not.toBe(first);
    expect(await refresh(config, first)).toEqual({ error: "invalid_grant" });
    expect(await refresh(config, next)).toEqual({ error: "invalid_grant" });
  });

  test("can be used again and again for a client that wants it so", async () => {
    const { config, first } = await signedIn("reusable");
    expect(await refresh(config, first)).toMatchObject({ next: first });
    expect(await refresh(config, first)).toMatchObject({ claims: { sub: "ada", groups: ["sales"] } });
  });

  test("are not given to a client that wants none", async () => {
    expect((await signedIn("none")).first).toBe("");
  });

  test("say what is different about a person, and end when the person leaves", async () => {
    const { config, first } = await signedIn("reusable");
    idp.setPerson({ id: "ada", name: "Ada King", email: "ada@acme.example", groups: [] });
    expect(await refresh(config, first)).toMatchObject({ claims: { name: "Ada King", groups: [] } });
    idp.removePerson("ada");
    expect(await refresh(config, first)).toEqual({ error: "invalid_grant" });
  });

  test("end when they are revoked", async () => {
    const { config, first } = await signedIn("reusable");
    await openid.tokenRevocation(config, first);
    expect(await refresh(config, first)).toEqual({ error: "invalid_grant" });
  });

  test("outlive a new signing key, which is the only one published then", async () => {
    const { first } = await signedIn("reusable");
    await idp.rotateKey();
    expect(await refresh(await configure("reusable"), first)).toMatchObject({ claims: { sub: "ada" } });
  });
});

describe("a disturbed token endpoint", () => {
  test("refuses with an error of the test's choice, and does nothing", async () => {
    const { config, first } = await signedIn();
    idp.disturb({ kind: "refuse", error: "invalid_client", status: 401 });
    expect(await refresh(config, first)).toEqual({ error: "invalid_client" });
    idp.disturb(undefined);
    expect(await refresh(config, first)).toMatchObject({ claims: { sub: "ada" } });
  });

  test("loses the answer after the token was replaced", async () => {
    const { config, first } = await signedIn();
    idp.disturb({ kind: "lose" });
    expect(await refresh(config, first)).toEqual({ error: "no answer" });
    idp.disturb(undefined);
    expect(await refresh(config, first)).toEqual({ error: "invalid_grant" });
  });

  test("answers late, when the disturbance ends", async () => {
    const { config, first } = await signedIn();
    const before = idp.tokenRequests();
    idp.disturb({ kind: "delay" });
    const answer = refresh(config, first);
    await expect.poll(() => idp.tokenRequests()).toBe(before + 1);
    idp.disturb(undefined);
    expect(await answer).toMatchObject({ claims: { sub: "ada" } });
  });

  test("answers about another person", async () => {
    const { config, first } = await signedIn();
    idp.disturb({ kind: "lie", as: "bruno" });
    expect(await refresh(config, first)).toMatchObject({ claims: { sub: "bruno" } });
  });

  test("hangs", async () => {
    const { config, first } = await signedIn();
    idp.disturb({ kind: "hang" });
    config.timeout = 1;
    expect(await refresh(config, first)).toEqual({ error: "no answer" });
  });
});
