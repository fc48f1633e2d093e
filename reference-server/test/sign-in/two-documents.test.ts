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

/** Signs in at the provider and returns the address, or the reason of the refusal. */
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
    const { claims: said } = await relyingParty.complete(provider, attempt, answer);
    return { ...decideIdentity(said, provider), groups: said.groups };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return error.reason;
  }
}

const own = "ada@acme.example";
const other = "boss@acme.example";

test.each([
  ["both in the ID token", { email: own, email_verified: true }, { email: other, email_verified: true }, own],
  ["both at userinfo", {}, { email: own, email_verified: true }, own],
  [
    "the address in both, its verification at userinfo",
    { email: own },
    { email: own, email_verified: true },
    own,
  ],
  [
    "an address in the ID token, another one that is verified at userinfo",
    { email: other },
    { email: own, email_verified: true },
    own,
  ],
  [
    "the address in the ID token, a verification of nothing at userinfo",
    { email: other },
    { email_verified: true },
    "email_unverified",
  ],
  [
    "a verification of nothing in the ID token, the address at userinfo",
    { email_verified: true },
    { email: other },
    "email_unverified",
  ],
  [
    "an unverified address in the ID token, a verified one at userinfo",
    { email: other, email_verified: false },
    { email: own, email_verified: true },
    "email_unverified",
  ],
  [
    "an address in the ID token, an unverified one at userinfo",
    { email: own },
    { email: other, email_verified: false },
    "email_unverified",
  ],
  ["an address in both, a verification in neither", { email: own }, { email: own }, "email_unverified"],
  ["no address at all", {}, { email_verified: true }, "email_missing"],
  [
    "a userinfo document of another account",
    {},
    { sub: "eve", email: other, email_verified: true },
    "invalid_response",
  ],
  [
    "a userinfo document of no account",
    {},
    { sub: undefined, email: other, email_verified: true },
    "invalid_response",
  ],
])("address and verification are of one document: %s", async (_name, claims, userinfo, result) => {
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
