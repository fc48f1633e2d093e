import { afterAll, beforeAll, expect, test } from "vitest";
import { createCredentialVault } from "../../src/encryption-keys/open-vaults.js";
import { decideIdentity, SignInError } from "../../src/sign-in/identity.js";
import { createRelyingParty, type RelyingParty } from "../../src/sign-in/relying-party.js";
import { createOutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import type { IdentityProvider } from "../../src/store/identity-providers.js";
import { type FaultyProvider, startFaultyProvider } from "../set-up/faulty-provider.js";

const outbound = createOutboundClient({ allowInsecureLoopback: true });
const attempt = { state: "state", nonce: "nonce", codeVerifier: "v".repeat(43) };
let faulty: FaultyProvider;
let relyingParty: RelyingParty;
/** By how much the clock of this machine is ahead of the database's. */
let ahead = 0;

beforeAll(async () => {
  faulty = await startFaultyProvider();
  relyingParty = createRelyingParty({
    issuer: "http://127.0.0.1:3000",
    credentials: createCredentialVault(Buffer.alloc(32, 3)),
    outboundFetch: outbound.fetch,
    allowInsecureLoopback: true,
    clock: Date.now,
    clockDifferenceSeconds: () => ahead,
  });
});
afterAll(() => Promise.all([faulty.close(), outbound.close()]));

/** Signs in at the provider, and says who that was or why it was nobody. */
async function signIn(
  claims: Readonly<Record<string, unknown>>,
  userinfo: Readonly<Record<string, unknown>>,
  wantsGroups = false,
): Promise<unknown> {
  const provider: IdentityProvider = {
    id: "p1",
    key: "acme",
    name: "Acme",
    issuer: faulty.issuer,
    clientId: "authz",
    clientSecret: null,
    tokenEndpointAuthMethod: "none",
    discoveryUrl: null,
    scopes: ["openid", "email"],
    allowedEmailDomains: [],
    enabled: true,
  };
  const none = { email: undefined, email_verified: undefined };
  faulty.behave({
    claims: { ...none, ...claims },
    userinfo: { status: 200, body: { sub: "ada", ...userinfo } },
  });
  try {
    const url = await relyingParty.authorizationUrl(provider, attempt, undefined);
    const { headers } = await fetch(url, { redirect: "manual" });
    const { search } = new URL(headers.get("location") ?? "");
    const answer = { query: search.slice(1), wantsGroups };
    const said = await relyingParty.complete(provider, attempt, answer);
    return { ...decideIdentity(said, provider), groups: said.groups };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return error.reason;
  }
}

const own = "ada@acme.example";
const other = "boss@acme.example";

test.each([
  {
    name: "both in the ID token",
    claims: { email: own, email_verified: true },
    userinfo: { email: other, email_verified: true },
    result: own,
  },
  {
    name: "both at userinfo",
    claims: {},
    userinfo: { email: own, email_verified: true },
    result: own,
  },
  {
    name: "the address in both, its verification at userinfo",
    claims: { email: own },
    userinfo: { email: own, email_verified: true },
    result: own,
  },
  {
    name: "an address in the ID token, another one that is verified at userinfo",
    claims: { email: other },
    userinfo: { email: own, email_verified: true },
    result: own,
  },
  {
    name: "the address in the ID token, a verification of nothing at userinfo",
    claims: { email: other },
    userinfo: { email_verified: true },
    result: "email_unverified",
  },
  {
    name: "a verification of nothing in the ID token, the address at userinfo",
    claims: { email_verified: true },
    userinfo: { email: other },
    result: "email_unverified",
  },
  {
    name: "an unverified address in the ID token, a verified one at userinfo",
    claims: { email: other, email_verified: false },
    userinfo: { email: own, email_verified: true },
    result: "email_unverified",
  },
  {
    name: "an address in the ID token, an unverified one at userinfo",
    claims: { email: own },
    userinfo: { email: other, email_verified: false },
    result: "email_unverified",
  },
  {
    name: "an address in both, a verification in neither",
    claims: { email: own },
    userinfo: { email: own },
    result: "email_unverified",
  },
  { name: "no address at all", claims: {}, userinfo: { email_verified: true }, result: "email_missing" },
  {
    name: "a userinfo document of another account",
    claims: {},
    userinfo: { sub: "eve", email: other, email_verified: true },
    result: "invalid_response",
  },
  {
    name: "a userinfo document of no account",
    claims: {},
    userinfo: { sub: undefined, email: other, email_verified: true },
    result: "invalid_response",
  },
])("address and verification are of one document: $name", async ({ claims, userinfo, result }) => {
  const said = await signIn(claims, userinfo);
  expect(typeof said === "string" ? said : (said as { email: string }).email).toBe(result);
});

test("what says nothing about the address may come from the other document, whole", async () => {
  const claims = { email: own, email_verified: true, groups: ["staff"] };
  const userinfo = { name: "Ada", groups: ["staff", "admins"] };
  expect(await signIn({ ...claims, groups: undefined }, userinfo, true)).toMatchObject({
    email: own,
    name: "Ada",
    groups: ["staff", "admins"],
  });
  expect(await signIn({ ...claims, name: "Ada L." }, { ...userinfo, email: other }, true)).toMatchObject({
    email: own,
    name: "Ada L.",
    groups: ["staff"],
  });
});

test("how and when the person signed in is for the ID token alone to say", async () => {
  const userinfo = { email: own, email_verified: true, auth_time: 1_700_000_000, amr: ["hwk"] };
  expect(await signIn({}, userinfo)).toMatchObject({ authTime: undefined, amr: [] });
  expect(await signIn({ auth_time: 1_600_000_000, amr: ["pwd"] }, userinfo)).toMatchObject({
    authTime: new Date(1_600_000_000_000),
    amr: ["pwd"],
  });
});

test.each([
  { machine: "right", difference: 0, issued: 0, result: own },
  { machine: "an hour fast", difference: 3600, issued: -3600, result: own },
  { machine: "an hour slow", difference: -3600, issued: 3600, result: own },
  { machine: "right, and the token an hour old", difference: 0, issued: -3600, result: "invalid_response" },
  {
    machine: "an hour slow, and the token an hour old",
    difference: -3600,
    issued: 0,
    result: "invalid_response",
  },
])("an ID token is judged by the time of the database: the machine is $machine", async (row) => {
  const issuedAt = Math.floor(Date.now() / 1000) + row.issued;
  ahead = row.difference;
  const claims = { email: own, email_verified: true, iat: issuedAt, nbf: issuedAt, exp: issuedAt + 300 };
  const said = await signIn(claims, {});
  ahead = 0;
  expect(typeof said === "string" ? said : (said as { email: string }).email).toBe(row.result);
});
