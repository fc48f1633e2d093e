import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalLimits } from "../../src/audit/refusals.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

/** Leaves room for this many refusals until the end of the hour, whichever hour it is when they come. */
async function leaveRoom(key: string, limit: number, room: number): Promise<void> {
  const minute = Math.floor(Date.now() / 3_600_000) * 60;
  await system.server.context.store.rateLimits.add(
    [59, 119].map((offset) => ({ key: `refusal.${key}`, minute: minute + offset, count: limit - room })),
  );
}

test("a refresh token that is shown with ever new keys does not fill the audit trail", async () => {
  const device = await RawDevice.create(system.issuer);
  const { refresh_token: stolen = "" } = await device.signIn();
  const [issued] = await system.audit("token.issued");
  await leaveRoom(`concern ${String(issued?.data["grantId"])}`, refusalLimits.concern, 2);

  for (let key = 0; key < 6; key += 1) {
    const thief = await RawDevice.create(system.issuer);
    expect((await thief.refresh(stolen)).body["error"]).toBe("invalid_grant");
  }

  await system.server.close();
  expect(await system.audit("token.refused")).toHaveLength(2);
  const sums = await system.database.query("SELECT event, count::integer FROM audit_refusals");
  const details = { grantId: issued?.data["grantId"], reason: "wrong_key" };
  expect(sums).toMatchObject([{ count: 4, event: { type: "token.refused", details } }]);
});
