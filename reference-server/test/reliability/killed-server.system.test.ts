import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { startFleet } from "./fleet.js";
import { createInstallation, type Installation } from "./installation.js";
import { findViolations } from "./violations.js";

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

test("kill -9 of one of two processes under load loses and doubles nothing", {
  timeout: timeLimit,
}, async () => {
  const rounds = extent({ short: 2, long: 20 });
  const step = extent({ short: 40, long: 400 });
  let [stays, dies] = await Promise.all([installation.start(), installation.start()]);
  const origins = [stays.origin, dies.origin];
  const fleet = await startFleet(installation, { devices: 8, codesEach: 20 + rounds * 4, origins });

  for (let round = 0; round < rounds; round += 1) {
    await fleet.progress(step);
    await dies.kill();
    // The devices still try the dead one, and then the other.
    await fleet.progress(step);
    const fresh = await installation.start();
    fleet.sendTo([stays.origin, fresh.origin]);
    [stays, dies] = [fresh, stays];
  }
  await fleet.progress(step);
  await fleet.stop();

  expect(await findViolations(database, fleet.ledger, { proofs: !isLong })).toEqual([]);
});
