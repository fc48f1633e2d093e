import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GrantRevocation, revokeGrants } from "../../src/lifecycle/revoke.js";
import { readForm } from "../support/browser.js";
import { allScopes, createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { type Answer, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let userId: string;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = await RawDevice.create(system.issuer);
  await device.signIn();
  const [row] = await system.database.query<{ id: string }>("SELECT id FROM users");
  userId = row?.id ?? "";
});
afterAll(() => system.close());

async function revoke(revocation: GrantRevocation) {
  const { store } = system.server.context;
  const by = { store, actor: { type: "operator" } as const, at: new Date() };
  return await revokeGrants({ ...revocation, reason: "revoked_by_administrator" }, by);
}

/** An authorization of Ada that is not redeemed yet; returns how to redeem it. */
const allowed: Readonly<Record<string, () => Promise<() => Promise<Answer>>>> = {
  async "a device"() {
    const { body } = await device.post("/api/oauth/device_authorization", {
      client_id: "authz-cli",
      scope: allScopes,
    });
    const browser = createBrowser();
    const page = await signIn(browser, body["verification_uri_complete"] ?? "", "ada");
    const consent = await browser.submit(readForm(page), { user_code: body["user_code"] ?? "" });
    await browser.submit(readForm(consent), { decision: "allow" });
    return () =>
      device.token({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        client_id: "authz-cli",
        device_code: body["device_code"],
      });
  },
  async "an app with a code"() {
    const form = device.codeParameters(await device.authorize());
    return () => device.token(form);
  },
};

describe.each(Object.entries(allowed))("%s that was allowed, and has not begun", (_what, allow) => {
  const whose: readonly { name: string; revocation: () => GrantRevocation }[] = [
    { name: "of the person", revocation: () => ({ userId }) },
    { name: "of the client", revocation: () => ({ clientId: "authz-cli" }) },
  ];
  test.each(whose)("ends with all $name", async ({ revocation }) => {
    const redeem = await allow();
    await revoke(revocation());
    expect((await redeem()).status).toBe(400);
  });

  test("ends also when it begins at that moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const redeem = await allow();
      const [{ status, body }] = await Promise.all([redeem(), revoke({ userId })]);
      const isLive = status === 200 && (await device.refresh(body["refresh_token"] ?? "")).status === 200;
      expect(isLive).toBe(false);
    }
  });

  test("ends also when it begins while the person is being disabled, and neither waits for the other", async () => {
    const redeem = await allow();
    const { status, body } = await system.server.context.store.transaction(async (tx) => {
      await tx.users.lock(userId);
      const redeemed = await redeem();
      const by = { store: tx, actor: { type: "operator" } as const, at: new Date() };
      await revokeGrants({ userId, reason: "user_disabled" }, by);
      return redeemed;
    });
    expect(status).toBe(200);
    expect((await device.refresh(body["refresh_token"] ?? "")).status).toBe(400);
  });

  test.each([
    { name: "another user", revocation: { userId: "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60" } },
    { name: "another client", revocation: { clientId: "nobody" } },
    { name: "one app", revocation: { ids: ["7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60"] } },
  ])("stays when $name is signed out", async ({ revocation }) => {
    const redeem = await allow();
    await revoke(revocation);
    expect((await redeem()).status).toBe(200);
  });
});
