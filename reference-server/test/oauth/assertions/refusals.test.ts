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

const claims = (changed: Readonly<Record<string, unknown>>) => () => ({ claims: changed });
const header = (changed: Readonly<Record<string, unknown>>) => () => ({ header: changed });

const rows: [name: string, change: () => Redemption | Promise<Redemption>, reason: string, error?: string][] =
  [
    ["no typ", header({ typ: undefined }), "assertion_type"],
    ["the typ of an ID token", header({ typ: "JWT" }), "assertion_type"],
    ["the typ of an access token", header({ typ: "at+jwt" }), "assertion_type"],
    ["no iss", claims({ iss: undefined }), "assertion_issuer"],
    ["an iss that is a list", claims({ iss: ["https://idp.acme.example"] }), "assertion_issuer"],
    ["an unknown iss", claims({ iss: "https://idp.elsewhere.example" }), "assertion_issuer"],
    ["an iss with NUL", claims({ iss: "https://idp\0.example" }), "assertion_issuer"],
    ["no aud", claims({ aud: undefined }), "assertion_audience"],
    ["the aud of another server", claims({ aud: "https://other.example" }), "assertion_audience"],
    [
      "two audiences, one of them this server",
      () => ({ claims: { aud: [world.system.issuer, "https://other.example"] } }),
      "assertion_audience",
    ],
    [
      "the token endpoint as aud",
      () => ({ claims: { aud: `${world.system.issuer}/api/oauth/token` } }),
      "assertion_audience",
    ],
    ["no client_id", claims({ client_id: undefined }), "assertion_client"],
    ["another client_id", claims({ client_id: "authz-cli" }), "assertion_client"],
    ["no sub", claims({ sub: undefined }), "assertion_subject"],
    ["an empty sub", claims({ sub: "" }), "assertion_subject"],
    ["a sub that is a number", claims({ sub: 1 }), "assertion_subject"],
    ["a sub with NUL", claims({ sub: "ada\0" }), "assertion_subject"],
    ["a sub that is too long", claims({ sub: "a".repeat(257) }), "assertion_subject"],
    ["no jti", claims({ jti: undefined }), "assertion_id"],
    ["a jti that is too long", claims({ jti: "j".repeat(257) }), "assertion_id"],
    ["no iat", claims({ iat: undefined }), "assertion_dates"],
    ["no exp", claims({ exp: undefined }), "assertion_dates"],
    ["an exp with a fraction", () => ({ claims: { exp: seconds() + 60.5 } }), "assertion_dates"],
    [
      "an exp that has passed",
      () => ({ claims: { iat: seconds() - 60, exp: seconds() - 1 } }),
      "assertion_expired",
    ],
    ["an iat in the future", () => ({ claims: { iat: seconds() + 60 } }), "assertion_not_yet_valid"],
    ["an nbf in the future", () => ({ claims: { nbf: seconds() + 60 } }), "assertion_not_yet_valid"],
    ["a lifetime of more than an hour", () => ({ claims: { exp: seconds() + 3700 } }), "assertion_lifetime"],
    ["no resource", claims({ resource: undefined }), "assertion_resource"],
    [
      "a resource that is not registered",
      claims({ resource: "https://mail.acme.example/api" }),
      "assertion_unknown_resource",
    ],
    [
      "two resources",
      () => ({ claims: { resource: [world.open.resource, world.system.resource.resource] } }),
      "assertion_resource",
    ],
    [
      "a resource in the request that is another one",
      () => ({ parameters: { resource: world.system.resource.resource } }),
      "resource_mismatch",
      "invalid_target",
    ],
    [
      "a resource in the request that is no URL",
      () => ({ parameters: { resource: "open" } }),
      "resource_mismatch",
      "invalid_target",
    ],
    ["a scope that is a list", claims({ scope: ["contracts:read"] }), "assertion_scope"],
    ["a cnf without jkt", claims({ cnf: {} }), "assertion_confirmation"],
    [
      "a cnf of another kind",
      claims({ cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } }),
      "assertion_confirmation",
    ],
    [
      "a key that it is bound to, and no proof",
      () => ({ claims: { cnf: { jkt: world.device.signer.thumbprint } } }),
      "assertion_proof_missing",
    ],
    [
      "a key that it is bound to, and a proof of another",
      () => ({
        claims: { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } },
        call: { proofs: [world.device.proof()] },
      }),
      "wrong_key",
    ],
    [
      "a service that wants a key, and no proof",
      () => ({ claims: { resource: world.system.resource.resource } }),
      "missing_proof",
      "invalid_dpop_proof",
    ],
    [
      "a service that wants a key, and a public client with just any",
      () => ({
        claims: { resource: world.system.resource.resource },
        call: { proofs: [world.device.proof()] },
      }),
      "assertion_unbound",
    ],
    ["an unknown account", claims({ sub: "nobody" }), "email_missing"],
    [
      "a scope that the service does not know",
      () => ({ parameters: { scope: "contracts:read invoices:read" } }),
      "scope_not_supported",
      "invalid_scope",
    ],
    [
      "a malformed scope",
      () => ({ parameters: { scope: 'contracts:read "' } }),
      "malformed_scope",
      "invalid_scope",
    ],
    [
      "a scope that the person does not have",
      claims({ scope: "contracts:write" }),
      "nothing_granted",
      "invalid_scope",
    ],
    ["no scope at all", claims({ scope: "" }), "nothing_granted", "invalid_scope"],
  ];

/** Why the last request was refused, as the log says. */
function lastReason(): unknown {
  return world.system.log.findLast(({ msg }) => msg === "refused")?.["reason"];
}

test("a refused assertion is recorded with its reason if a provider signed it, and otherwise not", async () => {
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

  test.each(rows)("is refused with %s", async (_name, change, reason, error = "invalid_grant") => {
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
