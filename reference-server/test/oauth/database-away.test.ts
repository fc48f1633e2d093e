import { afterAll, beforeAll, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

test("while the database is away nothing is issued or refused, and afterwards the same token works", async () => {
  const device = await RawDevice.create(system.issuer);
  const tokens = await device.signIn();
  await system.database.refuseConnections();
  const refresh = await device.refresh(tokens["refresh_token"] ?? "");
  const userinfo = await device.userinfo(tokens["access_token"] ?? "");
  const page = await fetch(`${system.issuer}/`, { headers: { accept: "text/html" } });
  await system.database.allowConnections();

  for (const answer of [refresh, userinfo]) {
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: "temporarily_unavailable" });
    expect(answer.headers.get("retry-after")).toBe("1");
  }
  expect(page.status).toBe(503);
  expect(await page.text()).toContain("Try again in a moment");

  const recovered = await device.refresh(tokens["refresh_token"] ?? "");
  expect(recovered.status).toBe(200);
});
