import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../src/store/clients.js";
import { readForm } from "../support/browser.js";
import { allScopes, createBrowser, redirectUri, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

const webRedirect = "https://portal.acme.example/callback";
const noProof = { proofs: [] };

/** A registered client and a device that asks in its name. */
async function register(change: Partial<Client> = {}) {
  return {
    client: await RegisteredClient.register(system, change),
    device: await RawDevice.create(system.issuer),
  };
}
type Asking = Awaited<ReturnType<typeof register>>;

/** Authorizes as Ada; without DPoP when the client cannot. */
async function authorize(
  { client, device }: Asking,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const browser = createBrowser((url) => url.href.startsWith(change["redirect_uri"] ?? redirectUri));
  const url = device.authorizeUrl({ client_id: client.id, ...change });
  const consent = await signIn(browser, url, "ada");
  const { url: callback } = await browser.submit(readForm(consent), { decision: "allow" });
  return callback.searchParams.get("code") ?? "";
}

function exchange(subject: string, type: string, credentials: Record<string, string>) {
  return { ...exchangeForm(subject, system.resource, type), ...credentials };
}

async function allowBearer(allowsBearer: boolean) {
  await system.server.context.store.resources.save({ ...system.resource, allowsBearer }, new Date());
}

describe("a confidential client", () => {
  test("authenticates for the code, the refresh, the exchange and the revocation", async () => {
    const asking = await register();
    const { client, device } = asking;
    const code = await authorize(asking);
    const form = { ...device.codeParameters(code), client_id: client.id };
    expect(await device.token(form)).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    const tokens = await device.token({ ...form, ...client.credentials() });
    expect(tokens).toMatchObject({ status: 200, body: { token_type: "DPoP" } });
    const claims = decodeJwt(tokens.body["access_token"] ?? "");
    expect(claims).toMatchObject({ client_id: client.id, cnf: { jkt: device.signer.thumbprint } });

    const refresh = { grant_type: "refresh_token", refresh_token: tokens.body["refresh_token"] };
    expect(await device.token({ ...refresh, client_id: client.id })).toMatchObject({ status: 400 });
    const next = await device.token({ ...refresh, ...client.credentials() });
    expect(next.status).toBe(200);

    const subject = next.body["refresh_token"] ?? "";
    const unproven = exchange(subject, "refresh_token", { client_id: client.id });
    expect(await device.token(unproven)).toMatchObject({ status: 400 });
    const exchanged = await device.token(exchange(subject, "refresh_token", client.credentials()));
    expect(exchanged.status).toBe(200);

    const revoke = async (credentials: Record<string, string>) =>
      await device.post("/api/oauth/revoke", { token: subject, ...credentials }, noProof);
    expect(await revoke({ client_id: client.id })).toMatchObject({ status: 400 });
    const credentials = client.credentials();
    expect((await revoke(credentials)).status).toBe(200);
    expect(await revoke(credentials)).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    expect(
      (await device.token({ ...refresh, refresh_token: subject, ...client.credentials() })).body,
    ).toMatchObject({ error: "invalid_grant" });
  });

  test("of the web is named by its host on the consent page, and the answer goes there only", async () => {
    const asking = await register({ redirectUris: [webRedirect] });
    const { client, device } = asking;
    const browser = createBrowser((url) => url.href.startsWith(webRedirect));
    const url = device.authorizeUrl({ client_id: client.id, redirect_uri: webRedirect });
    const consent = await signIn(browser, url, "ada");
    expect(consent.html).toContain("The application at <strong>portal.acme.example</strong>");
    expect(consent.html).toContain("Acme portal");
    expect(consent.headers.get("content-security-policy")).toContain(
      "form-action 'self' https://portal.acme.example;",
    );
    const { url: callback } = await browser.submit(readForm(consent), { decision: "allow" });
    expect(callback.href.startsWith(`${webRedirect}?code=`)).toBe(true);
    const other = device.authorizeUrl({ client_id: client.id, redirect_uri: `${webRedirect}/../evil` });
    expect((await createBrowser().open(other)).html).toContain("This sign-in cannot start");
  });

  test("cannot use what was given to another client", async () => {
    const mine = await register();
    const other = await RegisteredClient.register(system);
    const code = await authorize(mine);
    const form = mine.device.codeParameters(code);
    expect((await mine.device.token({ ...form, ...other.credentials() })).body).toMatchObject({
      error: "invalid_grant",
    });
  });

  test("works with unmodified oauth4webapi", async () => {
    const asking = await register();
    const issuer = new URL(system.issuer);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
    expect(server.token_endpoint_auth_methods_supported).toContain("private_key_jwt");
    const self: oauth.Client = { client_id: asking.client.id };
    const key = await asking.client.signingKey();
    const DPoP = oauth.DPoP(self, await oauth.generateKeyPair("ES256"));
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const code = await authorize(asking, {
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const callback = new URL(`${redirectUri}?code=${code}&iss=${encodeURIComponent(system.issuer)}`);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      self,
      oauth.PrivateKeyJwt({ key, kid: "first" }),
      oauth.validateAuthResponse(server, self, callback, oauth.skipStateCheck),
      redirectUri,
      codeVerifier,
      { DPoP, ...insecure },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, self, response);
    expect(tokens.token_type).toBe("dpop");
  });
});

describe("a client that cannot use DPoP", () => {
  const unbound = { dpop_jkt: undefined };

  test("gets Bearer tokens, and a refresh token when it authenticates", async () => {
    const asking = await register({ dpopBound: false });
    const { client, device } = asking;
    const form = device.codeParameters(await authorize(asking, unbound));
    const tokens = await device.token({ ...form, ...client.credentials() }, noProof);
    expect(tokens).toMatchObject({ status: 200, body: { token_type: "Bearer", scope: allScopes } });
    const accessToken = tokens.body["access_token"] ?? "";
    expect(decodeJwt(accessToken)).not.toHaveProperty("cnf");
    const [row] = await system.database.query("SELECT jkt FROM grants WHERE client_id = $1", [client.id]);
    expect(row).toStrictEqual({ jkt: null });

    const userinfo = (authorization: string) =>
      fetch(`${system.issuer}/api/oauth/userinfo`, { headers: { authorization } });
    expect((await userinfo(`Bearer ${accessToken}`)).status).toBe(200);
    expect((await userinfo(`DPoP ${accessToken}`)).status).toBe(401);
    expect((await device.userinfo(accessToken)).body).toMatchObject({ error: "invalid_token" });

    const refresh = { grant_type: "refresh_token", refresh_token: tokens.body["refresh_token"] };
    const next = await device.token({ ...refresh, ...client.credentials() }, noProof);
    expect(next).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    const after = { ...refresh, refresh_token: next.body["refresh_token"] };
    expect((await device.token({ ...after, ...client.credentials() }, noProof)).status).toBe(200);
    const reused = await device.token({ ...refresh, ...client.credentials() }, noProof);
    expect(reused.body).toMatchObject({ error: "invalid_grant" });
    expect((await userinfo(`Bearer ${next.body["access_token"]}`)).status).toBe(401);
  });

  test("whose request comes a second time as it is, assertion and all, does not end the grant", async () => {
    const asking = await register({ dpopBound: false });
    const { client, device } = asking;
    const form = device.codeParameters(await authorize(asking, unbound));
    const { body } = await device.token({ ...form, ...client.credentials() }, noProof);
    const refresh = {
      grant_type: "refresh_token",
      refresh_token: body["refresh_token"],
      ...client.credentials(),
    };
    const next = await device.token(refresh, noProof);
    expect((await device.token(refresh, noProof)).body).toMatchObject({ error: "invalid_client" });
    const after = { grant_type: "refresh_token", refresh_token: next.body["refresh_token"] };
    expect((await device.token({ ...after, ...client.credentials() }, noProof)).status).toBe(200);
  });

  test("gets a refresh token when it is public, which is rotated", async () => {
    const asking = await register({ type: "public", dpopBound: false });
    const { client, device } = asking;
    const browser = createBrowser();
    const consent = await signIn(browser, device.authorizeUrl({ client_id: client.id, ...unbound }), "ada");
    expect(consent.html).toContain("offline_access");
    expect(consent.html).toContain("It has no key of its own to show");
    const { url } = await browser.submit(readForm(consent), { decision: "allow" });
    const form = { ...device.codeParameters(url.searchParams.get("code") ?? ""), client_id: client.id };
    const tokens = await device.token(form, noProof);
    expect(tokens).toMatchObject({
      status: 200,
      body: { token_type: "Bearer", scope: "openid profile email offline_access authz:login" },
    });
    const first = tokens.body["refresh_token"];
    const refresh = { grant_type: "refresh_token", client_id: client.id };
    const next = await device.token({ ...refresh, refresh_token: first }, noProof);
    expect(next).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    expect(next.body["refresh_token"]).not.toBe(first);
  });

  test("may use DPoP all the same, and is held to it", async () => {
    const asking = await register({ type: "public", dpopBound: false });
    const { client, device } = asking;
    const form = { ...device.codeParameters(await authorize(asking)), client_id: client.id };
    expect((await device.token(form, noProof)).body).toMatchObject({ error: "invalid_dpop_proof" });
    const tokens = await device.token(form);
    expect(tokens.body).toMatchObject({ token_type: "DPoP", refresh_token: expect.any(String) as string });
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.body["refresh_token"] };
    expect((await device.token({ ...refresh, client_id: client.id }, noProof)).body).toMatchObject({
      error: "invalid_dpop_proof",
    });
    expect((await device.token({ ...refresh, client_id: client.id })).status).toBe(200);
  });

  test("gets assertions only for resources that allow it", async () => {
    const asking = await register({ dpopBound: false });
    const { client, device } = asking;
    const form = device.codeParameters(await authorize(asking, unbound));
    const { body } = await device.token({ ...form, ...client.credentials() }, noProof);
    const ask = async (type: "access_token" | "refresh_token" | "id_token") =>
      await device.token(exchange(body[type] ?? "", type, client.credentials()), noProof);
    for (const type of ["access_token", "refresh_token", "id_token"] as const) {
      const { body: refused } = await ask(type);
      expect(refused["error"]).toBe("invalid_target");
      expect(refused["error_description"]).toMatch(/accepts only assertions that are bound to a key/);
      await allowBearer(true);
      const answer = await ask(type);
      await allowBearer(false);
      expect(answer.status).toBe(200);
      expect(decodeJwt(answer.body["access_token"] ?? "")).not.toHaveProperty("cnf");
    }
    expect((await system.audit("assertion.issued")).at(-1)).toMatchObject({ data: { jkt: null } });
  });

  test("that brings a proof to the exchange gets an assertion bound to that key", async () => {
    const asking = await register({ dpopBound: false });
    const { client, device } = asking;
    const form = device.codeParameters(await authorize(asking, unbound));
    const { body } = await device.token({ ...form, ...client.credentials() }, noProof);
    const subject = body["access_token"] ?? "";
    const answer = await device.token(exchange(subject, "access_token", client.credentials()));
    expect(decodeJwt(answer.body["access_token"] ?? "")).toMatchObject({
      cnf: { jkt: device.signer.thumbprint },
    });
  });
});

describe("a subject token of a grant that is bound to a key", () => {
  // Neither client must use DPoP, so only the grant can ask for its key.
  test.each([
    { type: "public", allowsBearer: true },
    { type: "public", allowsBearer: false },
    { type: "confidential", allowsBearer: true },
    { type: "confidential", allowsBearer: false },
  ] as const)(
    "needs that key for a $type client, also where the service takes Bearer tokens: $allowsBearer",
    async ({ type, allowsBearer }) => {
      const asking = await register({ type, dpopBound: false });
      const { client, device } = asking;
      const credentials = () => (type === "public" ? { client_id: client.id } : client.credentials());
      const form = device.codeParameters(await authorize(asking));
      const { body } = await device.token({ ...form, ...credentials() });
      expect(body["token_type"]).toBe("DPoP");
      await allowBearer(allowsBearer);
      const thief = await RawDevice.create(system.issuer);
      for (const name of ["id_token", "access_token", "refresh_token"]) {
        for (const audience of [system.issuer, system.resource.authorizationServer]) {
          const ask = () => ({ ...exchange(body[name] ?? "", name, credentials()), audience });
          const keyless = await device.token(ask(), noProof);
          const stolen = await thief.token(ask());
          const own = await device.token(ask());
          expect([keyless.body["error"], stolen.body["error"]]).toEqual([
            "invalid_dpop_proof",
            "invalid_grant",
          ]);
          expect(decodeJwt(own.body["access_token"] ?? "")).toMatchObject({
            cnf: { jkt: device.signer.thumbprint },
          });
        }
      }
      await allowBearer(false);
    },
  );
});

describe("a client that only asked for the identity", () => {
  test("cannot act for them: neither exchange nor /api/me", async () => {
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn({ scope: "openid profile" });
    const accessToken = tokens["access_token"] ?? "";
    const form = exchange(accessToken, "access_token", { client_id: "authz-cli" });
    expect((await device.token(form)).body).toMatchObject({ error: "invalid_grant" });
    const url = `${system.issuer}/api/me`;
    const dpop = device.signer.sign({ method: "GET", url, accessToken });
    const me = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
    expect(me.status).toBe(403);
    expect(await me.json()).toMatchObject({ error: "insufficient_scope" });
  });
});

describe("a disabled client", () => {
  test("gets nothing any more", async () => {
    const { store } = system.server.context;
    const asking = await register({ type: "public" });
    const { client, device } = asking;
    const form = { ...device.codeParameters(await authorize(asking)), client_id: client.id };
    const { body } = await device.token(form);
    const accessToken = body["access_token"] ?? "";
    const open = async (path: string) => {
      const url = `${system.issuer}${path}`;
      const dpop = device.signer.sign({ method: "GET", url, accessToken });
      const answer = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
      return [answer.status, ((await answer.json()) as Record<string, unknown>)["error"]];
    };
    const own = ["/api/oauth/userinfo", "/api/me", "/api/me/resources", "/api/me/connections"];
    expect(await Promise.all(own.map(open))).toStrictEqual(own.map(() => [200, undefined]));
    const found = await store.clients.find(client.id);
    if (found === undefined) throw new Error("The client is registered.");
    await store.clients.save({ ...found, enabled: false }, new Date());
    expect(await Promise.all(own.map(open))).toStrictEqual(own.map(() => [401, "invalid_token"]));
    const refresh = {
      grant_type: "refresh_token",
      refresh_token: body["refresh_token"],
      client_id: client.id,
    };
    expect((await device.token(refresh)).body).toMatchObject({ error: "invalid_client" });
    expect((await createBrowser().open(device.authorizeUrl({ client_id: client.id }))).html).toContain(
      "This sign-in cannot start",
    );
  });
});
