import { afterAll, beforeAll, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;

beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_CLOCK_TOLERANCE_SECONDS: "300" });
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

/** A proof of the device as it makes it when its clock is ahead. */
function proofAhead(seconds: number): string {
  return device.at(() => Date.now() + seconds * 1000).proof();
}

test("a clock may be five minutes ahead where that is allowed, and no more; a refusal says by how much", async () => {
  const parameters = device.codeParameters(await device.authorize());
  const refused = await device.token(parameters, { proofs: [proofAhead(320)] });
  expect(refused).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
  expect(refused.body["error_description"]).toMatch(/made 3[12]\d seconds in the future/);
  expect((await device.token(parameters, { proofs: [proofAhead(290)] })).status).toBe(200);
});

test("a proof from ahead is used up like any other", async () => {
  const { refresh_token: refreshToken = "" } = await device.signIn();
  const proofs = [proofAhead(290)];
  const { status, body } = await device.refresh(refreshToken, { proofs });
  expect(status).toBe(200);
  const replayed = await device.refresh(body["refresh_token"] ?? "", { proofs });
  expect(replayed).toMatchObject({ status: 400, body: { error: "invalid_dpop_proof" } });
  expect(replayed.body["error_description"]).toContain("used before");
});
