import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { OpenStore } from "../../src/store/store.js";
import type { SignIn, User } from "../../src/store/users.js";
import { withStore } from "../support/store.js";

let store: OpenStore;
const [entra, google] = [randomUUID(), randomUUID()];
const at = new Date("2026-11-20T12:00:00Z");

withStore("all", async (opened) => {
  ({ store } = opened);
  for (const [key, id] of Object.entries({ entra, google })) {
    const addresses = { issuer: `https://${key}.example`, clientId: "authz", clientSecret: Buffer.alloc(1) };
    const defaults = { tokenEndpointAuthMethod: null, discoveryUrl: null };
    const lists = { scopes: ["openid"], allowedEmailDomains: [] };
    await store.identityProviders.save(
      { id, key, name: key, ...addresses, ...defaults, ...lists, enabled: true },
      at,
    );
  }
});

async function signIn(person: Omit<SignIn, "at">): Promise<User> {
  const {
    linked: _,
    resumed: __,
    ...user
  } = await store.transaction((tx) => tx.users.signIn({ ...person, at }));
  return user;
}

test("the first sign-in creates a person, later ones find the same and refresh name and address", async () => {
  const first = await signIn({ providerId: entra, subject: "1", email: "Ada@Acme.example", name: "Ada" });
  const second = await signIn({
    providerId: entra,
    subject: "1",
    email: "ada.l@acme.example",
    name: "Ada L.",
  });

  expect(first).toEqual({
    id: first.id,
    email: "ada@acme.example",
    name: "Ada",
    enabled: true,
    pausedAt: null,
  });
  expect(second).toEqual({
    id: first.id,
    email: "ada.l@acme.example",
    name: "Ada L.",
    enabled: true,
    pausedAt: null,
  });
  expect(await store.users.find(first.id)).toEqual(second);
});

test("a name that a provider leaves out stays", async () => {
  await signIn({ providerId: entra, subject: "2", email: "grace@acme.example", name: "Grace" });
  expect((await signIn({ providerId: entra, subject: "2", email: "grace@acme.example" })).name).toBe("Grace");
});

test("the same verified address at another provider is the same person", async () => {
  const first = await signIn({ providerId: entra, subject: "3", email: "linus@acme.example" });
  const second = await signIn({ providerId: google, subject: "x3", email: "linus@acme.example" });
  expect(second.id).toBe(first.id);
});

test("a new subject with a reused address is a new person, and the former holder loses the address", async () => {
  const former = await signIn({ providerId: entra, subject: "4", email: "office@acme.example" });
  const current = await signIn({ providerId: entra, subject: "5", email: "office@acme.example" });

  expect(current.id).not.toBe(former.id);
  expect(current.email).toBe("office@acme.example");
  expect((await store.users.find(former.id))?.email).toBeNull();
});

test("an address of a disabled person yields that person, who cannot return under a new account", async () => {
  const disabled = await signIn({ providerId: entra, subject: "6", email: "mallory@acme.example" });
  expect(await store.users.setEnabled(disabled.id, false, at)).toBe(true);

  for (const providerId of [entra, google]) {
    const again = await signIn({ providerId, subject: "7", email: "mallory@acme.example" });
    expect(again).toMatchObject({ id: disabled.id, enabled: false });
  }
});

test("a disabled person stays disabled after another sign-in", async () => {
  const person = await signIn({ providerId: entra, subject: "8", email: "eve@acme.example" });
  await store.users.setEnabled(person.id, false, at);
  expect((await signIn({ providerId: entra, subject: "8", email: "eve@acme.example" })).enabled).toBe(false);
});

test("ten sign-ins of one new person at the same time create one person", async () => {
  const person = { providerId: entra, subject: "9", email: "twin@acme.example" };
  const users = await Promise.all(Array.from({ length: 10 }, () => signIn(person)));
  expect(new Set(users.map(({ id }) => id)).size).toBe(1);
});

test("two people who swap their addresses at the same time both end with the new one", async () => {
  await signIn({ providerId: entra, subject: "10", email: "left@acme.example" });
  await signIn({ providerId: entra, subject: "11", email: "right@acme.example" });
  const swaps = [
    signIn({ providerId: entra, subject: "10", email: "right@acme.example" }),
    signIn({ providerId: entra, subject: "11", email: "left@acme.example" }),
  ];
  expect((await Promise.all(swaps)).map(({ email }) => email)).toEqual([
    "right@acme.example",
    "left@acme.example",
  ]);
});
