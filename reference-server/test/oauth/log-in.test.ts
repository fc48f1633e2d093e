import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, Device, redirectUri, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";

let system: OauthServer;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

test("an employee logs in with an unmodified client and every token says who", async () => {
  const device = await Device.create(system.issuer);
  const tokens = await device.logIn();
  expect(tokens).toMatchObject({ token_type: "dpop", expires_in: 300 });
});
