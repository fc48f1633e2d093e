import { randomUUID } from "node:crypto";
import { UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AssertionChange, AssertionProvider } from "../../support/assertion-provider.js";
import { type AssertionWorld, type Redemption, startAssertionWorld } from "../../support/assertions.js";

let world: AssertionWorld;
const providers = new Map<string, AssertionProvider>();
beforeAll(async () => {
  world = await startAssertionWorld();
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
    providers.set(alg, await world.addProvider(alg));
  }
});
afterAll(() => world.close());

const seconds = () => Math.floor(Date.now() / 1000);

interface Row {
  readonly name: string;
  readonly change: () => Redemption | Promise<Redemption>;
  readonly error?: string;
  readonly reason: string;
}

const claims = (changed: Readonly<Record<string, unknown>>) => () => ({ claims: changed });
const header = (changed: Readonly<Record<string, unknown>>) => () => ({ header: changed });

const rows: readonly Row[] = [
  { name: "no typ", change: header({ typ: undefined }), reason: "assertion_type" },
  { name: "the typ of an ID token", change: header({ typ: "JWT" }), reason: "assertion_type" },
  { name: "the typ of an access token", change: header({ typ: "at+jwt" }), reason: "assertion_type" },
  { name: "no iss", change: claims({ iss: undefined }), reason: "assertion_issuer" },
  {
    name: "an iss that is a list",
    change: claims({ iss: ["https://idp.acme.example"] }),
    reason: "assertion_issuer",
  },
  {
    name: "an unknown iss",
    change: claims({ iss: "https://idp.elsewhere.example" }),
    reason: "assertion_issuer",
  },
  { name: "an iss with NUL", change: claims({ iss: "https://idp\0.example" }), reason: "assertion_issuer" },
  { name: "no aud", change: claims({ aud: undefined }), reason: "assertion_audience" },
  {
    name: "the aud of another server",
    change: claims({ aud: "https://other.example" }),
    reason: "assertion_audience",
  },
  {
    name: "two audiences, one of them this server",
    change: () => ({ claims: { aud: [world.system.issuer, "https://other.example"] } }),
    reason: "assertion_audience",
  },
  {
    name: "the token endpoint as aud",
    change: () => ({ claims: { aud: `${world.system.issuer}/api/oauth/token` } }),
    reason: "assertion_audience",
  },
  { name: "no client_id", change: claims({ client_id: undefined }), reason: "assertion_client" },
  { name: "another client_id", change: claims({ client_id: "authz-cli" }), reason: "assertion_client" },
  { name: "no sub", change: claims({ sub: undefined }), reason: "assertion_subject" },
  { name: "an empty sub", change: claims({ sub: "" }), reason: "assertion_subject" },
  { name: "a sub that is a number", change: claims({ sub: 1 }), reason: "assertion_subject" },
  { name: "a sub with NUL", change: claims({ sub: "ada\0" }), reason: "assertion_subject" },
  { name: "a sub that is too long", change: claims({ sub: "a".repeat(257) }), reason: "assertion_subject" },
  { name: "no jti", change: claims({ jti: undefined }), reason: "assertion_id" },
  { name: "a jti that is too long", change: claims({ jti: "j".repeat(257) }), reason: "assertion_id" },
  { name: "no iat", change: claims({ iat: undefined }), reason: "assertion_dates" },
  { name: "no exp", change: claims({ exp: undefined }), reason: "assertion_dates" },
  {
    name: "an exp with a fraction",
    change: () => ({ claims: { exp: seconds() + 60.5 } }),
    reason: "assertion_dates",
  },
  {
    name: "an exp that has passed",
    change: () => ({ claims: { iat: seconds() - 60, exp: seconds() - 1 } }),
    reason: "assertion_expired",
  },
  {
    name: "an iat in the future",
    change: () => ({ claims: { iat: seconds() + 60 } }),
    reason: "assertion_not_yet_valid",
  },
  {
    name: "an nbf in the future",
    change: () => ({ claims: { nbf: seconds() + 60 } }),
    reason: "assertion_not_yet_valid",
  },
  {
    name: "a lifetime of more than an hour",
    change: () => ({ claims: { exp: seconds() + 3700 } }),
    reason: "assertion_lifetime",
  },
  { name: "no resource", change: claims({ resource: undefined }), reason: "assertion_resource" },
  {
    name: "a resource that is not registered",
    change: claims({ resource: "https://mail.acme.example/api" }),
    reason: "assertion_unknown_resource",
  },
  {
    name: "two resources",
    change: () => ({ claims: { resource: [world.open.resource, world.system.resource.resource] } }),
    reason: "assertion_resource",
  },
  {
    name: "a resource in the request that is another one",
    change: () => ({ parameters: { resource: world.system.resource.resource } }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "a resource in the request that is no URL",
    change: () => ({ parameters: { resource: "open" } }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "a scope that is a list",
    change: claims({ scope: ["contracts:read"] }),
    reason: "assertion_scope",
  },
  { name: "a cnf without jkt", change: claims({ cnf: {} }), reason: "assertion_confirmation" },
  {
    name: "a cnf of another kind",
    change: claims({ cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } }),
    reason: "assertion_confirmation",
  },
  {
    name: "a key that it is bound to, and no proof",
    change: () => ({ claims: { cnf: { jkt: world.device.signer.thumbprint } } }),
    reason: "assertion_proof_missing",
  },
  {
    name: "a key that it is bound to, and a proof of another",
    change: () => ({
      claims: { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } },
      call: { proofs: [world.device.proof()] },
    }),
    reason: "wrong_key",
  },
  {
    name: "a service that wants a key, and no proof",
    change: () => ({ claims: { resource: world.system.resource.resource } }),
    error: "invalid_dpop_proof",
    reason: "missing_proof",
  },
  {
    name: "a service that wants a key, and a public client with just any",
    change: () => ({
      claims: { resource: world.system.resource.resource },
      call: { proofs: [world.device.proof()] },
    }),
    reason: "assertion_unbound",
  },
  { name: "an unknown account", change: claims({ sub: "nobody" }), reason: "email_missing" },
  {
    name: "a scope that the service does not know",
    change: () => ({ parameters: { scope: "contracts:read invoices:read" } }),
    error: "invalid_scope",
    reason: "scope_not_supported",
  },
  {
    name: "a malformed scope",
    change: () => ({ parameters: { scope: 'contracts:read "' } }),
    error: "invalid_scope",
    reason: "malformed_scope",
  },
  {
    name: "a scope that the person does not have",
    change: claims({ scope: "contracts:write" }),
    error: "invalid_scope",
    reason: "nothing_granted",
  },
  {
    name: "no scope at all",
    change: claims({ scope: "" }),
    error: "invalid_scope",
    reason: "nothing_granted",
  },
];

/** Why the last request was refused, as the log says. */
function lastReason(): unknown {
  return world.system.log.findLast(({ msg }) => msg === "refused")?.["reason"];
}

test("what a provider has signed is recorded with its reason, and what nobody has is not", async () => {
  const provider = providers.get("ES256") as AssertionProvider;
  const before = (await world.system.audit("token.refused")).length;
  await world.redeem(provider, { claims: { aud: "https://other.example" } });
  await world.redeem(provider, { key: await provider.newKey() });
  const refused = (await world.system.audit("token.refused")).slice(before);
  expect(refused).toMatchObject([
    {
      outcome: "denied",
      subject: world.adaId,
      data: { grantId: null, error: "invalid_grant", reason: "assertion_audience" },
    },
  ]);
});

describe.each(["RS256", "ES256"])("an assertion of a provider that signs with %s", (alg) => {
  const provider = () => providers.get(alg) as AssertionProvider;

  test("is redeemed", async () => {
    expect((await world.redeem(provider())).status).toBe(200);
  });

  test.each(rows)("is refused with $name", async ({ change, error = "invalid_grant", reason }) => {
    const answer = await world.redeem(provider(), await change());
    expect([answer.status, answer.body["error"], lastReason()]).toEqual([400, error, reason]);
    expect(answer.body).not.toHaveProperty("access_token");
  });

  test("is refused when it claims to be this server's", async () => {
    const answer = await world.redeem(provider(), { claims: { iss: world.system.issuer } });
    expect(answer.body["error"]).toBe("invalid_grant");
    // Its own key set has no RSA keys, whose signatures are longer.
    expect(lastReason()).toBe(alg === "RS256" ? "assertion_malformed" : "assertion_unknown_key");
  });

  const signatures: readonly { name: string; change: () => Promise<AssertionChange> }[] = [
    { name: "another key", change: async () => ({ key: await provider().newKey() }) },
    {
      name: "another key under the name of the provider's",
      change: async () => ({ key: { ...(await provider().newKey()), kid: await currentKid() } }),
    },
    {
      name: "a key of another kind under that name",
      change: async () => ({
        key: { ...(await provider().newKey(alg === "RS256" ? "ES256" : "RS256")), kid: await currentKid() },
      }),
    },
    {
      name: "a key that it brings itself",
      change: async () => {
        const key = await provider().newKey();
        return { key, header: { kid: undefined, jwk: key.jwk, jku: "https://elsewhere.example/keys" } };
      },
    },
    {
      name: "an algorithm that is not accepted",
      change: async () => ({ key: { ...(await provider().newKey(alg === "RS256" ? "PS256" : "ES384")) } }),
    },
  ];
  const currentKid = async () => {
    const keySet = (await (await fetch(`${provider().issuer}/keys`)).json()) as { keys: { kid: string }[] };
    return keySet.keys[0]?.kid ?? "";
  };

  test.each(signatures)("is refused when it is signed with $name", async ({ change }) => {
    const answer = await world.redeem(provider(), await change());
    expect([answer.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_signature"]);
  });

  test("is refused when it is signed with the public key as a shared secret", async () => {
    const { keys } = (await (await fetch(`${provider().issuer}/keys`)).json()) as { keys: object[] };
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
    const key = { ...(await provider().newKey()), alg: "HS256", privateKey: secret as never };
    const answer = await world.redeem(provider(), { key });
    expect([answer.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_signature"]);
  });

  test("is refused when nothing has signed it", async () => {
    const now = seconds();
    const unsigned = new UnsecuredJWT({ ...world.claims(), iss: provider().issuer, jti: randomUUID() })
      .setIssuedAt(now)
      .setExpirationTime(now + 60)
      .encode();
    const [, payload = ""] = unsigned.split(".");
    const head = Buffer.from(JSON.stringify({ alg: "none", typ: "oauth-id-jag+jwt" })).toString("base64url");
    for (const [signature, reason] of [
      ["", "assertion_malformed"],
      ["AAAA", "assertion_signature"],
    ]) {
      const answer = await world.present(`${head}.${payload}.${signature}`);
      expect([answer.body["error"], lastReason()]).toEqual(["invalid_grant", reason]);
    }
  });

  const rewrite = (token: string, place: 0 | 1, change: (text: string) => string) => {
    const parts = token.split(".");
    const text = Buffer.from(parts[place] ?? "", "base64url").toString();
    parts[place] = Buffer.from(change(text)).toString("base64url");
    return parts.join(".");
  };
  const forms: readonly { name: string; change: (token: string) => string }[] = [
    {
      name: "a member twice",
      change: (token) => rewrite(token, 1, (text) => text.replace("{", '{"sub":"x",')),
    },
    {
      name: "a header member twice",
      change: (token) => rewrite(token, 0, (text) => text.replace("{", '{"typ":"JWT",')),
    },
    { name: "crit", change: (token) => rewrite(token, 0, (text) => text.replace("{", '{"crit":["x"],')) },
    { name: "b64", change: (token) => rewrite(token, 0, (text) => text.replace("{", '{"b64":false,')) },
    { name: "claims that are a list", change: (token) => rewrite(token, 1, () => "[]") },
    { name: "claims that are no JSON", change: (token) => rewrite(token, 1, () => "{") },
    { name: "padding", change: (token) => token.replace(".", "=.") },
    { name: "a fourth part", change: (token) => `${token}.AAAA` },
    { name: "another alphabet", change: (token) => `${token.slice(0, -4)}++//` },
    {
      name: "16 KiB and more",
      change: (token) => rewrite(token, 1, (text) => text.replace("{", `{"x":"${"x".repeat(16_384)}",`)),
    },
  ];

  test.each(forms)("is refused before anything else with $name", async ({ change }) => {
    const asked = provider().asked.length;
    const answer = await world.present(change(await provider().sign(world.claims())));
    expect([answer.status, answer.body["error"], lastReason()]).toEqual([
      400,
      "invalid_grant",
      "assertion_malformed",
    ]);
    expect(provider().asked).toHaveLength(asked);
  });
});

test("an assertion that is signed with EdDSA is redeemed", async () => {
  const { status } = await world.redeem(providers.get("EdDSA") as AssertionProvider);
  expect(status).toBe(200);
});

test("without an assertion the request is incomplete", async () => {
  const { body } = await world.present("");
  expect(body["error"]).toBe("invalid_request");
});

test.each(["assertion", "resource", "scope"])("%s twice is refused", async (name) => {
  const provider = providers.get("ES256") as AssertionProvider;
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    client_id: world.client.id,
    assertion: await provider.sign(world.claims()),
    resource: world.open.resource,
    scope: "contracts:read",
  });
  form.append(name, form.get(name) ?? "");
  const { body } = await world.present("", { call: { body: form.toString() } });
  expect(body["error"]).toBe("invalid_request");
});
