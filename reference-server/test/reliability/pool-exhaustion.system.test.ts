import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { extent, timeLimit } from "./extent.js";
import { createInstallation, type Installation } from "./installation.js";
import { emptyLedger, toSuccess } from "./load-device.js";
import { seedCodes } from "./seed.js";
import { findViolations } from "./violations.js";

const connections = 10;
let commands: ServerCommands;
let database: TestDatabase;
let installation: Installation;
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  installation = await createInstallation(commands, { database });
});
afterAll(async () => {
  await installation.close();
  await database.drop();
  commands.kill();
});

test("who waits too long for a lock or a connection gets 503, and no grant is lost by that", {
  timeout: timeLimit,
}, async () => {
  const { origin } = await installation.start();
  const ledger = emptyLedger();
  const devices = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const device = await RawDevice.create(installation.issuer);
      ledger.keys.add(device.signer.thumbprint);
      const [code = ""] = await seedCodes(database, device, 1);
      const answer = await device.token(device.codeParameters(code), { origin });
      ledger.successes.push(toSuccess("code", answer));
      return { device, token: answer.body["refresh_token"] ?? "" };
    }),
  );

  for (let round = 0; round < extent({ short: 1, long: 10 }); round += 1) {
    const blocker = new Client({ connectionString: database.adminUrl });
    await blocker.connect();
    await blocker.query("BEGIN; LOCK TABLE refresh_tokens IN ACCESS EXCLUSIVE MODE");
    let refused = 0;
    let release: () => void;
    const allRefused = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answers = devices.map(async (entry) => {
      const answer = await entry.device.refresh(entry.token, { origin });
      if (answer.status === 503) refused += 1;
      if (refused >= devices.length - connections) release();
      return { entry, answer };
    });
    await allRefused;
    const discovery = await fetch(`${origin}/.well-known/openid-configuration`);
    expect(discovery.status).toBe(200);
    await blocker.query("COMMIT");
    await blocker.end();

    for (const { entry, answer } of await Promise.all(answers)) {
      expect(["200 null", "503 1"]).toContain(`${answer.status} ${answer.headers.get("retry-after")}`);
      // Nothing was stored for those that were refused: the same token still works.
      const last = answer.status === 503 ? await entry.device.refresh(entry.token, { origin }) : answer;
      expect(last.status).toBe(200);
      ledger.successes.push(toSuccess("refresh", last));
      entry.token = last.body["refresh_token"] ?? "";
    }
  }

  expect(await findViolations(database, ledger)).toEqual([]);
});
