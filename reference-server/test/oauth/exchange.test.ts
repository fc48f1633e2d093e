import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, tokenType, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let tokens: Record<string, string>;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  tokens = await device.signIn();
});
afterAll(() => system.close());

type Change = Readonly<Record<string, string | undefined>>;

/** A valid exchange, and what a test changes about it. */
function exchange(change: Change = {}): Change {
  return {
    ...exchangeForm(tokens["refresh_token"], system.resource),
    client_id: "authz-cli",
    scope: "contracts:read",
    ...change,
  };
}

describe("a token exchange", () => {
  test.each(["refresh_token", "id_token", "access_token"])(
    "turns a %s into an identity assertion",
    async (name) => {
      const answer = await device.token(
        exchange({ subject_token: tokens[name], subject_token_type: tokenType(name) }),
      );
      expect(answer.body).toStrictEqual({
        access_token: expect.any(String) as string,
        issued_token_type: tokenType("id-jag"),
        token_type: "N_A",
        expires_in: 300,
        scope: "contracts:read",
      });
      const keys = createRemoteJWKSet(new URL(`${system.issuer}/api/oauth/jwks`));
      const { payload, protectedHeader } = await jwtVerify(answer.body["access_token"] ?? "", keys, {
        issuer: system.issuer,
        audience: system.resource.authorizationServer,
        typ: "oauth-id-jag+jwt",
        algorithms: ["ES256"],
      });
      expect(protectedHeader.kid).toBe(system.server.context.config.signingKey.kid);
      const access = decodeJwt(tokens["access_token"] ?? "");
      expect(payload).toStrictEqual({
        iss: system.issuer,
        sub: access.sub,
        aud: system.resource.authorizationServer,
        client_id: "authz-cli",
        resource: system.resource.resource,
        scope: "contracts:read",
        email: "ada@acme.example",
        name: "Ada Lovelace",
        act: { sub: "authz-cli" },
        sid: access["sid"],
        cnf: { jkt: device.signer.thumbprint },
        status: {
          status_list: { idx: expect.any(Number) as number, uri: `${system.issuer}/oauth/status` },
        },
        jti: expect.any(String) as string,
        iat: expect.any(Number) as number,
        exp: (payload.iat ?? 0) + 300,
      });
      expect((await system.audit("assertion.issued")).at(-1)).toMatchObject({
        subject: access.sub,
        data: { tokenId: payload.jti, resource: system.resource.resource, scopes: ["contracts:read"] },
      });
    },
  );

  test("without a scope grants what the person has at the service", async () => {
    expect((await device.token(exchange({ scope: undefined }))).body["scope"]).toBe("contracts:read");
  });

  test("does not rotate the refresh token", async () => {
    expect((await device.token(exchange())).status).toBe(200);
    expect((await device.token(exchange())).status).toBe(200);
  });

  test("uses the proof up", async () => {
    const proofs = [device.proof()];
    expect((await device.token(exchange(), { proofs })).status).toBe(200);
    expect((await device.token(exchange(), { proofs })).body).toMatchObject({ error: "invalid_dpop_proof" });
  });

  const spoilt = (token: string | undefined) => `${token?.slice(0, -6)}AAAAAA`;
  const refusals: readonly (readonly [name: string, error: string, change: () => Change])[] = [
    ["no subject token", "invalid_request", () => ({ subject_token: undefined })],
    ["no subject token type", "invalid_request", () => ({ subject_token_type: undefined })],
    ["an unknown subject token type", "invalid_request", () => ({ subject_token_type: tokenType("saml2") })],
    [
      "an assertion as subject token type",
      "invalid_request",
      () => ({ subject_token_type: tokenType("id-jag") }),
    ],
    ["no requested token type", "invalid_request", () => ({ requested_token_type: undefined })],
    [
      "another requested token type",
      "invalid_request",
      () => ({ requested_token_type: tokenType("access_token") }),
    ],
    ["an actor token", "invalid_request", () => ({ actor_token: "x" })],
    ["no audience", "invalid_request", () => ({ audience: undefined })],
    ["no resource", "invalid_request", () => ({ resource: undefined })],
    ["a NUL character", "invalid_request", () => ({ resource: "\0" })],
    ["an unknown audience", "invalid_target", () => ({ audience: "http://127.0.0.1:3999" })],
    ["an unknown resource", "invalid_target", () => ({ resource: "http://127.0.0.1:3999/api" })],
    ["a scope the service does not have", "invalid_scope", () => ({ scope: "invoices:read" })],
    ["a scope the person does not have", "invalid_scope", () => ({ scope: "contracts:write" })],
    ["one scope of two not granted", "invalid_scope", () => ({ scope: "contracts:read contracts:write" })],
    ["a malformed scope", "invalid_scope", () => ({ scope: "contracts:read\tx" })],
    ["an unknown refresh token", "invalid_grant", () => ({ subject_token: "x".repeat(43) })],
    [
      "an access token called an ID token",
      "invalid_grant",
      () => ({ subject_token: tokens["access_token"], subject_token_type: tokenType("id_token") }),
    ],
    [
      "an ID token called an access token",
      "invalid_grant",
      () => ({ subject_token: tokens["id_token"], subject_token_type: tokenType("access_token") }),
    ],
    [
      "an ID token with another signature",
      "invalid_grant",
      () => ({ subject_token: spoilt(tokens["id_token"]), subject_token_type: tokenType("id_token") }),
    ],
    [
      "a subject token that is none",
      "invalid_grant",
      () => ({ subject_token: "nonsense", subject_token_type: tokenType("access_token") }),
    ],
  ];
  test.each(refusals)("with %s is refused with %s", async (_name, error, change) => {
    const answer = await device.token(exchange(change()));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error });
  });

  test.each(["audience", "resource", "scope", "subject_token", "subject_token_type", "requested_token_type"])(
    "with two values of %s is refused with invalid_request",
    async (name) => {
      const entries = Object.entries(exchange()).map(([key, value]): [string, string] => [key, value ?? ""]);
      const body = new URLSearchParams([...entries, [name, exchange()[name] ?? ""]]).toString();
      expect((await device.token({}, { body })).body).toMatchObject({ error: "invalid_request" });
    },
  );

  test.each(["refresh_token", "id_token", "access_token"])(
    "of a %s with another key is refused with invalid_grant",
    async (name) => {
      const thief = await RawDevice.create(system.issuer);
      const answer = await thief.token(
        exchange({ subject_token: tokens[name], subject_token_type: tokenType(name) }),
      );
      expect(answer.body).toMatchObject({ error: "invalid_grant" });
    },
  );

  test.each(["refresh_token", "id_token", "access_token"])(
    "of a %s without a proof is refused with invalid_dpop_proof",
    async (name) => {
      const answer = await device.token(
        exchange({ subject_token: tokens[name], subject_token_type: tokenType(name) }),
        { proofs: [] },
      );
      expect(answer.body).toMatchObject({ error: "invalid_dpop_proof" });
    },
  );

  test.each(["id_token", "access_token"])("of an expired %s is refused with invalid_grant", async (name) => {
    system.advance(301);
    const late = device.at(() => Date.now() + 301_000).proof();
    const answer = await device.token(
      exchange({ subject_token: tokens[name], subject_token_type: tokenType(name) }),
      { proofs: [late] },
    );
    system.advance(-301);
    expect(answer.body).toMatchObject({ error: "invalid_grant" });
  });

  test("for a disabled service is refused with invalid_target", async () => {
    const { store } = system.server.context;
    await store.resources.save({ ...system.resource, enabled: false }, new Date());
    expect((await device.token(exchange())).body).toMatchObject({ error: "invalid_target" });
    await store.resources.save(system.resource, new Date());
  });

  test.each([undefined, "contracts:read"])(
    "for scopes that rules are about (%s) is refused",
    async (scope) => {
      const { store } = system.server.context;
      await store.resources.save({ ...system.resource, rules: [{ default: "ask" }] }, new Date());
      const { body } = await device.token(exchange({ scope }));
      await store.resources.save(system.resource, new Date());
      expect(body["error"]).toBe("invalid_scope");
      expect(body["error_description"]).toContain("Call it through this server");
    },
  );

  test("without a scope is refused for a user without permissions at the service", async () => {
    const fred = await RawDevice.create(system.issuer);
    const own = await fred.signIn({}, undefined, "fred");
    const answer = await fred.token(exchange({ subject_token: own["refresh_token"], scope: undefined }));
    expect(answer.body).toMatchObject({ error: "invalid_scope" });
    expect((await system.audit("token.refused")).at(-1)).toMatchObject({
      outcome: "denied",
      data: { reason: "nothing_granted", resource: system.resource.resource },
    });
  });

  test("of a rotated refresh token whose successor was used ends the grant", async () => {
    const other = await RawDevice.create(system.issuer);
    const before = await other.signIn();
    const next = await other.refresh(before["refresh_token"] ?? "");
    await other.refresh(next.body["refresh_token"] ?? "");
    const answer = await other.token(exchange({ subject_token: before["refresh_token"] }));
    expect(answer.body).toMatchObject({ error: "invalid_grant" });
    const live = await other.token(
      exchange({ subject_token: before["id_token"], subject_token_type: tokenType("id_token") }),
    );
    expect(live.body).toMatchObject({ error: "invalid_grant" });
  });

  test("releases no assertion when the audit record cannot be stored, and the proof stays unused", async () => {
    await system.database.query("ALTER TABLE audit_events RENAME TO audit_events_away");
    const proofs = [device.proof()];
    const failed = await device.token(exchange(), { proofs });
    await system.database.query("ALTER TABLE audit_events_away RENAME TO audit_events");
    expect(failed.status).toBe(500);
    expect(failed.body).not.toHaveProperty("access_token");
    expect((await device.token(exchange(), { proofs })).status).toBe(200);
  });
});
