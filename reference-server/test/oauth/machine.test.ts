import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { decodeJwt, decodeProtectedHeader } from "jose";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBrowser } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

const insecure = { [oauth.allowInsecureRequests]: true };

let system: OauthServer;
let service: FastifyInstance;
let resource: string;
let machine: RegisteredClient;
let device: RawDevice;

/** A service built with the SDK, registered under its own address. */
beforeAll(async () => {
  system = await startOauthServer();
  service = fastify();
  const publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  resource = `${publicOrigin}/api`;
  const authz = initAuthz(system.issuer, {
    resource,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
  });
  authz.registerRoutes(service);
  const scopes = ["contracts:read"];
  service.get("/api/contracts", { onRequest: authz.requireAuth({ scopes }) }, (request) => request.auth);
  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  service.post("/api/contracts", { onRequest: write }, (request) => request.auth);
  await service.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  await authz.ready();
  const { store } = system.server.context;
  await store.resources.save({ ...system.resource, resource, authorizationServer: publicOrigin }, new Date());
  machine = await RegisteredClient.register(system, { type: "machine", name: "Nightly export" }, [
    "contracts:read",
    "invoices:read",
  ]);
  device = await RawDevice.create(system.issuer);
});
afterAll(async () => {
  await service.close();
  await system.close();
});

const ask = (change: Record<string, string | undefined> = {}, proofs?: readonly string[]) => {
  const form = { grant_type: "client_credentials", resource, ...machine.credentials(), ...change };
  return device.token(form, proofs === undefined ? {} : { proofs });
};

describe("a machine", () => {
  test("gets a token with unmodified oauth4webapi and calls a service that is built with the SDK", async () => {
    const issuer = new URL(system.issuer);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const self: oauth.Client = { client_id: machine.id };
    const authentication = oauth.PrivateKeyJwt({ key: await machine.signingKey(), kid: "first" });
    const DPoP = oauth.DPoP(self, await oauth.generateKeyPair("ES256"));
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      self,
      authentication,
      { resource },
      { DPoP, ...insecure },
    );
    const tokens = await oauth.processClientCredentialsResponse(server, self, response);
    expect(tokens).toMatchObject({ token_type: "dpop", expires_in: 300, scope: "contracts:read" });

    const call = (method: string) =>
      oauth.protectedResourceRequest(
        tokens.access_token,
        method,
        new URL(`${resource}/contracts`),
        undefined,
        undefined,
        { DPoP, ...insecure },
      );
    const answer = await call("GET");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      identity: { type: "machine", subject: machine.id },
      scopes: ["contracts:read"],
      clientId: machine.id,
    });
    await expect(call("POST")).rejects.toMatchObject({ status: 403 });
  });

  test("gets a token with unmodified openid-client", async () => {
    const configuration = await client.discovery(
      new URL(system.issuer),
      machine.id,
      undefined,
      client.PrivateKeyJwt({ key: await machine.signingKey(), kid: "first" }),
      { execute: [client.allowInsecureRequests] },
    );
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"));
    const tokens = await client.clientCredentialsGrant(configuration, { resource }, { DPoP });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: resource, sub: machine.id });
  });

  test("gets a token for one resource without a user, with one event", async () => {
    const { body } = await ask();
    const token = body["access_token"] ?? "";
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: "at+jwt", alg: "ES256" });
    const claims = decodeJwt(token);
    expect(claims).toStrictEqual({
      iss: system.issuer,
      sub: machine.id,
      aud: resource,
      client_id: machine.id,
      scope: "contracts:read",
      cnf: { jkt: device.signer.thumbprint },
      status: {
        status_list: { idx: expect.any(Number) as number, uri: `${system.issuer}/oauth/status` },
      },
      jti: expect.any(String) as string,
      iat: expect.any(Number) as number,
      exp: (claims.iat ?? 0) + 300,
    });
    expect(body).not.toHaveProperty("refresh_token");
    expect(body).not.toHaveProperty("id_token");
    expect((await system.audit("machine_token.issued")).at(-1)).toStrictEqual({
      type: "machine_token.issued",
      outcome: "success",
      subject: null,
      data: { tokenId: claims.jti, resource, scopes: ["contracts:read"], jkt: device.signer.thumbprint },
    });
  });

  test("cannot use its token at this server's own API", async () => {
    const { body } = await ask();
    expect((await device.userinfo(body["access_token"] ?? "")).body).toMatchObject({
      error: "invalid_token",
    });
  });

  test("whose token is presented with another key is refused by the service", async () => {
    const { body } = await ask();
    const thief = await RawDevice.create(system.issuer);
    const accessToken = body["access_token"] ?? "";
    const url = `${resource}/contracts`;
    const dpop = thief.signer.sign({ method: "GET", url, accessToken });
    const answer = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
    expect(answer.status).toBe(401);
  });

  const refusals: readonly (readonly [
    name: string,
    error: string,
    change: Record<string, string | undefined>,
  ])[] = [
    ["no resource", "invalid_request", { resource: undefined }],
    ["an unknown resource", "invalid_target", { resource: "https://nowhere.example" }],
    ["a scope it does not have", "invalid_scope", { scope: "contracts:write" }],
    ["a scope of another resource", "invalid_scope", { scope: "invoices:read" }],
    [
      "the grant type of a person",
      "unauthorized_client",
      { grant_type: "refresh_token", refresh_token: "x" },
    ],
  ];
  test.each(refusals)("is refused with %s: %s", async (_name, error, change) => {
    expect(await ask(change)).toMatchObject({ status: 400, body: { error } });
  });

  test("is refused with two resources, and without a proof", async () => {
    const form = { grant_type: "client_credentials", resource, ...machine.credentials() };
    const body = `${new URLSearchParams(form).toString()}&resource=${encodeURIComponent(resource)}`;
    expect((await device.token({}, { body })).body).toMatchObject({ error: "invalid_request" });
    expect((await ask({}, [])).body).toMatchObject({ error: "invalid_dpop_proof" });
  });

  test("whose request is denied leaves an event", async () => {
    await ask({ scope: "contracts:write" });
    expect((await system.audit("token.refused")).at(-1)).toMatchObject({
      outcome: "denied",
      subject: null,
      data: { grantType: "client_credentials", error: "invalid_scope", reason: "scope_not_assigned" },
    });
  });

  test("that loses a scope loses it with the next token", async () => {
    const { store } = system.server.context;
    await store.clients.saveMachineScopes(machine.id, ["invoices:read"]);
    expect((await ask()).body).toMatchObject({ error: "invalid_scope" });
    await store.clients.saveMachineScopes(machine.id, ["contracts:read", "invoices:read"]);
    expect((await ask()).status).toBe(200);
  });

  test("cannot begin a grant of a person", async () => {
    const url = device.authorizeUrl({ client_id: machine.id });
    expect((await createBrowser().open(url)).html).toContain("This sign-in cannot start");
    const form = { scope: "openid", ...machine.credentials() };
    expect((await device.post("/api/oauth/device_authorization", form)).body).toMatchObject({
      error: "unauthorized_client",
    });
  });

  test.each(["public", "confidential"] as const)(
    "is the only client that may use client_credentials: not a %s one",
    async (type) => {
      const other = await RegisteredClient.register(system, { type });
      const form = { grant_type: "client_credentials", resource };
      const credentials = type === "public" ? { client_id: other.id } : other.credentials();
      expect((await device.token({ ...form, ...credentials })).body).toMatchObject({
        error: "unauthorized_client",
      });
    },
  );
});
