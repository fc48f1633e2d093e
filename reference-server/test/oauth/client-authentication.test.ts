import { generateEs256KeyPair, type PrivateJwk } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { type AssertionChange, RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let machine: RegisteredClient;
let otherMachine: RegisteredClient;
let foreignKey: PrivateJwk;
let otherOrigin: string;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  machine = await RegisteredClient.register(system, { type: "machine" }, ["contracts:read"]);
  otherMachine = await RegisteredClient.register(system, { type: "machine" }, ["contracts:read"]);
  foreignKey = (await generateEs256KeyPair()).privateJwk;
  otherOrigin = await system.startSecondInstance();
});
afterAll(() => system.close());

const form = () => ({ grant_type: "client_credentials", resource: system.resource.resource });
const ask = (credentials: Record<string, string | undefined>, origin = system.issuer) =>
  device.token({ ...form(), ...credentials }, { origin });
const seconds = () => Math.floor(Date.now() / 1000);

describe("a client assertion", () => {
  const accepted: readonly { name: string; change: () => AssertionChange }[] = [
    { name: "for the issuer", change: () => ({}) },
    {
      name: "for the token endpoint",
      change: () => ({ claims: { aud: `${system.issuer}/api/oauth/token` } }),
    },
    { name: "without a key id", change: () => ({ header: { kid: undefined } }) },
    { name: "of the type JWT", change: () => ({ header: { typ: "JWT" } }) },
    { name: "without a type", change: () => ({ header: { typ: undefined } }) },
    { name: "without iat", change: () => ({ claims: { iat: undefined } }) },
    { name: "with unknown claims", change: () => ({ claims: { scope: "x", cnf: {} } }) },
  ];
  test.each(accepted)("$name is accepted", async ({ change }) => {
    expect((await ask(machine.credentials(change()))).status).toBe(200);
  });

  test("says by itself whose it is", async () => {
    expect((await ask({ ...machine.credentials(), client_id: undefined })).status).toBe(200);
  });

  const assertionRefusals: readonly { name: string; change: () => AssertionChange }[] = [
    { name: "with another issuer", change: () => ({ claims: { iss: otherMachine.id } }) },
    { name: "without an issuer", change: () => ({ claims: { iss: undefined } }) },
    { name: "about another client", change: () => ({ claims: { sub: otherMachine.id } }) },
    { name: "without sub", change: () => ({ claims: { sub: undefined } }) },
    { name: "for another server", change: () => ({ claims: { aud: "https://other.example" } }) },
    { name: "without aud", change: () => ({ claims: { aud: undefined } }) },
    {
      name: "for this server and another one",
      change: () => ({ claims: { aud: [system.issuer, "https://other.example"] } }),
    },
    { name: "for a list of exactly the issuer", change: () => ({ claims: { aud: [system.issuer] } }) },
    { name: "for an empty list", change: () => ({ claims: { aud: [] } }) },
    {
      name: "for the endpoint of pushed requests, at the token endpoint",
      change: () => ({ claims: { aud: `${system.issuer}/api/oauth/par` } }),
    },
    { name: "whose time is over", change: () => ({ claims: { exp: seconds() } }) },
    { name: "without an end", change: () => ({ claims: { exp: undefined } }) },
    { name: "whose end is a text", change: () => ({ claims: { exp: String(seconds() + 30) } }) },
    { name: "that lives longer than a minute", change: () => ({ claims: { exp: seconds() + 120 } }) },
    { name: "made in the future", change: () => ({ claims: { iat: seconds() + 30 } }) },
    { name: "not valid yet", change: () => ({ claims: { nbf: seconds() + 30 } }) },
    { name: "without a jti", change: () => ({ claims: { jti: undefined } }) },
    { name: "with an empty jti", change: () => ({ claims: { jti: "" } }) },
    { name: "with an endless jti", change: () => ({ claims: { jti: "x".repeat(257) } }) },
    { name: "with a control character in its jti", change: () => ({ claims: { jti: "a\0b" } }) },
    { name: "signed with another key", change: () => ({ key: foreignKey }) },
    {
      name: "signed with another client's key",
      change: () => ({ key: otherMachine.keyPair.privateJwk }),
    },
    { name: "that names a key which is not registered", change: () => ({ header: { kid: "second" } }) },
    { name: "that is a DPoP proof by type", change: () => ({ header: { typ: "dpop+jwt" } }) },
    { name: "that is an access token by type", change: () => ({ header: { typ: "at+jwt" } }) },
    { name: "with another algorithm", change: () => ({ header: { alg: "ES384" } }) },
    { name: "with a critical extension", change: () => ({ header: { crit: ["x"] } }) },
  ];
  test.each(assertionRefusals)("$name is refused with invalid_client", async ({ change }) => {
    const answer = await ask(machine.credentials(change()));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    expect(answer.headers.has("www-authenticate")).toBe(false);
  });

  const formRefusals: readonly { name: string; change: Record<string, string | undefined> }[] = [
    { name: "of another type", change: { client_assertion_type: "urn:x" } },
    { name: "without its type", change: { client_assertion_type: undefined } },
    { name: "that is missing", change: { client_assertion: undefined } },
    { name: "that is none", change: { client_assertion: "nonsense" } },
    { name: "beside another client_id", change: { client_id: "authz-cli" } },
    {
      name: "left out altogether",
      change: { client_assertion: undefined, client_assertion_type: undefined },
    },
  ];
  test.each(formRefusals)("$name is refused with invalid_client", async ({ change }) => {
    const answer = await ask({ ...machine.credentials(), ...change });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client" } });
  });

  test("is good once, also on two instances at the same moment", async () => {
    const credentials = machine.credentials();
    const answers = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((index) => ask(credentials, index % 2 === 0 ? system.issuer : otherOrigin)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_client")).toHaveLength(5);
  });

  test("is not used up by a request that is refused", async () => {
    const credentials = machine.credentials();
    expect((await ask({ ...credentials, resource: "https://nowhere.example" })).body).toMatchObject({
      error: "invalid_target",
    });
    expect((await ask(credentials)).status).toBe(200);
  });

  test("of two clients may have the same jti", async () => {
    const change = { claims: { jti: "the-same" } };
    expect((await ask(machine.credentials(change))).status).toBe(200);
    expect((await ask(otherMachine.credentials(change))).status).toBe(200);
  });

  test("of a public client is refused, because it can prove nothing", async () => {
    const open = await RegisteredClient.register(system, { type: "public" });
    const answer = await device.token({ ...device.codeParameters("x"), ...open.credentials() });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client" } });
  });
});

describe("the keys of a client", () => {
  test("overlap while one replaces another", async () => {
    const { store } = system.server.context;
    const client = await store.clients.find(machine.id);
    const next = await generateEs256KeyPair();
    if (client === undefined) throw new Error("The machine is registered.");
    const second = { kid: "second", publicJwk: next.publicJwk };
    const withNext = { header: { kid: "second" }, key: next.privateJwk };

    await store.clients.save({ ...client, keys: [...client.keys, second] }, new Date());
    expect((await ask(machine.credentials())).status).toBe(200);
    expect((await ask(machine.credentials(withNext))).status).toBe(200);
    expect((await ask(machine.credentials({ key: next.privateJwk }))).status).toBe(400);

    await store.clients.save({ ...client, keys: [second] }, new Date());
    expect((await ask(machine.credentials())).status).toBe(400);
    expect((await ask(machine.credentials(withNext))).status).toBe(200);
    await store.clients.save(client, new Date());
  });
});

describe("the registered clients cannot be enumerated", () => {
  const statement = async (credentials: Record<string, string | undefined>) => {
    const { status, headers, body } = await ask(credentials);
    return { status, body, names: [...headers.keys()].filter((name) => name !== "date") };
  };

  test("an unknown client, a disabled, a public one and a wrong key are answered alike", async () => {
    const disabled = await RegisteredClient.register(system, { type: "machine", enabled: false });
    const open = await RegisteredClient.register(system, { type: "public" });
    const wrongKey = await statement(machine.credentials({ key: foreignKey }));
    expect(wrongKey).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    const claims = { iss: "nobody", sub: "nobody" };
    const unknown = { ...machine.credentials({ claims }), client_id: "nobody" };
    expect(await statement(unknown)).toStrictEqual(wrongKey);
    expect(await statement(disabled.credentials())).toStrictEqual(wrongKey);
    expect(await statement(open.credentials())).toStrictEqual(wrongKey);
    expect(await statement({ client_id: machine.id })).toStrictEqual(wrongKey);
    expect(await statement({ client_id: "nobody" })).toStrictEqual(wrongKey);
    expect(await statement({ ...machine.credentials(), client_assertion: "nonsense" })).toStrictEqual(
      wrongKey,
    );
  });

  test("an assertion of an unknown client is refused, also with the published placeholder key", async () => {
    // RFC 7515 A.3
    const key: PrivateJwk = {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    };
    for (const header of [{ kid: undefined }, { kid: "second" }]) {
      expect(await ask(machine.credentials({ header, key }))).toMatchObject({ status: 400 });
    }
  });
});

describe("more than one way of authentication is invalid_request", () => {
  const basic = { authorization: "Basic eDp5" };
  test.each([
    ["an assertion and a secret", { client_secret: "s" }, {}],
    ["an assertion and a header", {}, basic],
    ["a header and a secret", { client_assertion: undefined, client_secret: "s" }, basic],
  ])("%s", async (_name, change, headers) => {
    const answer = await device.token({ ...form(), ...machine.credentials(), ...change }, { headers });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(answer.headers.has("www-authenticate")).toBe(false);
  });
});

describe("a client that authenticates in a header", () => {
  test.each([
    { scheme: "Basic", value: "Basic eDp5" },
    { scheme: "Bearer", value: "Bearer abc" },
    { scheme: "DPoP", value: "DPoP" },
  ])("gets 401 with its own scheme: $scheme", async ({ scheme, value }) => {
    const answer = await device.token(
      { ...form(), client_id: machine.id },
      { headers: { authorization: value } },
    );
    expect(answer).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(answer.headers.get("www-authenticate")).toBe(`${scheme} realm="authz"`);
  });

  test.each(['"Basic" x', "x".repeat(33), "Basic,x"])(
    "that has no scheme gets 400: %s",
    async (authorization) => {
      const answer = await device.token({ ...form(), client_id: machine.id }, { headers: { authorization } });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client" } });
    },
  );
});

test("a disabled client gets nothing", async () => {
  const disabled = await RegisteredClient.register(system, { type: "machine", enabled: false });
  expect(await ask(disabled.credentials())).toMatchObject({
    status: 400,
    body: { error: "invalid_client" },
  });
});
