import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beginSignIn, completeSignIn } from "../../src/sign-in/sign-in.js";
import { createBrowserSecret } from "../../src/sign-in/browser.js";
import { callbackKeyOf } from "../../src/sign-in/sign-in-link.js";
import type { RelyingParty } from "../../src/sign-in/relying-party.js";
import { hashSecret } from "../../src/protocol/secrets.js";
import type { IdentityProvider } from "../../src/store/identity-providers.js";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const link = { request: undefined, returnTo: undefined, prompt: undefined };
const now = () => new Date(server.clock());

/** A provider with groups, and a sign-in there. `meanwhile` runs while the provider answers. */
async function begin(meanwhile: (ids: { provider: string; groups: string }) => Promise<void>) {
  const { store } = server.context;
  const id = randomUUID();
  const groups = randomUUID();
  const key = `p${id.slice(0, 8)}`;
  const provider: IdentityProvider = {
    id,
    key,
    name: "Acme",
    issuer: "https://accounts.acme.example",
    clientId: "authz",
    clientSecret: null,
    tokenEndpointAuthMethod: "none",
    discoveryUrl: null,
    scopes: ["openid"],
    allowedEmailDomains: [],
    enabled: true,
  };
  await store.identityProviders.save(provider, now());
  const claim = {
    id: groups,
    key,
    name: "Acme",
    type: "claim",
    identityProviderId: id,
    enabled: true,
  } as const;
  await store.groupProviders.save(claim, now());
  const relyingParty: RelyingParty = {
    authorizationUrl: async (_provider, { state }) => {
      await Promise.resolve();
      return new URL(`https://accounts.acme.example/authorize?state=${state}`);
    },
    complete: async () => {
      await meanwhile({ provider: id, groups });
      const claims = { sub: id, email: `${key}@acme.example`, email_verified: true, groups: ["staff"] };
      return { claims, refreshToken: undefined };
    },
    confirm: () => Promise.reject(new Error("Nobody is asked about.")),
    revoke: () => Promise.resolve(false),
  };
  const browserSecret = createBrowserSecret();
  const start = () => beginSignIn({ provider, browserSecret, link }, { store, relyingParty, now: now() });
  const stored = await store.identityProviders.find(id);
  const finish = async (url: URL | undefined) =>
    await completeSignIn(
      {
        callbackKey: stored && callbackKeyOf(stored),
        query: "",
        state: url?.searchParams.get("state") ?? "",
        browserSecret,
        browser: { hash: hashSecret(browserSecret), session: undefined },
        userAgent: null,
        language: "en",
        requestId: "r",
      },
      {
        store,
        refusals: server.context.refusals.from("192.0.2.1"),
        relyingParty,
        credentials: server.context.credentials,
        now: now(),
      },
    );
  return { start, finish, ids: { provider: id, groups } };
}

async function removeProvider({ provider, groups }: { provider: string; groups: string }): Promise<void> {
  await server.context.store.groupProviders.remove(groups);
  await server.context.store.identityProviders.remove(provider);
}

test("a provider that is removed during its answer signs no user in", async () => {
  const { start, finish } = await begin(removeProvider);
  expect(await finish(await start())).toEqual({ kind: "overdue" });
});

test("a provider that was removed before the callback signs no user in", async () => {
  const { start, finish, ids } = await begin(async () => {});
  const url = await start();
  await removeProvider(ids);
  expect(await finish(url)).toEqual({ kind: "overdue" });
});

test("a provider that was removed before the redirect begins nothing", async () => {
  const { start, ids } = await begin(async () => {});
  await removeProvider(ids);
  expect(await start()).toBeUndefined();
});

test("groups of a group provider that is removed meanwhile are not stored, and the person is signed in", async () => {
  const { start, finish } = await begin(({ groups }) => server.context.store.groupProviders.remove(groups));
  expect(await finish(await start())).toMatchObject({ kind: "signed-in" });
  expect(await server.database.query("SELECT FROM user_groups")).toEqual([]);
  expect(await server.database.query("SELECT FROM known_groups")).toEqual([]);
});

test("removing a group provider waits for a sign-in that names its groups", async () => {
  const { start, finish, ids } = await begin(async () => {});
  const url = await start();
  const [signedIn] = await Promise.all([finish(url), server.context.store.groupProviders.remove(ids.groups)]);
  expect(signedIn).toMatchObject({ kind: "signed-in" });
  expect(await server.database.query("SELECT FROM known_groups")).toEqual([]);
});
