import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInClient } from "../../src/registry/default-records.js";
import { Device } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

async function revoke(parameters: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ client_id: "authz-cli", ...parameters });
  const response = await fetch(`${system.issuer}/api/oauth/revoke`, { method: "POST", body, headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe("revocation", () => {
  test("of a refresh token with an unmodified client ends the grant", async () => {
    const unmodified = await Device.create(system.issuer);
    const tokens = await unmodified.signIn();
    const token = tokens.refresh_token ?? "";
    const options = { [oauth.allowInsecureRequests]: true };
    const response = await oauth.revocationRequest(
      unmodified.server,
      unmodified.client,
      oauth.None(),
      token,
      options,
    );
    expect(await oauth.processRevocationResponse(response)).toBeUndefined();
    await expect(unmodified.refresh(token)).rejects.toMatchObject({ error: "invalid_grant" });
    await expect(unmodified.userinfo(tokens.access_token, "x")).rejects.toThrow(
      oauth.WWWAuthenticateChallengeError,
    );
    expect((await system.audit("grant.revoked")).at(-1)).toMatchObject({
      data: { reason: "revoked_by_client", grantId: decodeJwt(tokens.access_token)["sid"] },
    });
  });

  test.each([
    { name: "an access token", pick: (before: Record<string, string>) => before["access_token"] },
    { name: "a rotated refresh token", pick: (before: Record<string, string>) => before["refresh_token"] },
  ])("of $name ends the grant", async ({ pick }) => {
    const before = await device.signIn();
    const after = await device.refresh(before["refresh_token"] ?? "");
    expect((await revoke({ token: pick(before) ?? "" })).status).toBe(200);
    expect((await device.refresh(after.body["refresh_token"] ?? "")).body).toMatchObject({
      error: "invalid_grant",
    });
  });

  test.each(["refresh_token", "access_token", "nonsense"])(
    "takes the hint %s for no more than a hint",
    async (hint) => {
      const tokens = await device.signIn();
      const token = tokens["refresh_token"] ?? "";
      expect((await revoke({ token, token_type_hint: hint })).status).toBe(200);
      expect((await device.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
    },
  );

  test.each(["nonsense", "a.b.c", "x".repeat(43)])("of an unknown token is no error: %s", async (token) => {
    expect(await revoke({ token })).toMatchObject({ status: 200, text: "" });
  });

  test("twice is no error and one event", async () => {
    const { refresh_token: token = "" } = await device.signIn();
    const before = (await system.audit("grant.revoked")).length;
    const answers = await Promise.all([revoke({ token }), revoke({ token })]);
    expect(answers.map(({ status }) => status)).toStrictEqual([200, 200]);
    expect((await system.audit("grant.revoked")).length).toBe(before + 1);
  });

  test.each([
    ["no token", { token: "" }, 400, "invalid_request"],
    ["an unknown client", { token: "x", client_id: "nobody" }, 400, "invalid_client"],
    ["a NUL character", { token: "\0" }, 400, "invalid_request"],
  ])("with %s is refused", async (_name, parameters, status, error) => {
    const answer = await revoke(parameters);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("of another client's token is refused and revokes nothing", async () => {
    await system.server.context.store.clients.insertMissing(
      { ...builtInClient, id: "other", name: "Other", builtIn: false },
      new Date(),
    );
    const { refresh_token: token = "" } = await device.signIn();
    const answer = await revoke({ token, client_id: "other" });
    expect(JSON.parse(answer.text)).toMatchObject({ error: "invalid_grant" });
    expect((await device.refresh(token)).status).toBe(200);
    const asOther = await device.token({ ...device.refreshParameters(token), client_id: "other" });
    expect(asOther.body).toMatchObject({ error: "invalid_grant" });
  });
});
