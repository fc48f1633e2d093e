import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findFreePort } from "../../../tools/src/network/ports.js";
import type { Browser } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let ada: Browser;
let tokens: Record<string, string>;
let service: FastifyInstance;
let publicOrigin: string;
/** What the handler carried out. */
let deleted: string[] = [];
const clock = () => system.server.context.clock();

beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const authz = initAuthz(system.issuer, {
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    clock,
    allowInsecureLoopback: true,
  });
  service = fastify();
  authz.registerRoutes(service);
  const read = authz.requireAuth({ scopes: ["contracts:read"] });
  const need = authz.requireApproval((request) => ({
    type: "contract_deletion",
    actions: ["delete"],
    locations: [request.originalUrl],
    reason: "Contracts cannot be restored.",
  }));
  service.get("/api/contracts", { onRequest: read }, () => ({}));
  service.delete(
    "/api/contracts/:id",
    { onRequest: read, preParsing: authz.rawBody, preHandler: need },
    (request) => {
      deleted.push(request.url);
      return { transaction: request.auth.transaction, sessionId: request.auth.identity.subject };
    },
  );
  await service.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  const type = {
    type: "contract_deletion",
    title: { en: "Delete a contract" },
    members: [],
    approver: null,
    maxAgeSeconds: null,
  };
  const record = {
    ...system.resource,
    resource: `${publicOrigin}/api`,
    authorizationServer: publicOrigin,
    requestPrefixes: [`${publicOrigin}/api`],
    authorizationDetailsTypes: [type],
  };
  await system.server.context.store.resources.save(record, new Date());
  ada = createBrowser();
  await signIn(ada, `${system.issuer}/sign-in`, "ada");
});
afterAll(async () => {
  await service.close();
  await system.close();
});
beforeEach(async () => {
  await system.database.query("DELETE FROM approvals");
  deleted = [];
  device = (await RawDevice.create(system.issuer)).at(clock);
  tokens = await device.signIn({}, createBrowser());
});

/** A token that the service issued itself. */
async function ownToken(): Promise<string> {
  const target = { authorizationServer: publicOrigin, resource: `${publicOrigin}/api` };
  const exchange = { client_id: "authz-cli", ...exchangeForm(tokens["refresh_token"], target) };
  const assertion = (await device.token(exchange)).body["access_token"] ?? "";
  const url = `${publicOrigin}/oauth/token`;
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  const answer = await fetch(url, {
    method: "POST",
    headers: { dpop: device.signer.sign({ method: "POST", url }) },
    body: new URLSearchParams(grant),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}

interface Called {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly challenge: string;
}

async function call(
  token: string,
  path = "/api/contracts/7",
  { method = "DELETE", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Called> {
  const htu = `${publicOrigin}${path.split("?", 1)[0] ?? ""}`;
  const dpop = device.signer.sign({ method, url: htu, accessToken: token });
  const answer = await fetch(publicOrigin + path, {
    method,
    headers: { authorization: `DPoP ${token}`, dpop, ...headers },
  });
  const line = answer.headers.get("www-authenticate") ?? "";
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown>,
    challenge: /transaction_challenge="([^"]+)"/.exec(line)?.[1] ?? "",
  };
}

/** Ada opens the page that the answer names, or that of an identifier, and answers. */
async function answerPage(uri: unknown, decision: "approve" | "decline"): Promise<void> {
  const { forms } = await ada.open(String(uri), { headers: { "accept-language": "en" } });
  const form = forms.find(({ action }) => action.pathname === new URL(String(uri)).pathname);
  if (form === undefined) throw new Error("The page has no form.");
  await ada.submit(form, { decision });
}

const required = { status: 403, body: { error: "transaction_authorization_required" } };

test("a client that knows no challenges: asked, approved, done, and asked anew", async () => {
  const token = await ownToken();
  const asked = await call(token);
  expect(asked).toMatchObject(required);
  expect(asked.body["authorization_uri"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/approve\/[0-9a-f-]{36}$/);
  expect((await call(token)).body["authorization_uri"]).toBe(asked.body["authorization_uri"]);
  expect(deleted).toEqual([]);

  await answerPage(asked.body["authorization_uri"], "approve");
  const changed = await call(token, "/api/contracts/8");
  expect(changed).toMatchObject(required);
  expect(changed.body["authorization_uri"]).not.toBe(asked.body["authorization_uri"]);
  expect(await call(token, "/api/contracts/7?force")).toMatchObject(required);
  expect(await call(token, "/api/contracts/7", { headers: { "idempotency-key": "1" } })).toMatchObject(
    required,
  );
  expect(deleted).toEqual([]);

  const done = await call(token);
  expect(done).toMatchObject({
    status: 200,
    body: { transaction: { details: { type: "contract_deletion" } } },
  });
  expect(deleted).toEqual(["/api/contracts/7"]);
  const again = await call(token);
  expect(again).toMatchObject(required);
  expect(again.body["authorization_uri"]).not.toBe(asked.body["authorization_uri"]);
  expect(deleted).toHaveLength(1);
});

test("a client that knows challenges: presents, polls, and calls once with the token", async () => {
  const token = await ownToken();
  const headers = { "accept-txn-challenge": "?1" };
  const challenged = await call(token, undefined, { headers });
  expect(challenged).toMatchObject({ status: 401, body: { error: "transaction_authorization_required" } });
  const endpoint = "/api/oauth/transaction";
  const form = { client_id: "authz-cli", transaction_challenge: challenged.challenge };
  const { body: pending } = await device.post(endpoint, form);
  await answerPage(pending["authorization_uri"], "approve");
  const id = pending["transaction_authorization_id"] ?? "";
  const collected = await device.post(endpoint, {
    client_id: "authz-cli",
    transaction_authorization_id: id,
  });
  expect(collected.status).toBe(200);
  const approved = collected.body["access_token"] ?? "";

  const refused = { status: 401, body: { error: "invalid_token" } };
  expect(await call(approved, "/api/contracts/8")).toMatchObject(refused);
  expect(await call(approved, "/api/contracts", { method: "GET" })).toMatchObject(refused);
  expect(await call(approved, undefined, { headers: { "idempotency-key": "1" } })).toMatchObject(refused);
  expect(deleted).toEqual([]);
  expect(await call(approved)).toMatchObject({ status: 200 });
  expect(await call(approved)).toMatchObject(refused);
  expect(deleted).toEqual(["/api/contracts/7"]);
});

test("an approval is executed once, however many calls use it at once", async () => {
  const token = await ownToken();
  const { body } = await call(token);
  await answerPage(body["authorization_uri"], "approve");
  const answers = await Promise.all(Array.from({ length: 16 }, async () => await call(token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(15);
  expect(deleted).toHaveLength(1);
});

test("a declined call is refused, and asks nobody again", async () => {
  const token = await ownToken();
  const { body } = await call(token);
  await answerPage(body["authorization_uri"], "decline");
  expect(await call(token)).toMatchObject({ status: 403, body: { error: "access_denied" } });
  expect(deleted).toEqual([]);
});

test("an approval is of no use to another session of the same person", async () => {
  const { body } = await call(await ownToken());
  await answerPage(body["authorization_uri"], "approve");
  device = (await RawDevice.create(system.issuer)).at(clock);
  tokens = await device.signIn({}, createBrowser());
  expect(await call(await ownToken())).toMatchObject(required);
  expect(deleted).toEqual([]);
});
