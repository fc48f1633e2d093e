import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AssertionProvider } from "../../support/assertion-provider.js";
import { type AssertionWorld, startAssertionWorld } from "../../support/assertions.js";
import { startClientPublisher } from "../../support/client-publisher.js";

let world: AssertionWorld;
let provider: AssertionProvider;
beforeAll(async () => {
  world = await startAssertionWorld();
  provider = await world.addProvider("ES256");
});
afterAll(() => world.close());

const lastReason = () => world.system.log.findLast(({ msg }) => msg === "refused")?.["reason"];

describe("an assertion of a provider", () => {
  test("becomes an access token for one service, and nothing else", async () => {
    const { status, body, headers } = await world.redeem(provider, {
      claims: { auth_time: 1_700_000_000, amr: ["pwd", "mfa"] },
    });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toStrictEqual({
      access_token: expect.any(String) as string,
      token_type: "Bearer",
      expires_in: 300,
      scope: "contracts:read",
    });
    const keys = createRemoteJWKSet(new URL(`${world.system.issuer}/api/oauth/jwks`));
    const { payload } = await jwtVerify(body["access_token"] ?? "", keys, {
      typ: "at+jwt",
      algorithms: ["ES256"],
    });
    expect(payload).toStrictEqual({
      iss: world.system.issuer,
      sub: world.adaId,
      aud: world.open.resource,
      client_id: world.client.id,
      scope: "contracts:read",
      auth_time: 1_700_000_000,
      amr: ["pwd", "mfa"],
      email: "ada@acme.example",
      act: { sub: world.client.id },
      status: {
        status_list: { idx: expect.any(Number) as number, uri: `${world.system.issuer}/oauth/status` },
      },
      jti: expect.any(String) as string,
      iat: expect.any(Number) as number,
      exp: (payload.iat ?? 0) + 300,
    });
    const [event] = (await world.system.audit("token.issued")).slice(-1);
    expect(event).toEqual({
      type: "token.issued",
      outcome: "success",
      subject: world.adaId,
      data: {
        grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        grantId: null,
        tokenId: payload.jti,
        resource: world.open.resource,
        scopes: ["contracts:read"],
        jkt: null,
        provider: "idp-1",
      },
    });
  });

  test("becomes a token that cannot be revoked, and the answer says so", async () => {
    const { body } = await world.redeem(provider);
    const form = new URLSearchParams({ token: body["access_token"] ?? "", client_id: world.client.id });
    const answer = await fetch(`${world.system.issuer}/api/oauth/revoke`, { method: "POST", body: form });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: "unsupported_token_type" }]);
  });

  test("with a proof becomes one that is bound to that key", async () => {
    const call = { proofs: [world.device.proof()] };
    const { body } = await world.redeem(provider, { call });
    expect(body["token_type"]).toBe("DPoP");
    const { cnf } = decodeJwt(body["access_token"] ?? "");
    expect(cnf).toEqual({ jkt: world.device.signer.thumbprint });
  });

  test("that is bound to a key is redeemed with it, at a service that takes no other", async () => {
    const claims = {
      resource: world.system.resource.resource,
      cnf: { jkt: world.device.signer.thumbprint },
    };
    const call = { proofs: [world.device.proof()] };
    const { status, body } = await world.redeem(provider, { claims, call });
    expect([status, body["token_type"]]).toEqual([200, "DPoP"]);
  });

  test("may name its audience, its resource and its type in other forms of the same", async () => {
    const claims = {
      aud: [world.system.issuer],
      resource: [world.open.resource.replace("http:", "HTTP:")],
    };
    const header = { typ: "application/OAUTH-id-jag+jwt" };
    expect((await world.redeem(provider, { claims, header })).status).toBe(200);
    const parameters = { resource: world.open.resource };
    expect((await world.redeem(provider, { parameters })).status).toBe(200);
  });

  test("says no sign-in time that is later than now", async () => {
    const { body } = await world.redeem(provider, { claims: { auth_time: 4_000_000_000 } });
    const { auth_time: time = 0, iat = 0 } = decodeJwt<{ auth_time?: number }>(body["access_token"] ?? "");
    expect(time).toBeLessThanOrEqual(iat);
  });

  test("is redeemed for a confidential client that authenticates, and refused without that", async () => {
    const portal = await world.addClient({ type: "confidential" });
    const claims = { client_id: portal.id, resource: world.system.resource.resource };
    const assertion = await provider.sign(world.claims(), { claims });
    const call = { proofs: [world.device.proof()] };
    const named = await world.present(assertion, { parameters: { client_id: portal.id }, call });
    expect(named.body["error"]).toBe("invalid_client");
    const proofs = [world.device.proof()];
    const proven = await world.present(assertion, { parameters: portal.credentials(), call: { proofs } });
    expect([proven.status, proven.body["token_type"]]).toEqual([200, "DPoP"]);
  });

  test("is not redeemed for a machine, nor for a client that may not act", async () => {
    const machine = await world.addClient({ type: "machine", dpopBound: true });
    const refused = await world.redeem(provider, {
      claims: { client_id: machine.id },
      parameters: machine.credentials(),
    });
    expect(refused.body["error"]).toBe("unauthorized_client");
    for (const change of [{ enabled: false }, { trusted: false }]) {
      const client = await world.addClient(change);
      const claims = { client_id: client.id };
      const answer = await world.redeem(provider, { claims, parameters: { client_id: client.id } });
      expect(answer.body["error"]).toBe("invalid_client");
    }
  });

  test("is redeemed for an unregistered client whose host is allowed and whose document lists that grant", async () => {
    const publisher = await startClientPublisher();
    try {
      const listed = ["urn:ietf:params:oauth:grant-type:jwt-bearer"];
      const id = publisher.publishClient("/agent.json", { grant_types: listed });
      const redeem = (client = id) =>
        world.redeem(provider, { claims: { client_id: client }, parameters: { client_id: client } });
      expect((await redeem()).body["error"]).toBe("invalid_client");
      const { store } = world.system.server.context;
      await store.appHosts.save({ host: publisher.host, name: "Agent", allowed: true }, new Date());
      const { status, body } = await redeem();
      expect(status).toBe(200);
      expect(decodeJwt(body["access_token"] ?? "")).toMatchObject({ client_id: id, act: { sub: id } });
      const other = await redeem(publisher.publishClient("/browser.json"));
      expect(other).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
    } finally {
      await publisher.close();
    }
  });
});

describe("the provider", () => {
  const change = async (fields: { enabled?: boolean; allowsAssertions?: boolean }) => {
    const { store } = world.system.server.context;
    const row = await store.identityProviders.findByKey("idp-1");
    if (row === undefined) throw new Error("The provider is gone.");
    await store.identityProviders.save({ ...row, ...fields }, new Date());
  };

  test.each([{ allowsAssertions: false }, { enabled: false }])(
    "is not accepted with %o, and is again when that is undone",
    async (fields) => {
      await change(fields);
      expect((await world.redeem(provider)).body["error"]).toBe("invalid_grant");
      expect(lastReason()).toBe("assertion_issuer");
      await change({ enabled: true, allowsAssertions: true });
      expect((await world.redeem(provider)).status).toBe(200);
    },
  );
});

describe("the scopes are what they have in common", () => {
  const scopes = ["contracts:read", "contracts:write"];
  beforeAll(async () => {
    const { store } = world.system.server.context;
    const email = "clara@acme.example";
    await world.signIn(provider, "clara-1", email);
    for (const [index, scope] of scopes.entries()) {
      const id = `00000000-0000-4000-8000-00000000000${index}`;
      await store.assignments.insertMissing({ id, email, scope }, new Date());
    }
  });

  test.each([
    ["everything", undefined, undefined, undefined, scopes],
    ["what the assertion says", "contracts:write", undefined, undefined, ["contracts:write"]],
    ["what the request asks for", undefined, "contracts:read", undefined, ["contracts:read"]],
    [
      "what assertion and request share",
      "contracts:read",
      "contracts:write contracts:read",
      undefined,
      ["contracts:read"],
    ],
    [
      "nothing that the service does not know",
      "chat.read contracts:write openid",
      undefined,
      undefined,
      ["contracts:write"],
    ],
    [
      "none of the scopes of this server",
      undefined,
      "openid contracts:read offline_access",
      undefined,
      ["contracts:read"],
    ],
    ["what the app may do", undefined, undefined, ["contracts:read"], ["contracts:read"]],
    ["nothing shared", "contracts:read", "contracts:write", undefined, []],
    ["nothing that the app may do", undefined, undefined, [], []],
  ])("%s", async (_name, assertion, request, ceiling, is) => {
    const limits = ceiling === undefined ? {} : { limited: true, ceiling };
    const client = await world.addClient(limits);
    const { status, body } = await world.redeem(provider, {
      claims: { sub: "clara-1", client_id: client.id, scope: assertion },
      parameters: { client_id: client.id, scope: request },
    });
    const { scope = "", error = "none" } = body;
    expect([status, scope, error]).toEqual(
      is.length > 0 ? [200, is.join(" "), "none"] : [400, "", "invalid_scope"],
    );
  });
});

describe("the person", () => {
  const redeem = (claims: Readonly<Record<string, unknown>>) => world.redeem(provider, { claims });
  const accounts = async (subject: string) =>
    await world.system.database.query<{ email: string }>(
      "SELECT u.email FROM user_identities a JOIN users u ON u.id = a.user_id WHERE a.subject = $1",
      [subject],
    );

  test("is found by account, also with other claims", async () => {
    const { body } = await redeem({ email: "ADA@acme.example" });
    expect(decodeJwt(body["access_token"] ?? "").sub).toBe(world.adaId);
  });

  test("is the one with this verified address, and from then on the one with this account", async () => {
    const other = await world.addProvider("ES256");
    await world.system.database.query(
      "DELETE FROM user_identities WHERE provider_id = (SELECT id FROM identity_providers WHERE issuer = $1)",
      [other.issuer],
    );
    const first = await world.redeem(other, {
      claims: { sub: "ada-at-other", email: "Ada@acme.example", email_verified: true },
    });
    expect(decodeJwt(first.body["access_token"] ?? "").sub).toBe(world.adaId);
    expect(await accounts("ada-at-other")).toEqual([{ email: "ada@acme.example" }]);
    const again = await world.redeem(other, { claims: { sub: "ada-at-other" } });
    expect(decodeJwt(again.body["access_token"] ?? "").sub).toBe(world.adaId);
    const linked = await world.system.database.query(
      `SELECT e.outcome, e.subject, e.actor_id, e.client_id, e.data->>'account' AS account,
        (SELECT issuer FROM identity_providers WHERE key = e.data->>'provider') AS issuer
      FROM audit_events e WHERE e.type = 'user.linked' AND e.mac IS NOT NULL AND e.data->>'account' LIKE 'ada-at-%'`,
    );
    expect(linked).toEqual([
      {
        outcome: "success",
        subject: world.adaId,
        actor_id: world.adaId,
        client_id: world.client.id,
        account: "ada-at-other",
        issuer: other.issuer,
      },
    ]);
  });

  test("is not linked when the assertion is refused", async () => {
    const other = await world.addProvider("ES256");
    await world.system.database.query(
      "DELETE FROM user_identities WHERE provider_id = (SELECT id FROM identity_providers WHERE issuer = $1)",
      [other.issuer],
    );
    const claims = { sub: "not-yet", email: "ada@acme.example", email_verified: true, scope: "" };
    expect((await world.redeem(other, { claims })).body["error"]).toBe("invalid_scope");
    expect(await accounts("not-yet")).toEqual([]);
  });

  test.each([
    ["an unknown account without an address", { sub: "x" }, "email_missing"],
    [
      "an address that is not verified",
      { sub: "x", email: "ada@acme.example", email_verified: false },
      "email_unverified",
    ],
    ["an address of which it is not said", { sub: "x", email: "ada@acme.example" }, "email_unverified"],
    [
      "an address of another company",
      { sub: "x", email: "emil@elsewhere.example", email_verified: true },
      "email_domain",
    ],
    ["an unknown address", { sub: "x", email: "zoe@acme.example", email_verified: true }, "unknown_person"],
    [
      "the address of a user with another account at this provider",
      { sub: "x", email: "ada@acme.example", email_verified: true },
      "unknown_person",
    ],
    [
      "an account whose address is said to be another one now",
      { email: "ada.lovelace@acme.example", email_verified: true },
      "email_changed",
    ],
  ])("is unknown: %s", async (_name, claims, reason) => {
    const { status, body } = await redeem(claims);
    expect([status, body["error"], lastReason()]).toEqual([400, "invalid_grant", reason]);
    expect(body["error_description"]).toContain("somebody who is not known here");
    expect(await accounts("x")).toEqual([]);
  });

  test("whose address is not the provider's to speak for any more has to sign in", async () => {
    const narrow = await world.addProvider("ES256", { allowedEmailDomains: ["subsidiary.example"] });
    expect((await world.redeem(narrow)).body["error"]).toBe("invalid_grant");
    expect(lastReason()).toBe("email_domain");
  });

  test("who is disabled is refused, by account and by address", async () => {
    const { store } = world.system.server.context;
    const id = await world.signIn(provider, "fred-1", "fred@acme.example");
    await store.users.setEnabled(id, false, new Date());
    const other = await world.addProvider("ES256");
    const claims = { sub: "fred-1", email: "fred@acme.example", email_verified: true };
    for (const from of [provider, other]) {
      const { body } = await world.redeem(from, { claims });
      expect([body["error"], lastReason()]).toEqual(["invalid_grant", "user_disabled"]);
    }
  });
});

describe("the keys of the provider", () => {
  test("may rotate", async () => {
    await world.redeem(provider);
    await provider.rotate();
    world.system.advance(30);
    expect((await world.redeem(provider)).status).toBe(200);
  });

  test("that are away are no fault of the client's", async () => {
    const away = await world.addProvider("ES256");
    away.failing = 503;
    const { status, body, headers } = await world.redeem(away);
    expect([status, body["error"], headers.get("retry-after")]).toEqual([
      503,
      "temporarily_unavailable",
      "30",
    ]);
  });
});
