import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type AuthzClientErrorCode,
  fileStore,
  type Keyring,
  keyringStore,
  memoryStore,
  type SessionStore,
} from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { startTestService } from "../support/test-service.js";
import { startTestWorld, type TestWorld } from "../support/test-world.js";

const world = forEachTest(startTestWorld);
let address: string;
const read = { scopes: ["contracts:read"] };
beforeEach(() => {
  address = `${world.service.origin}/api/contracts`;
});

function sameEachTime(store: SessionStore): () => SessionStore {
  return () => store;
}

function keyringIn(folder: string): () => SessionStore {
  const secrets = new Map<string, string>();
  const keyring: Keyring = {
    get: async (account) => secrets.get(account),
    set: async (account, secret) => {
      secrets.set(account, secret);
    },
    remove: async (account) => {
      secrets.delete(account);
    },
  };
  return () => keyringStore({ keyring, account: "session", lockPath: join(folder, "session.lock") });
}

describe("a service that takes only the server's tokens", () => {
  it("is called with one, which the server gives for its own assertion", async () => {
    world.service.registration.authorizationServer = world.server.origin;
    const client = await world.signedIn();
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/oauth/token")).toBe(0);
    expect(world.service.count("/.well-known/oauth-authorization-server")).toBe(0);
  });

  it("says what to change where it is registered as one that gives out its own", async () => {
    world.service.registration.authorizationServer = `${world.server.origin}/nothing`;
    const client = await world.signedIn();
    const { what, why } = await expectFailure(client.authorizedFetch(address, {}, read), "invalid_answer");
    expect(what).toBe("Service contracts does not say how it gives out tokens.");
    expect(why).toContain(`takes only tokens from ${world.server.origin}, an administrator has to name that`);
  });
});

describe("a token for a service", () => {
  it("is kept until it ends, also for the next process", async () => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    for (let round = 0; round < 3; round += 1)
      expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect((await world.client({ store }).authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/oauth/token")).toBe(1);
    world.clock.advance(595);
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/oauth/token")).toBe(2);
  });

  it("is asked for once by many requests at the same time", async () => {
    const client = await world.signedIn();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => await client.authorizedFetch(address, {}, read)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(world.service.count("/oauth/token")).toBe(1);
  });

  it.each<[string, (folder: string) => () => SessionStore]>([
    ["in memory", () => sameEachTime(memoryStore())],
    ["in a file", (folder) => () => fileStore(join(folder, "session.json"))],
    ["in a keyring", keyringIn],
  ])("is asked for once by many processes at the same time, with a session %s", async (_where, storeIn) => {
    const folder = await mkdtemp(join(tmpdir(), "authz-tokens-"));
    try {
      const open = storeIn(folder);
      await world.signedIn({ store: open() });
      const answers = await Promise.all(
        Array.from(
          { length: 5 },
          async () => await world.client({ store: open() }).authorizedFetch(address, {}, read),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(world.service.count("/oauth/token")).toBe(1);
      expect(await readdir(folder)).not.toContainEqual(expect.stringContaining("lock"));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("can be prefetched, for several services at once", async () => {
    const travel = await startTestService(world.server, { clock: world.clock, key: "travel" });
    try {
      const client = await world.signedIn();
      await client.prepare([
        { resource: "contracts", scopes: ["contracts:read"] },
        { resource: "travel", scopes: ["travel:read"] },
        { resource: "travel", scopes: ["travel:read"] },
      ]);
      expect([world.service.count("/oauth/token"), travel.count("/oauth/token")]).toEqual([1, 1]);
      expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
      expect((await client.authorizedFetch(`${travel.origin}/api/trips`)).status).not.toBe(401);
      expect([world.service.count("/oauth/token"), travel.count("/oauth/token")]).toEqual([1, 1]);
    } finally {
      await travel.close();
    }
  });

  it.each([
    { what: "a permission that the person lacks", resource: "contracts", scopes: ["contracts:write"] },
    { what: "no permission", resource: "contracts", scopes: [] },
    { what: "a service that is none", resource: "nothing", scopes: ["contracts:read"] },
  ])("is not prefetched for $what", async ({ resource, scopes }) => {
    const client = await world.signedIn();
    await client.prepare([{ resource, scopes }]);
    expect(world.service.count("/oauth/token")).toBe(0);
  });

  it("that cannot be prefetched is left to the request, which says why", async () => {
    const client = await world.signedIn();
    await client.resources();
    world.server.services.length = 0;
    await client.prepare([{ resource: "contracts", scopes: ["contracts:read"] }]);
    await expectFailure(client.authorizedFetch(address, {}, read), "resource_not_available");
    expect(world.service.count("/oauth/token")).toBe(0);
  });

  it("is asked for with exactly the scopes of the request", async () => {
    world.service.registration.grantedScopes = ["contracts:read", "contracts:write"];
    const client = await world.signedIn();
    await client.authorizedFetch(address, {}, read);
    await client.authorizedFetch(address, {}, { scopes: ["contracts:write"] });
    await client.authorizedFetch(address, {}, { scopes: ["contracts:write", "contracts:read"] });
    await client.authorizedFetch(address, {}, { scopes: ["contracts:read", "contracts:write"] });
    expect([...world.service.tokens.values()].map(({ scope }) => scope)).toEqual([
      "contracts:read",
      "contracts:write",
      "contracts:write contracts:read",
    ]);
  });

  it("needs no scope when there is only one to choose", async () => {
    const client = await world.signedIn();
    expect((await client.authorizedFetch(address)).status).toBe(200);
    expect([...world.service.tokens.values()][0]?.scope).toBe("contracts:read");
  });

  it("is replaced once when the service no longer takes it", async () => {
    const client = await world.signedIn();
    await client.authorizedFetch(address, {}, read);
    world.service.tokens.clear();
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/oauth/token")).toBe(2);
    world.service.tokenSeconds = -1;
    world.service.tokens.clear();
    world.service.fail("/oauth/token", {
      status: 200,
      body: { access_token: "unknown", token_type: "DPoP", expires_in: 600, scope: "contracts:read" },
    });
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(401);
    expect(world.service.count("/oauth/token")).toBe(3);
  });

  it("is sent again with the nonce the service asks for", async () => {
    const client = await world.signedIn();
    world.service.nonce = "service-nonce";
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/api/contracts")).toBe(2);
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
    expect(world.service.count("/api/contracts")).toBe(3);
  });

  it("comes after a renewal when the session's access token has ended", async () => {
    const client = await world.signedIn();
    await client.resources();
    world.clock.advance(299);
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
  });

  it("comes after a renewal when the server no longer takes a token that looks good", async () => {
    const client = await world.signedIn();
    await client.resources();
    world.server.grants[0]?.accessTokens.clear();
    expect((await client.authorizedFetch(address, {}, read)).status).toBe(200);
  });
});

const none = (): void => undefined;
const evil = { issuer: "https://evil.example", token_endpoint: "https://evil.example/token" };
const bearer = { access_token: "x", token_type: "Bearer", expires_in: 600 };
const noAssertion = { access_token: "x", issued_token_type: "urn:ietf:params:oauth:token-type:access_token" };
const failing = (path: string, status: number, body?: object) => (w: TestWorld) =>
  w.service.fail(path, { status, body });
const refusals: [
  name: string,
  code: AuthzClientErrorCode,
  words: string,
  change: (world: TestWorld) => unknown,
  scope?: string,
][] = [
  [
    "a permission the person does not have",
    "scope_not_granted",
    "You lack contracts:write for Service contracts. You have contracts:read.",
    none,
    "contracts:write",
  ],
  [
    "a permission that was taken away a moment ago",
    "scope_not_granted",
    "You lack contracts:read for Service contracts. You have no permission there.",
    ({ service }) => (service.registration.grantedScopes = []),
  ],
  [
    "a permission that does not exist",
    "scope_not_granted",
    "contracts:delete is not a permission of Service contracts. It has these: contracts:read, contracts:write.",
    none,
    "contracts:delete",
  ],
  [
    "a service that was switched off a moment ago",
    "resource_not_available",
    "no longer lists it",
    ({ server }) => server.services.splice(0),
  ],
  [
    "a session that was ended a moment ago",
    "session_ended",
    "no longer accepts it",
    ({ server }) => server.grants.map((grant) => (grant.revoked = true)),
  ],
  [
    "a service whose metadata names another issuer",
    "invalid_answer",
    "https://evil.example",
    failing("/.well-known/oauth-authorization-server", 200, evil),
  ],
  [
    "a service that hands out Bearer tokens",
    "invalid_answer",
    '"token_type" must be DPoP',
    failing("/oauth/token", 200, bearer),
  ],
  [
    "a service that does not take the assertion",
    "refused",
    "invalid_grant",
    failing("/oauth/token", 400, { error: "invalid_grant" }),
  ],
  [
    "an exchange that answers with something else than an assertion",
    "invalid_answer",
    "issued_token_type",
    ({ server }) => server.fail("/api/oauth/token", { status: 200, body: noAssertion }),
  ],
  ["a service that is away", "unreachable", "could not be reached", failing("/oauth/token", 503)],
];

describe("no request is sent", () => {
  it.each(refusals)("for %s", async (_name, code, words, change, scope = "contracts:read") => {
    const client = await world.signedIn();
    await client.resources();
    change(world);
    const error = await expectFailure(client.authorizedFetch(address, {}, { scopes: [scope] }), code);
    expect(error.message).toContain(words);
    expect(world.service.count("/api/contracts")).toBe(0);
  });

  it("when several permissions could be meant", async () => {
    world.service.registration.grantedScopes = ["contracts:read", "contracts:write"];
    const client = await world.signedIn();
    const error = await expectFailure(client.authorizedFetch(address), "scope_required");
    expect(error.message).toContain("contracts:read, contracts:write");
  });
});
