import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { endPerson } from "../../src/lifecycle/end-person.js";
import { pausePerson } from "../../src/lifecycle/pause-person.js";
import { revokeGrants } from "../../src/lifecycle/revoke.js";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { Browser, readForm } from "../support/browser.js";
import { signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

let system: OauthServer;
let device: RawDevice;
const services: FastifyInstance[] = [];
/** The services and the clients live in the server's time. */
const clock = () => system.server.context.clock();
/** Two services that are built with the SDK: one takes Bearer tokens as well. */
let bearer: Service;
let strict: Service;

interface Service {
  readonly publicOrigin: string;
  readonly resource: string;
}

const callback = "http://127.0.0.1:8765/callback";
const app: Client = {
  ...registeredClient,
  id: "agent",
  name: "Agent",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback"],
  keys: [],
  dpopBound: false,
  builtIn: false,
  enabled: true,
};

async function startService(path: string, dpop: "required" | "allowed"): Promise<Service> {
  const publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const resource = publicOrigin + path;
  const authz = initAuthz(system.issuer, {
    resource,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    dpop,
    clock,
    allowInsecureLoopback: true,
  });
  const service = fastify();
  authz.registerRoutes(service);
  const read = authz.requireAuth({ scopes: ["contracts:read"] });
  service.get("/contracts", { onRequest: read }, (request) => request.auth);
  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  service.post("/contracts", { onRequest: write }, (request) => request.auth);
  await service.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  services.push(service);
  return { publicOrigin, resource };
}

beforeAll(async () => {
  system = await startOauthServer();
  device = (await RawDevice.create(system.issuer)).at(clock);
  const { store } = system.server.context;
  bearer = await startService("/mcp", "allowed");
  strict = await startService("", "required");
  const { resource, publicOrigin: authorizationServer } = bearer;
  const first = { ...system.resource, resource, authorizationServer, allowsBearer: true };
  await store.resources.save(first, new Date());
  const second = { resource: strict.resource, authorizationServer: strict.publicOrigin };
  await store.resources.save(
    {
      ...system.resource,
      ...second,
      id: crypto.randomUUID(),
      key: "strict",
      requestPrefixes: [`${strict.publicOrigin}/contracts`],
    },
    new Date(),
  );
  await store.clients.save(app, new Date());
});
afterAll(async () => {
  for (const service of services) await service.close();
  await system.close();
});

/** Ada signs in and allows the app what it asks for. */
async function tokenFor({ resource }: Service, proofs?: readonly string[]): Promise<string> {
  const asked = {
    client_id: app.id,
    redirect_uri: callback,
    resource,
    scope: "contracts:read",
    dpop_jkt: undefined,
  };
  const browser = new Browser(({ host }) => host === "127.0.0.1:8765");
  const page = await signIn(browser, device.authorizeUrl(asked), "ada");
  const { url } = await browser.submit(readForm(page), { decision: "allow" });
  const form = { ...device.codeParameters(url.searchParams.get("code") ?? ""), client_id: app.id };
  const parameters = { ...form, redirect_uri: callback, resource };
  const answer = await device.token(parameters, proofs === undefined ? {} : { proofs });
  expect(answer.status).toBe(200);
  return answer.body["access_token"] ?? "";
}

function call(service: Service, token: string, method = "GET"): Promise<Response> {
  const url = `${service.publicOrigin}/contracts`;
  const dpop = device.signer.sign({ method, url, accessToken: token });
  return fetch(url, { method, headers: { authorization: `DPoP ${token}`, dpop } });
}

function callAsBearer(service: Service, token: string): Promise<Response> {
  return fetch(`${service.publicOrigin}/contracts`, { headers: { authorization: `Bearer ${token}` } });
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  return (await (await fetch(url)).json()) as Record<string, unknown>;
}

const throughTheApp = {
  identity: { type: "user", email: "ada@acme.example", name: "Ada Lovelace" },
  scopes: ["contracts:read"],
  clientId: app.id,
  actor: { subject: app.id },
};

describe("a service that is built with the SDK", () => {
  test.each([() => bearer, () => strict])(
    "leads a client that knows nothing to where people sign in",
    async (of) => {
      const service = of();
      const refused = await fetch(`${service.publicOrigin}/contracts`);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      expect(challenge).toContain('scope="contracts:read"');
      const metadata = await getJson(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "");
      expect(metadata).toMatchObject({
        resource: service.resource,
        authorization_servers: [system.issuer, service.publicOrigin],
      });
      const [first, second] = metadata["authorization_servers"] as string[];
      const server = await getJson(`${first}/.well-known/oauth-authorization-server`);
      expect(server).toMatchObject({ issuer: system.issuer });
      const own = await getJson(`${second}/.well-known/oauth-authorization-server`);
      expect(own["token_endpoint"]).toBe(`${service.publicOrigin}/oauth/token`);
    },
  );

  test("takes the token that an app got for a person", async () => {
    const token = await tokenFor(strict);
    const answer = await call(strict, token);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject(throughTheApp);
    expect((await call(strict, token, "POST")).status).toBe(403);
  });

  test("takes a Bearer token where it and the registry allow that", async () => {
    const token = await tokenFor(bearer, []);
    const answer = await callAsBearer(bearer, token);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject(throughTheApp);
  });

  test("does not take the token of another service", async () => {
    expect((await call(bearer, await tokenFor(strict))).status).toBe(401);
    expect((await callAsBearer(strict, await tokenFor(bearer, []))).status).toBe(401);
  });

  test("does not take a token for the authorization server's own API", async () => {
    const { access_token: token = "" } = await device.signIn();
    expect((await call(strict, token)).status).toBe(401);
    expect((await call(bearer, token)).status).toBe(401);
  });

  test("learns from an identity assertion who acts as well", async () => {
    const answer = await call(strict, await redeemAt(strict));
    expect(await answer.json()).toMatchObject({ clientId: "authz-cli", actor: { subject: "authz-cli" } });
  });
});

/** The service's own token, for an assertion of Ada's command-line client. */
async function redeemAt(service: Service): Promise<string> {
  const { access_token: token } = await device.signIn();
  const exchange = await device.token({
    ...exchangeForm(
      token,
      { authorizationServer: service.publicOrigin, resource: service.resource },
      "access_token",
    ),
    client_id: "authz-cli",
    scope: "contracts:read",
  });
  const endpoint = `${service.publicOrigin}/oauth/token`;
  const redeemed = await fetch(endpoint, {
    method: "POST",
    headers: { dpop: device.signer.sign({ method: "POST", url: endpoint }) },
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: exchange.body["access_token"] ?? "",
    }),
  });
  const { access_token: own = "" } = (await redeemed.json()) as Record<string, string>;
  return own;
}

/** A machine's token for the service. */
async function machineToken({ resource }: Service): Promise<string> {
  const machine = await RegisteredClient.register(system, { type: "machine", name: "Nightly export" }, [
    "contracts:read",
  ]);
  const iat = Math.floor(clock() / 1000);
  const credentials = machine.credentials({ claims: { iat, exp: iat + 60 } });
  const form = { grant_type: "client_credentials", resource, ...credentials };
  return (await device.token(form)).body["access_token"] ?? "";
}

describe("a service that is built with the SDK refuses, once it has read the status list again,", () => {
  const stopEverything = "INSERT INTO stops (stopped, not_before, set_at) VALUES (true, now(), now())";
  const rows: readonly {
    name: string;
    get: (service: Service) => Promise<string>;
    end: () => Promise<unknown>;
  }[] = [
    {
      name: "an app's token for a person who ended",
      get: tokenFor,
      end: () => endPerson(adaId, { by: "scim", provider: "acme" }, work()),
    },
    {
      name: "its own token, for a person who ended",
      get: redeemAt,
      end: () => endPerson(adaId, { by: "scim", provider: "acme" }, work()),
    },
    {
      name: "its own token, for a person who is paused",
      get: redeemAt,
      end: () => pausePerson(adaId, { by: "presence", provider: "acme" }, work()),
    },
    {
      name: "its own token, for a sign-in that was ended",
      get: redeemAt,
      end: () => revokeGrants({ userId: adaId, reason: "revoked_by_user" }, work()),
    },
    {
      name: "an app's token, of an app that was switched off",
      get: tokenFor,
      end: () =>
        system.database.query("UPDATE clients SET enabled = false, updated_at = now() WHERE id = 'agent'"),
    },
    {
      name: "a machine's token, of a machine that was switched off",
      get: machineToken,
      end: () =>
        system.database.query(
          "UPDATE clients SET enabled = false, updated_at = now() WHERE type = 'machine'",
        ),
    },
    {
      name: "an app's token, after everything was stopped",
      get: tokenFor,
      end: () => system.database.query(stopEverything),
    },
    {
      name: "a machine's token, after everything was stopped",
      get: machineToken,
      end: () => system.database.query(stopEverything),
    },
  ];
  let adaId: string;
  /** The server reads its database every two seconds, services the list every ten. */
  const readListAgain = () => system.advance(10);
  const work = () => {
    const { store } = system.server.context;
    return { store, actor: { type: "operator" } as const, at: new Date() };
  };
  afterEach(async () => {
    readListAgain();
    await system.database.query("DELETE FROM stops");
    await system.database.query("UPDATE clients SET enabled = true");
    await system.database.query(
      "UPDATE users SET enabled = true, disabled_by = NULL, paused_at = NULL, pause_reason = NULL",
    );
  });

  test.each(rows)("$name", async ({ get, end }) => {
    const token = await get(strict);
    const people = "SELECT id FROM users WHERE email = 'ada@acme.example'";
    const [ada] = await system.database.query<{ id: string }>(people);
    adaId = ada?.id ?? "";
    expect((await call(strict, token)).status).toBe(200);
    await end();
    expect((await call(strict, token)).status).toBe(200);
    readListAgain();
    const refused = await call(strict, token);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: "invalid_token" });
  });
});
