import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reloadKeys } from "../../src/oauth/keys/keys.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const day = 24 * 3600;

/** Refreshes as if so much time had passed for the server and the device. */
async function refreshLater(refreshToken: string, seconds: number) {
  system.advance(seconds);
  // Meanwhile the process has read its keys many times.
  await reloadKeys(system.server.context);
  const later = device.at(() => Date.now() + seconds * 1000);
  const answer = await device.refresh(refreshToken, { proofs: [later.proof()] });
  system.advance(-seconds);
  await reloadKeys(system.server.context);
  return answer;
}

describe("a refresh", () => {
  test("answers with a new refresh token and a new access token of the same grant", async () => {
    const before = await device.signIn();
    const { status, body } = await device.refresh(before["refresh_token"] ?? "");
    expect(status).toBe(200);
    expect(body["refresh_token"]).not.toBe(before["refresh_token"]);
    const [old, fresh] = [before, body].map((tokens) => decodeJwt(tokens["access_token"] ?? ""));
    expect(fresh).toMatchObject({ sub: old?.sub, sid: old?.["sid"], scope: old?.["scope"] });
    expect(fresh?.jti).not.toBe(old?.jti);
  });

  test("may ask for less, which does not narrow the next one", async () => {
    const tokens = await device.signIn();
    const narrow = await device.token({
      ...device.refreshParameters(tokens["refresh_token"] ?? ""),
      scope: "openid email",
    });
    expect(narrow.body["scope"]).toBe("openid email");
    expect(decodeJwt(narrow.body["access_token"] ?? "")).toMatchObject({ scope: "openid email" });
    expect((await device.refresh(narrow.body["refresh_token"] ?? "")).body["scope"]).toBe(tokens["scope"]);
  });

  test.each(["openid contracts:read", "openid  email", "constructor"])(
    "that asks for more is refused and uses nothing up: %s",
    async (scope) => {
      const tokens = await device.signIn();
      const parameters = device.refreshParameters(tokens["refresh_token"] ?? "");
      expect((await device.token({ ...parameters, scope })).body).toMatchObject({ error: "invalid_scope" });
      expect((await device.token(parameters)).status).toBe(200);
    },
  );

  test("with a rotated token whose successor was used ends the grant and all of its tokens", async () => {
    const tokens = await device.signIn();
    const second = await device.refresh(tokens["refresh_token"] ?? "");
    const next = await device.refresh(second.body["refresh_token"] ?? "");
    const reuse = await device.refresh(tokens["refresh_token"] ?? "");
    expect(reuse.body).toMatchObject({ error: "invalid_grant" });
    expect((await device.refresh(next.body["refresh_token"] ?? "")).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await device.userinfo(next.body["access_token"] ?? "")).status).toBe(401);
    const events = await system.audit();
    expect(events.filter(({ type }) => type === "grant.revoked").at(-1)).toMatchObject({
      data: { reason: "refresh_token_reused", grantId: decodeJwt(tokens["access_token"] ?? "")["sid"] },
    });
  });

  test("with another key is refused, and the grant stays alive, even for a rotated token", async () => {
    const tokens = await device.signIn();
    const thief = await RawDevice.create(system.issuer);
    const token = tokens["refresh_token"] ?? "";
    expect((await thief.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
    const next = await device.refresh(token);
    expect(next.status).toBe(200);
    expect((await thief.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await device.refresh(next.body["refresh_token"] ?? "")).status).toBe(200);
  });

  test.each(["", "x", "x".repeat(43), "x".repeat(5000), "é"])(
    "with a token that is none is refused: %j",
    async (token) => {
      const { status, body } = await device.refresh(token);
      expect(status).toBe(400);
      expect(body["error"]).toBe(token === "" ? "invalid_request" : "invalid_grant");
    },
  );

  test("is refused when the token was not used for thirty days", async () => {
    const tokens = await device.signIn();
    expect((await refreshLater(tokens["refresh_token"] ?? "", 30 * day + 1)).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await refreshLater(tokens["refresh_token"] ?? "", 30 * day - 60)).status).toBe(200);
  });

  test("is refused ninety days after the grant, however often it was refreshed", async () => {
    let token = (await device.signIn())["refresh_token"] ?? "";
    for (const days of [29, 58, 87, 89.9]) {
      token = (await refreshLater(token, days * day)).body["refresh_token"] ?? "";
    }
    expect((await refreshLater(token, 90 * day + 1)).body).toMatchObject({ error: "invalid_grant" });
  });

  test("is refused once the person has lost the permission, and works again when it is back", async () => {
    const fred = await RawDevice.create(system.issuer);
    const { refresh_token: token = "" } = await fred.signIn({}, undefined, "fred");
    const { store } = system.server.context;
    const assignments = await store.assignments.listByEmail("fred@acme.example");
    await Promise.all(assignments.map(({ id }) => store.assignments.remove(id)));
    // Signing in again would not help.
    expect((await fred.refresh(token)).body).toStrictEqual({
      error: "invalid_grant",
      error_description: "The account does not have the permission authz:login. Ask an administrator for it.",
    });
    await Promise.all(
      assignments.map((assignment) => store.assignments.insertMissing(assignment, new Date())),
    );
    expect((await fred.refresh(token)).status).toBe(200);
  });
});
