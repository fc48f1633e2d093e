import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { startFleet } from "./fleet.js";
import { createInstallation, type Installation } from "./installation.js";
import { seedCodes } from "./seed.js";
import { type CutMoment, startTcpProxy, type TcpProxy } from "./tcp-proxy.js";
import { findViolations } from "./violations.js";

let commands: ServerCommands;
let database: TestDatabase;
let proxy: TcpProxy;
let installation: Installation;
let origin: string;
let device: RawDevice;
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
  installation = await createInstallation(commands, { database, databasePort: proxy.port });
  ({ origin } = await installation.start("issuer"));
  device = await RawDevice.create(installation.issuer);
});
afterAll(async () => {
  await installation.close();
  proxy.close();
  await database.drop();
  commands.kill();
});

async function signIn(): Promise<string> {
  const [code = ""] = await seedCodes(database, device, 1);
  const { body } = await device.token(device.codeParameters(code), { origin });
  return body["refresh_token"] ?? "";
}

async function countOf(type: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM audit_events WHERE type = $1",
    [type],
  );
  return row?.count ?? 0;
}

interface Situation {
  readonly moment: CutMoment;
  /** What the request gets whose answer was lost: its tokens when they are found, else that nobody knows. */
  readonly first: readonly number[];
  /** What the same code gets the second time: it is used up, or it is not. */
  readonly second: readonly number[];
}

const situations: readonly Situation[] = [
  { moment: "before", first: [503], second: [200] },
  { moment: "during", first: [200, 503], second: [200, 400] },
  { moment: "after", first: [200], second: [400] },
];

/** What was issued, the same refresh once more left out. */
async function rotations(): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM audit_events WHERE type = 'token.issued' AND NOT data ? 'repeated'",
  );
  return row?.count ?? 0;
}

describe.each(situations)(
  "a connection that is lost $moment what is stored",
  ({ moment, first: answers, second: allowed }) => {
    test("a refresh is done wholly or not at all, and a second try goes on", async () => {
      const token = await signIn();
      const before = await rotations();
      const cut = proxy.cutNext("refresh_token_rotate", moment);
      const [first] = await Promise.all([device.refresh(token, { origin }), cut]);
      const second = await device.refresh(token, { origin });

      expect(answers).toContain(first.status);
      expect(second.status).toBe(200);
      expect([undefined, second.body["refresh_token"]]).toContain(first.body["refresh_token"]);
      expect((await rotations()) - before).toBe(1);
      expect((await device.refresh(second.body["refresh_token"] ?? "", { origin })).status).toBe(200);
      expect(await findViolations(database)).toEqual([]);
    });

    test("the same refresh again is answered wholly or not at all", async () => {
      const token = await signIn();
      const rotated = await device.refresh(token, { origin });
      const before = await rotations();
      const cut = proxy.cutNext("refresh_token_repeat", moment);
      const [first] = await Promise.all([device.refresh(token, { origin }), cut]);
      const second = await device.refresh(token, { origin });

      expect(answers).toContain(first.status);
      expect(second.status).toBe(200);
      expect(second.body["refresh_token"]).toBe(rotated.body["refresh_token"]);
      expect(await rotations()).toBe(before);
      expect(await findViolations(database)).toEqual([]);
    });

    test("a code is redeemed wholly or not at all", async () => {
      const [code = ""] = await seedCodes(database, device, 1);
      const before = await countOf("token.issued");
      const cut = proxy.cutNext("code_redeem", moment);
      const [first] = await Promise.all([device.token(device.codeParameters(code), { origin }), cut]);
      const second = await device.token(device.codeParameters(code), { origin });

      expect(answers).toContain(first.status);
      expect((await countOf("token.issued")) - before).toBe(1);
      expect(allowed).toContain(second.status);
      expect(await findViolations(database)).toEqual([]);
    });

    test("a grant is revoked wholly or not at all, and once", async () => {
      const token = await signIn();
      const { body: rotated } = await device.refresh(token, { origin });
      await device.refresh(rotated["refresh_token"] ?? "", { origin });
      const before = await countOf("grant.revoked");
      const cut = proxy.cutNext("COMMIT", moment, `"revoked_at" =`);
      const [first] = await Promise.all([device.refresh(token, { origin }), cut]);
      const second = await device.refresh(token, { origin });

      expect(first.status).toBe(503);
      expect(second.body).toMatchObject({ error: "invalid_grant" });
      expect((await countOf("grant.revoked")) - before).toBe(1);
      expect(await findViolations(database)).toEqual([]);
    });
  },
);

test("a client whose tokens were stored goes on, although the server lost the database's answer", async () => {
  const [code = ""] = await seedCodes(database, device, 1);
  const codeCut = proxy.cutNext("code_redeem", "after");
  const [logged] = await Promise.all([device.token(device.codeParameters(code), { origin }), codeCut]);
  const cut = proxy.cutNext("refresh_token_rotate", "after");
  const [first] = await Promise.all([device.refresh(logged.body["refresh_token"] ?? "", { origin }), cut]);
  expect([logged.status, first.status]).toEqual([200, 200]);
  expect((await device.refresh(first.body["refresh_token"] ?? "", { origin })).status).toBe(200);
  expect(await findViolations(database)).toEqual([]);
});

test("connections lost over and over under load lose and double nothing", {
  timeout: timeLimit,
}, async () => {
  const cuts = extent({ short: 5, long: 200 });
  const { origin: other } = await installation.start();
  const options = { devices: 8, codesEach: 20 + cuts * 4, origins: [origin, other] };
  const fleet = await startFleet(installation, options);
  for (let round = 0; round < cuts; round += 1) {
    await fleet.progress(20);
    proxy.cutAll();
  }
  await fleet.progress(20);
  await fleet.stop();

  expect(await findViolations(database, fleet.ledger, { proofs: !isLong })).toEqual([]);
});
