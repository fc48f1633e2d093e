import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { JwsError } from "@authz/dpop/jws";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type AuthzClientErrorCode,
  type AuthzClientEvent,
  createMachineClient,
  type MachineClient,
  type MachineClientOptions,
} from "../src/index.js";
import { expectFailure } from "./support/expect-error.js";
import { forEachTest } from "./support/for-each-test.js";
import { tokenAnswer } from "./support/login-refusals.js";
import { readPayload } from "./support/test-authorization-server.js";
import { startTestService } from "./support/test-service.js";
import { startTestWorld } from "./support/test-world.js";

const world = forEachTest(startTestWorld);
let api: string;
let keyPair: Es256KeyPair;
const read = { scopes: ["contracts:read"] };

beforeEach(async () => {
  api = `${world.service.origin}/api`;
  keyPair = await generateEs256KeyPair();
  world.server.machines.push({
    clientId: "nightly",
    kid: "key-1",
    publicJwk: keyPair.publicJwk,
    scopes: ["contracts:read", "contracts:write", "authz:administer"],
  });
});

function machine(change: Partial<MachineClientOptions> = {}): MachineClient {
  return createMachineClient({
    issuer: world.server.origin,
    clientId: "nightly",
    signingKey: { kid: "key-1", privateJwk: keyPair.privateJwk },
    resources: [{ resource: api }],
    clock: world.clock,
    ...change,
  });
}

const tokenRequests = (): readonly URLSearchParams[] =>
  world.server.seen.filter(({ path }) => path === "/api/oauth/token").map(({ form }) => form);

describe("a machine client", () => {
  it("calls a service like a person's client does", async () => {
    const answer = await machine().authorizedFetch(`${api}/contracts`, { method: "POST", body: "{}" }, read);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { path: "/api/contracts", method: "POST", body: "{}" },
    ]);
    const sent = world.service.seen.at(-1)?.headers.authorization ?? "";
    expect(readPayload(sent)).toMatchObject({
      sub: "nightly",
      client_id: "nightly",
      aud: api,
      scope: "contracts:read",
    });
  });

  it("shows itself with an assertion of a minute that names the issuer, and with nothing else", async () => {
    await machine().authorizedFetch(api, {}, read);
    const [form] = tokenRequests();
    expect(form?.get("client_secret")).toBeNull();
    expect(form?.get("resource")).toBe(api);
    const now = Math.floor(world.clock() / 1000);
    expect(readPayload(form?.get("client_assertion") ?? "")).toEqual({
      iss: "nightly",
      sub: "nightly",
      aud: world.server.origin,
      iat: now,
      exp: now + 60,
      jti: expect.any(String) as string,
    });
  });

  it("asks for everything it has at a service when no scope is named", async () => {
    await machine().authorizedFetch(api);
    expect(tokenRequests()[0]?.get("scope")).toBeNull();
    const sent = world.service.seen.at(-1)?.headers.authorization ?? "";
    expect(readPayload(sent).scope).toBe("contracts:read contracts:write");
  });

  it("keeps a token until it ends, and asks once for many calls at the same time", async () => {
    const client = machine();
    await Promise.all(Array.from({ length: 10 }, async () => await client.authorizedFetch(api, {}, read)));
    await client.authorizedFetch(api, {}, read);
    expect(tokenRequests().length).toBe(1);
    world.clock.advance(world.server.accessTokenSeconds);
    await client.authorizedFetch(api, {}, read);
    expect(tokenRequests().length).toBe(2);
    const assertions = tokenRequests().map((form) => readPayload(form.get("client_assertion") ?? "").jti);
    expect(new Set(assertions).size).toBe(2);
  });

  it("gets a new token when the service no longer takes the old one", async () => {
    const events: AuthzClientEvent[] = [];
    const client = machine({ onEvent: (event) => events.push(event) });
    await client.authorizedFetch(api, {}, read);
    const refused = { "www-authenticate": 'DPoP error="invalid_token"' };
    world.service.fail("/api", { status: 401, headers: refused, body: {} });
    expect((await client.authorizedFetch(api, {}, read)).status).toBe(200);
    expect(tokenRequests().length).toBe(2);
    expect(events.map(({ type }) => type)).toEqual([
      "service_token_obtained",
      "request_retried",
      "service_token_obtained",
    ]);
  });

  it("works with servers that want nonces, with a new assertion for each attempt", async () => {
    world.server.nonce = "server-nonce";
    world.service.nonce = "service-nonce";
    expect((await machine().authorizedFetch(api, {}, read)).status).toBe(200);
    const assertions = tokenRequests().map((form) => readPayload(form.get("client_assertion") ?? "").jti);
    expect(new Set(assertions).size).toBe(2);
  });

  it("has a token for each service, and more prefixes than the identifier when told", async () => {
    const other = await startTestService(world.server, { key: "files", clock: world.clock });
    world.server.machines[0]?.scopes.push("files:read");
    const client = machine({
      resources: [
        { resource: api },
        { resource: `${other.origin}/api`, requestPrefixes: [`${other.origin}/api/v2`] },
      ],
    });
    await client.authorizedFetch(`${api}/contracts`, {}, read);
    await client.authorizedFetch(`${other.origin}/api/v2/files`, {}, { scopes: ["files:read"] });
    expect(tokenRequests().map((form) => form.get("resource"))).toEqual([api, `${other.origin}/api`]);
    await expectFailure(client.authorizedFetch(`${other.origin}/api/v1`), "url_not_registered");
    await other.close();
  });

  it("sends nothing to an address that none of its services covers", async () => {
    const client = machine();
    for (const url of [`${world.service.origin}/other`, `${api}x`, "https://evil.example/api"])
      await expectFailure(client.authorizedFetch(url, {}, read), "url_not_registered");
    expect([world.server.seen, world.service.seen]).toEqual([[], []]);
  });

  it("never lets a caller set what says who is calling", async () => {
    for (const name of ["Authorization", "DPoP", "Cookie", "Host"])
      await expectFailure(
        machine().authorizedFetch(api, { headers: { [name]: "x" } }, read),
        "header_not_allowed",
      );
    expect(world.server.seen).toEqual([]);
  });
});

const otherKey = (): void => {
  const { publicJwk } = world.server.keyPair;
  world.server.machines.splice(0, 1, { clientId: "nightly", kid: "key-1", publicJwk, scopes: [] });
};
const refusals: [
  name: string,
  code: AuthzClientErrorCode,
  words: string,
  change: () => unknown,
  options?: Partial<MachineClientOptions>,
][] = [
  [
    "an unregistered id",
    "refused",
    'does not accept the machine client "stranger"',
    () => undefined,
    { clientId: "stranger" },
  ],
  ["another key", "refused", "The client assertion is not valid.", otherKey],
  [
    "a permission it does not have",
    "scope_not_granted",
    "Not among this machine's permissions.",
    () => world.server.machines[0]?.scopes.splice(0),
  ],
  [
    "an unregistered service",
    "resource_not_available",
    "is not a service of this authorization server",
    () => world.server.services.splice(0),
  ],
  [
    "a Bearer token in place of a bound one",
    "invalid_answer",
    "token_type",
    () => tokenAnswer((body) => (body.token_type = "Bearer"))(world),
  ],
  [
    "a server that is down",
    "unreachable",
    "503",
    () => world.server.fail("/api/oauth/token", { status: 503 }),
  ],
];

describe("a machine client says plainly", () => {
  it.each(refusals)("that it met %s", async (_name, code, words, change, options = {}) => {
    change();
    const error = await expectFailure(machine(options).authorizedFetch(api, {}, read), code);
    expect(error.message).toContain(words);
    expect(world.service.seen).toEqual([]);
  });

  it("at once that its issuer or its key cannot be used", () => {
    expect(() => machine({ issuer: "http://authz.example" })).toThrow("is not the address");
    const privateJwk = { ...keyPair.privateJwk, d: "AAAA" };
    expect(() => machine({ signingKey: { privateJwk } })).toThrow(JwsError);
  });
});

it.each([
  ["an id", { clientId: undefined }, 'createMachineClient needs clientId: .*clientId: "report-job"'],
  ["a key", { signingKey: undefined }, "createMachineClient needs signingKey: .*loaded from a secret"],
  ["the private half", { signingKey: { kid: "key-1" } }, "createMachineClient needs signingKey"],
  ["services", { resources: undefined }, "createMachineClient needs resources: .*resources: \\["],
])("without %s it says what to write", (_name, change, says) => {
  expect(() => machine(change as never)).toThrow(new RegExp(says));
  expect(() => machine(change as never)).toThrow(TypeError);
});
