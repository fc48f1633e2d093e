import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let tokens: Record<string, string>;
beforeAll(async () => {
  system = await startOauthServer();
});
afterAll(() => system.close());

beforeEach(async () => {
  device = await RawDevice.create(system.issuer);
  tokens = await device.signIn();
});
afterEach(() => allowAudit());

/** The disk is full, the table is locked away: whatever it is, no event can be stored. */
async function refuseAudit(): Promise<void> {
  await system.database.query(`
    CREATE FUNCTION audit_is_broken() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no event can be stored'; END $$;
    CREATE TRIGGER audit_is_broken BEFORE INSERT ON audit_events EXECUTE FUNCTION audit_is_broken()`);
}

async function allowAudit(): Promise<void> {
  await system.database.query("DROP FUNCTION IF EXISTS audit_is_broken CASCADE");
}

function expectFailure({ status, body }: Answer): void {
  expect(status).toBe(500);
  expect(Object.keys(body).sort()).toEqual(["error", "error_description"]);
}

test("a refresh token stays unused, and works once events can be stored again", async () => {
  await refuseAudit();
  expectFailure(await device.refresh(tokens["refresh_token"] ?? ""));
  await allowAudit();
  expect((await device.refresh(tokens["refresh_token"] ?? "")).status).toBe(200);
});

test("a code stays unused, no grant begins, and it works once events can be stored again", async () => {
  const code = await device.authorize();
  const grants = () => system.database.query("SELECT id FROM grants");
  const before = await grants();
  await refuseAudit();
  expectFailure(await device.token(device.codeParameters(code)));
  expect(await grants()).toEqual(before);
  await allowAudit();
  expect((await device.token(device.codeParameters(code))).status).toBe(200);
});

test("no identity assertion is released, and its proof is not used up", async () => {
  const proofs = [device.proof()];
  const exchange = { ...exchangeForm(tokens["refresh_token"], system.resource), client_id: "authz-cli" };
  await refuseAudit();
  expectFailure(await device.token(exchange, { proofs }));
  await allowAudit();
  expect((await device.token(exchange, { proofs })).status).toBe(200);
});

test("a reused refresh token is not answered as if its grant were revoked", async () => {
  const next = await device.refresh(tokens["refresh_token"] ?? "");
  await device.refresh(next.body["refresh_token"] ?? "");
  await refuseAudit();
  expectFailure(await device.refresh(tokens["refresh_token"] ?? ""));
  const [grant] = await system.database.query<{ revoked: boolean }>(
    "SELECT revoked_at IS NOT NULL AS revoked FROM grants ORDER BY created_at DESC LIMIT 1",
  );
  expect(grant).toEqual({ revoked: false });
});
