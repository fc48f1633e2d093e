import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let machine: RegisteredClient;
let device: RawDevice;

beforeAll(async () => {
  system = await startOauthServer();
  machine = await register(["authz:administer", "contracts:read"]);
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

function register(scopes: readonly string[]): Promise<RegisteredClient> {
  return RegisteredClient.register(system, { type: "machine", name: "Terraform" }, scopes);
}

const ask = (change: Record<string, string | undefined> = {}, client = machine) =>
  device.token({
    grant_type: "client_credentials",
    resource: `${system.issuer}/api`,
    ...client.credentials(),
    ...change,
  });

async function token(client = machine): Promise<string> {
  const { body } = await ask({}, client);
  return body["access_token"] ?? "";
}

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly body?: object;
  readonly key?: RawDevice;
  readonly headers?: Record<string, string>;
}

async function call(
  accessToken: string,
  { method = "GET", path = "/scopes", body, key = device, headers }: Call = {},
) {
  const url = `${system.issuer}/api/admin/v1${path}`;
  const dpop = key.signer.sign({ method, url, accessToken });
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `DPoP ${accessToken}`,
      dpop,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    challenge: answer.headers.get("www-authenticate"),
    body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

describe("a machine that may administer", () => {
  test("has a token for this server that says nothing more", async () => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "DPoP", scope: "authz:administer" });
    expect(decodeJwt(body["access_token"] ?? "")).toMatchObject({
      aud: `${system.issuer}/api`,
      sub: machine.id,
      client_id: machine.id,
      scope: "authz:administer",
      cnf: { jkt: device.signer.thumbprint },
    });
  });

  test("reads and writes without a browser's token, and is named in the audit trail", async () => {
    const accessToken = await token();
    expect((await call(accessToken)).status).toBe(200);
    const body = { key: "made:by-machine", description: "Made by a machine" };
    const created = await call(accessToken, { method: "POST", body });
    expect(created.status).toBe(201);
    const events = await system.database.query(
      "SELECT actor_type, actor_id FROM audit_events WHERE type = 'scope.created' ORDER BY id DESC LIMIT 1",
    );
    expect(events).toEqual([{ actor_type: "client", actor_id: machine.id }]);
  });

  test("has no session", async () => {
    expect(await call(await token(), { path: "/session" })).toMatchObject({
      status: 403,
      body: { error: "access_denied" },
    });
  });

  test("cannot use its token where people's clients ask", async () => {
    const accessToken = await token();
    const url = `${system.issuer}/api/me`;
    const dpop = device.signer.sign({ method: "GET", url, accessToken });
    const answer = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
    expect(answer.status).toBe(401);
    expect((await device.userinfo(accessToken)).status).toBe(401);
  });

  test("that loses the permission loses it at once, and so does one that is disabled", async () => {
    const { store } = system.server.context;
    const other = await register(["authz:administer"]);
    const accessToken = await token(other);
    await store.clients.saveMachineScopes(other.id, ["contracts:read"]);
    const lost = await call(accessToken);
    expect([lost.status, lost.body["error"]]).toEqual([403, "insufficient_scope"]);
    expect(lost.challenge).toContain('scope="authz:administer"');
    expect((await system.audit("admin.refused")).at(-1)).toMatchObject({
      outcome: "denied",
      data: { error: "insufficient_scope", method: "GET" },
    });
    expect((await ask({}, other)).body).toMatchObject({ error: "invalid_scope" });

    await store.clients.saveMachineScopes(other.id, ["authz:administer"]);
    expect((await call(accessToken)).status).toBe(200);
    const client = await store.clients.find(other.id);
    if (client !== undefined) await store.clients.save({ ...client, enabled: false }, new Date());
    const disabled = await call(accessToken);
    expect([disabled.status, disabled.body["error"]]).toEqual([401, "invalid_token"]);
  });
});

describe("a token is refused", () => {
  test("without a proof, under Bearer, with the proof of another key, and a second time", async () => {
    const accessToken = await token();
    const url = `${system.issuer}/api/admin/v1/scopes`;
    const send = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers });
      const { error } = (await answer.json()) as { error: string };
      return [answer.status, error];
    };
    expect(await send({ authorization: `DPoP ${accessToken}` })).toEqual([401, "invalid_dpop_proof"]);
    expect(await send({ authorization: `Bearer ${accessToken}` })).toEqual([401, "invalid_token"]);
    const thief = await RawDevice.create(system.issuer);
    expect((await call(accessToken, { key: thief })).body).toMatchObject({ error: "invalid_token" });
    const dpop = device.signer.sign({ method: "GET", url, accessToken });
    const both = { authorization: `DPoP ${accessToken}`, dpop };
    expect((await fetch(url, { headers: both })).status).toBe(200);
    expect(await send(both)).toEqual([401, "invalid_dpop_proof"]);
  });

  test("when it is for another resource", async () => {
    const { body } = await ask({ resource: system.resource.resource });
    expect(await call(body["access_token"] ?? "")).toMatchObject({
      status: 401,
      body: { error: "invalid_token" },
    });
  });

  test("when it is a person's, even an administrator's", async () => {
    const { store } = system.server.context;
    const ada = { id: crypto.randomUUID(), email: "ada@acme.example", scope: "authz:administer" };
    await store.assignments.insertMissing(ada, new Date());
    const body = await device.signIn();
    expect(await call(body["access_token"] ?? "")).toMatchObject({
      status: 401,
      body: { error: "invalid_token" },
    });
  });

  test("when it has expired", async () => {
    const accessToken = await token();
    system.advance(301);
    const later = device.at(() => Date.now() + 301_000);
    const { status, body } = await call(accessToken, { key: later });
    expect([status, body["error"]]).toEqual([401, "invalid_token"]);
    system.advance(-301);
  });

  test("and a machine without the permission gets none", async () => {
    const other = await register(["contracts:read"]);
    expect((await ask({}, other)).body).toMatchObject({ error: "invalid_scope" });
    expect((await ask({ scope: "contracts:read" })).body).toMatchObject({ error: "invalid_scope" });
  });
});
