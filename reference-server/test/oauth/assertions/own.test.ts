import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow } from "../../person/mcp/agent.js";
import { type AssertionWorld, startAssertionWorld } from "../../support/assertions.js";
import { exchangeForm, tokenType, type Answer, type TokenCall } from "../../support/raw-device.js";

let world: AssertionWorld;
let tokens: Record<string, string>;
beforeAll(async () => {
  world = await startAssertionWorld();
  tokens = await world.device.signIn();
});
afterAll(() => world.close());

type Change = Readonly<Record<string, string | undefined>>;

/** Exchanges the ID token of the sign-in for an assertion that this server redeems itself. */
async function exchange(change: Change = {}, call: TokenCall = {}): Promise<Answer> {
  const form = {
    ...exchangeForm(
      tokens["id_token"],
      { authorizationServer: world.system.issuer, resource: world.open.resource },
      "id_token",
    ),
    client_id: "authz-cli",
    scope: "contracts:read contracts:write",
    ...change,
  };
  return await world.device.token(form, call);
}

const redeem = (assertion: string | undefined, change: Change = {}, call: TokenCall = {}) =>
  world.present(assertion ?? "", {
    parameters: { client_id: "authz-cli", ...change },
    call: { proofs: [world.device.proof()], ...call },
  });
const lastReason = () => world.system.log.findLast(({ msg }) => msg === "refused")?.["reason"];

describe("an assertion of this server for itself", () => {
  test("names the client itself and the grant, and has what the person has of the scopes", async () => {
    const { status, body } = await exchange();
    expect([status, body["scope"]]).toEqual([200, "contracts:read"]);
    expect(decodeJwt(body["access_token"] ?? "")).toMatchObject({
      iss: world.system.issuer,
      aud: world.system.issuer,
      client_id: "authz-cli",
      resource: world.open.resource,
      scope: "contracts:read",
      sid: decodeJwt(tokens["id_token"] ?? "")["sid"],
      cnf: { jkt: world.device.signer.thumbprint },
    });
  });

  test("is redeemed once, for a token of the service", async () => {
    const { access_token: assertion } = (await exchange()).body;
    const { status, body } = await redeem(assertion);
    expect([status, body["token_type"], body["scope"]]).toEqual([200, "DPoP", "contracts:read"]);
    const claims = decodeJwt(body["access_token"] ?? "");
    expect(claims).toMatchObject({
      aud: world.open.resource,
      client_id: "authz-cli",
      act: { sub: "authz-cli" },
      cnf: { jkt: world.device.signer.thumbprint },
    });
    const grantId = decodeJwt(tokens["id_token"] ?? "")["sid"];
    expect(claims["sid"]).toBe(grantId);
    expect((await world.system.audit("token.issued")).at(-1)?.data).toMatchObject({ grantId });
    expect((await redeem(assertion)).body["error"]).toBe("invalid_grant");
  });

  test("is redeemed at a service that takes no other than bound ones", async () => {
    const { resource } = world.system.resource;
    const withAccessToken = {
      subject_token: tokens["access_token"],
      subject_token_type: tokenType("access_token"),
    };
    for (const subject of [{}, withAccessToken]) {
      const { access_token: assertion } = (await exchange({ resource, ...subject })).body;
      expect((await redeem(assertion)).status).toBe(200);
    }
  });

  test("is not issued without the key of the sign-in, not even for a service that takes Bearer tokens", async () => {
    const refused = await exchange({}, { proofs: [] });
    expect(refused.body["error"]).toBe("invalid_dpop_proof");
  });

  test("is not redeemed for another client, nor without its key", async () => {
    const { access_token: assertion } = (await exchange()).body;
    const other = await redeem(assertion, { client_id: world.client.id });
    expect([other.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_client"]);
    const client = await world.addClient({});
    const stolen = await redeem(assertion, { client_id: client.id }, { proofs: [] });
    expect([stolen.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_client"]);
    const keyless = await redeem(assertion, {}, { proofs: [] });
    expect(keyless.body["error"]).toBe("invalid_dpop_proof");
    expect((await redeem(assertion)).status).toBe(200);
  });

  test("that was made for a service's own authorization server is not redeemed here", async () => {
    const audience = world.open.authorizationServer;
    const { access_token: assertion } = (await exchange({ audience, scope: "contracts:read" })).body;
    expect((await redeem(assertion)).body["error"]).toBe("invalid_grant");
    expect(lastReason()).toBe("assertion_audience");
  });

  test("is no access token, and an access token is no assertion", async () => {
    const { access_token: assertion = "" } = (await exchange()).body;
    expect((await world.device.userinfo(assertion)).status).toBe(401);
    expect((await redeem(tokens["access_token"])).body["error"]).toBe("invalid_grant");
    expect(lastReason()).toBe("assertion_type");
    expect((await redeem(tokens["id_token"])).body["error"]).toBe("invalid_grant");
  });

  test.each([
    ["of a service that is not registered", { resource: "https://none.example" }, "invalid_target"],
    ["of a scope that the service does not know", { scope: "invoices:read" }, "invalid_scope"],
    ["of nothing that the person has", { scope: "contracts:write" }, "invalid_scope"],
  ])("is not issued %s", async (_name, change, error) => {
    expect((await exchange(change)).body["error"]).toBe(error);
  });

  test("is not redeemed for the address for agents, which people allow on its own page", async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: world.system.issuer,
      aud: world.system.issuer,
      client_id: "authz-cli",
      iat: now,
      exp: now + 60,
      sub: decodeJwt(tokens["id_token"] ?? "").sub,
      sid: decodeJwt(tokens["id_token"] ?? "")["sid"],
      cnf: { jkt: world.device.signer.thumbprint },
    };
    const sign = (resource: string) =>
      world.system.server.context.keys.sign(
        { typ: "oauth-id-jag+jwt" },
        { ...claims, resource, jti: randomUUID() },
      );
    await allow(world.system, "ada", "authz:agents");
    expect((await redeem(sign(world.open.resource))).status).toBe(200);
    const refused = await redeem(sign(`${world.system.issuer}/mcp`));
    expect([refused.body["error"], lastReason()]).toEqual(["invalid_grant", "assertion_unknown_resource"]);
  });

  test("ends with the person's account and with the sign-in that it came from", async () => {
    const { store } = world.system.server.context;
    const { sub: userId = "", sid } = decodeJwt(tokens["id_token"] ?? "");
    const assertions = await Promise.all([exchange(), exchange()]);
    const [one, two] = assertions.map(({ body }) => body["access_token"]);
    await store.users.setEnabled(userId, false, new Date());
    expect((await redeem(one)).body["error_description"]).toContain("disabled");
    await store.users.setEnabled(userId, true, new Date());
    await store.grants.revoke({ id: String(sid), reason: "revoked_by_user", at: new Date() });
    expect((await redeem(two)).body["error"]).toBe("invalid_grant");
    expect(lastReason()).toBe("grant_revoked");
  });
});
