import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { timeLimit } from "./extent.js";
import { createInstallation, type Installation, type ServerProcess } from "./installation.js";
import { hash, seedCodes } from "./seed.js";
import { findViolations } from "./violations.js";

const clockModule = fileURLToPath(new URL("./stepping-clock.mjs", import.meta.url));
let commands: ServerCommands;
let database: TestDatabase;
let installation: Installation;
let device: RawDevice;
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  installation = await createInstallation(commands, { database });
  device = await RawDevice.create(installation.issuer);
});
afterAll(async () => {
  await installation.close();
  await database.drop();
  commands.kill();
});

/**
 * A server process whose clock is off by `CLOCK_START` seconds, and goes to the next of these offsets, in seconds, at each
 * `step()`.
 */
async function startWithClock(
  offsets: readonly number[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess & { step(): Promise<void> }> {
  const server = await installation.start("beside", {
    NODE_OPTIONS: `--import=${clockModule}`,
    CLOCK_OFFSETS: offsets.join(","),
    ...environment,
  });
  let steps = 0;
  return {
    ...server,
    async step() {
      steps += 1;
      server.command.kill("SIGCONT");
      await server.command.waitFor(`clock step ${steps} `);
    },
  };
}

async function signIn(origin: string): Promise<string> {
  const [code = ""] = await seedCodes(database, device, 1);
  const { body } = await device.token(device.codeParameters(code), { origin });
  return body["refresh_token"] ?? "";
}

const at = (seconds: number) => device.at(() => Date.now() + seconds * 1000);

test("a clock that steps changes nothing: grants go on, and each refresh rotates once", async () => {
  const server = await startWithClock([600, -600, 3600, -3600, 0]);
  const { origin } = server;
  for (let step = 0; step < 5; step += 1) {
    const token = await signIn(origin);
    await server.step();
    const answers = await Promise.all(
      [0, 1, 2].map(() => device.token(device.refreshParameters(token), { origin })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body["refresh_token"])).size).toBe(1);
  }
  expect(await findViolations(database)).toEqual([]);
});

test("a code is neither over nor lives longer because a clock is wrong", async () => {
  const server = await startWithClock([2 * 3600, -2 * 3600]);
  const { origin } = server;
  const [live = "", over = ""] = await seedCodes(database, device, 2);
  await database.query(
    "UPDATE authorization_codes SET expires_at = now() - interval '1 second' WHERE hash = $1",
    [hash(over)],
  );
  await server.step();
  expect((await device.token(device.codeParameters(live), { origin })).status).toBe(200);
  await server.step();
  expect((await device.token(device.codeParameters(over), { origin })).body).toMatchObject({
    error: "invalid_grant",
  });
  expect(await findViolations(database)).toEqual([]);
});

test.each([-3600, -360, 360, 3600])(
  "a process whose clock is %i s off accepts no proof that was used and forgotten, and no request fails",
  { timeout: timeLimit },
  async (offset) => {
    const server = await startWithClock([], { CLOCK_START: String(offset), AUTHZ_MANAGEMENT_PORT: "0" });
    const { origin } = server;
    const token = await signIn(origin);
    // Those that its clock takes for fresh: another process may have accepted them then.
    const proofs = [offset - 4, offset, offset + 4].map((seconds) => at(seconds).proof());
    const replays = await Promise.all(
      proofs.map((proof) => device.refresh(token, { origin, proofs: [proof] })),
    );
    expect(replays.map(({ body }) => body["error"])).toEqual(proofs.map(() => "invalid_dpop_proof"));
    expect((await device.refresh(token, { origin })).status).toBe(200);
    expect(await findViolations(database)).toEqual([]);

    const { address } = JSON.parse(await server.command.waitFor("The management port is open.")) as {
      address: string;
    };
    const readiness = await fetch(`${address}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ status: "clock_differs" });
    await server.command.waitFor("CLOCK_DIFFERS");
    await server.kill();
  },
);

test("a proof that one process accepted stays used although the clock of another is hours ahead", {
  timeout: timeLimit,
}, async () => {
  const ahead = await startWithClock([4 * 3600], { AUTHZ_HOUSEKEEPING_SECONDS: "5" });
  const exact = await startWithClock([]);
  let token = await signIn(exact.origin);
  const proofs = [device.proof()];
  const first = await device.refresh(token, { origin: exact.origin, proofs });
  expect(first.status).toBe(200);
  token = first.body["refresh_token"] ?? "";

  // Old enough to go by any clock, so its absence says that a round of housekeeping is over.
  const marker = "marker of a round";
  await database.query(
    "INSERT INTO dpop_replays (key, expires_at) VALUES ($1, now() - interval '10 minutes')",
    [marker],
  );
  await ahead.step();
  await expect
    .poll(() => database.query("SELECT FROM dpop_replays WHERE key = $1", [marker]))
    .toHaveLength(0);

  expect((await device.refresh(token, { origin: exact.origin, proofs })).body).toMatchObject({
    error: "invalid_dpop_proof",
  });
  expect((await device.refresh(token, { origin: exact.origin })).status).toBe(200);
  expect(await findViolations(database)).toEqual([]);
});
