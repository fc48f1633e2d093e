import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let machine: RegisteredClient;
let portal: RegisteredClient;
let tokens: Record<string, string>;
let code: string;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  tokens = await device.signIn();
  code = await device.authorize();
  machine = await RegisteredClient.register(system, { type: "machine" }, ["contracts:read"]);
  portal = await RegisteredClient.register(system);
});
afterAll(() => system.close());

/** The clock of the database is that far ahead of the server's. */
async function aheadBy(seconds: number): Promise<void> {
  await system.database.stopClock(new Date(Date.now() + seconds * 1000));
  await system.database.refuseConnections();
  await system.database.allowConnections();
}

const resource = "http://127.0.0.1:3101/api";

const requests: readonly (readonly [string, () => Promise<Answer>, string])[] = [
  ["a refresh", () => device.refresh(tokens["refresh_token"] ?? ""), "invalid_dpop_proof"],
  ["a code", () => device.token(device.codeParameters(code)), "invalid_dpop_proof"],
  [
    "an exchange",
    () =>
      device.token({
        ...exchangeForm(tokens["refresh_token"], { authorizationServer: "http://127.0.0.1:3101", resource }),
        client_id: "authz-cli",
      }),
    "invalid_dpop_proof",
  ],
  [
    "a machine with a proof",
    () => device.token({ grant_type: "client_credentials", resource, ...machine.credentials() }),
    "invalid_",
  ],
  [
    "a pushed request of a client that signs",
    () => {
      const request = Object.fromEntries(device.authorizeUrl({ client_id: portal.id }).searchParams);
      return device.post("/api/oauth/par", { ...request, ...portal.credentials() }, { proofs: [] });
    },
    "invalid_client",
  ],
  ["userinfo", () => device.userinfo(tokens["access_token"] ?? ""), "invalid_dpop_proof"],
  [
    "a revocation by a client that signs",
    () => device.post("/api/oauth/revoke", { token: "unknown", ...portal.credentials() }, { proofs: [] }),
    "invalid_client",
  ],
];

describe("a process that is six minutes behind the database, whose housekeeping has forgotten what was used,", () => {
  beforeAll(() => aheadBy(360));

  test.each(requests)("takes nothing for new: %s", async (_name, send, error) => {
    const answer = await send();
    expect(answer.body["error"]).toContain(error);
    expect([400, 401]).toContain(answer.status);
  });

  test("has stored nothing of it", async () => {
    await Promise.all(requests.map(([, send]) => send()));
    expect(await system.database.query("SELECT FROM refresh_tokens WHERE used_at IS NOT NULL")).toEqual([]);
    expect(await system.database.query("SELECT FROM grants WHERE revoked_at IS NOT NULL")).toEqual([]);
  });
});

test("the same requests work when the clocks agree: nothing was used up", async () => {
  await aheadBy(0);
  const answers: Answer[] = [];
  for (const [, send] of requests.toReversed()) answers.push(await send());
  expect(answers.map(({ body }) => body["error"])).toEqual(requests.map(() => undefined));
});
