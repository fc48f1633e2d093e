import { afterAll, beforeAll, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let origins: readonly string[];
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  origins = [system.issuer, await system.startSecondInstance()];
});
afterAll(() => system.close());

/** The same work many times at once, spread over both instances. */
async function race(times: number, work: (origin: string) => Promise<Answer>): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => work(origins[index % origins.length] ?? "")),
  );
  return answers.map(({ status, body }) => (status === 200 ? "success" : (body["error"] ?? "")));
}

const count = async (table: string) => {
  const [row] = await system.database.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
  return Number(row?.count);
};

test("of many redemptions of one code on two instances exactly one succeeds", async () => {
  for (let round = 0; round < 5; round += 1) {
    const code = await device.authorize();
    const before = await count("grants");
    const results = await race(6, (origin) => device.token(device.codeParameters(code), { origin }));
    expect(results.filter((result) => result === "success")).toHaveLength(1);
    expect(results.filter((result) => result === "invalid_grant")).toHaveLength(5);
    expect(await count("grants")).toBe(before + 1);
  }
});

test("many refreshes with one token on two instances rotate it once, and the grant lives on", async () => {
  for (let round = 0; round < 5; round += 1) {
    const tokens = await device.signIn();
    const before = await count("refresh_tokens");
    const results = await race(6, (origin) => device.refresh(tokens["refresh_token"] ?? "", { origin }));
    expect(results).toEqual(Array.from({ length: 6 }, () => "success"));
    expect(await count("refresh_tokens")).toBe(before + 1);
  }
  const [row] = await system.database.query<{ revoked: boolean }>(
    "SELECT revoked_at IS NOT NULL AS revoked FROM grants ORDER BY created_at DESC LIMIT 1",
  );
  expect(row).toStrictEqual({ revoked: false });
});

test("of many requests with one proof on two instances exactly one succeeds, and nothing is revoked", async () => {
  const tokens = await device.signIn();
  const revoked = (await system.audit("grant.revoked")).length;
  const proofs = [device.proof()];
  const results = await race(8, (origin) =>
    device.refresh(tokens["refresh_token"] ?? "", { origin, proofs }),
  );
  expect(results.filter((result) => result === "success")).toHaveLength(1);
  expect(results.filter((result) => result === "invalid_dpop_proof")).toHaveLength(7);
  expect((await system.audit("grant.revoked")).length).toBe(revoked);
});

test("a proof that one instance has accepted is refused by the other", async () => {
  const tokens = await device.signIn();
  const exchange = { ...exchangeForm(tokens["refresh_token"], system.resource), client_id: "authz-cli" };
  const proofs = [device.proof()];
  expect((await device.token(exchange, { proofs, origin: origins[0] ?? "" })).status).toBe(200);
  expect((await device.token(exchange, { proofs, origin: origins[1] ?? "" })).body).toMatchObject({
    error: "invalid_dpop_proof",
  });
});

test("a grant that one instance has ended is over at the other at once", async () => {
  const tokens = await device.signIn();
  const second = await device.refresh(tokens["refresh_token"] ?? "", { origin: origins[0] ?? "" });
  const next = await device.refresh(second.body["refresh_token"] ?? "", { origin: origins[0] ?? "" });
  await device.refresh(tokens["refresh_token"] ?? "", { origin: origins[1] ?? "" });
  expect((await device.userinfo(next.body["access_token"] ?? "")).status).toBe(401);
});
