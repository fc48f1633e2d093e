import { afterAll, beforeAll, expect, test } from "vitest";
import { readForm } from "../../support/browser.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Answer, RawDevice } from "../../support/raw-device.js";
import { RegisteredClient } from "../../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "token.client=3" });
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const perMinute = 3;
const noProof = { proofs: [] };

function registerKeyless(): Promise<RegisteredClient> {
  return RegisteredClient.register(system, { type: "public", dpopBound: false });
}

function redeem(client: RegisteredClient, code: string): Promise<Answer> {
  return device.token({ ...device.codeParameters(code), client_id: client.id }, noProof);
}

async function obtainTokens(client: RegisteredClient, person: string): Promise<Answer> {
  const browser = createBrowser();
  const url = device.authorizeUrl({ client_id: client.id, dpop_jkt: undefined, scope: "openid authz:login" });
  const consent = await signIn(browser, url, person);
  const { url: callback } = await browser.submit(readForm(consent), { decision: "allow" });
  return await redeem(client, callback.searchParams.get("code") ?? "");
}

async function inTurn<T>(count: number, once: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) results.push(await once());
  return results;
}

test("strangers who know the id of a client without keys cannot lock its people out", async () => {
  const client = await registerKeyless();
  const guesses = await inTurn(2 * perMinute, () => redeem(client, "guessed"));
  expect(guesses.map(({ body }) => body["error"])).toEqual(guesses.map(() => "invalid_grant"));
  expect((await obtainTokens(client, "ada")).status).toBe(200);
});

test("each person's use of such a client has a limit of its own", async () => {
  const client = await registerKeyless();
  const statuses = (await inTurn(perMinute + 1, () => obtainTokens(client, "ada"))).map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await obtainTokens(client, "fred")).status).toBe(200);
});
