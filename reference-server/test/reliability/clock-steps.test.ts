import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { type BuiltCommands, buildCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { timeLimit } from "./extent.js";
import { createInstallation, type Installation, type ServerProcess } from "./installation.js";
import { seedCodes } from "./seed.js";
import { findViolations } from "./violations.js";

const clockModule = fileURLToPath(new URL("./stepping-clock.mjs", import.meta.url));
let commands: BuiltCommands;
let database: TestDatabase;
let installation: Installation;
let device: RawDevice;
beforeAll(async () => {
  [commands, database] = await Promise.all([buildCommands(), createTestDatabase()]);
  installation = await createInstallation(commands, { database });
  device = await RawDevice.create(installation.issuer);
});
afterAll(async () => {
  await installation.close();
  await database.drop();
  commands.remove();
});

/** A server process whose clock a test moves: to the next of these offsets, in seconds, at each `step()`. */
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

async function logIn(origin: string): Promise<string> {
  const [code = ""] = await seedCodes(database, device, 1);
  const { body } = await device.token(device.codeParameters(code), { origin });
  return body["refresh_token"] ?? "";
}

const secondsAhead = (seconds: number) => device.at(() => Date.now() + seconds * 1000);

test("a clock that steps refuses what it must, and uses nothing up and revokes nothing", async () => {
  const server = await startWithClock([600, -600, 0]);
  const { origin } = server;
  const token = await logIn(origin);

  await server.step();
  expect((await device.refresh(token, { origin })).body).toMatchObject({ error: "invalid_dpop_proof" });
  await server.step();
  expect((await device.refresh(token, { origin })).body).toMatchObject({ error: "invalid_dpop_proof" });
  await server.step();
  expect((await device.refresh(token, { origin })).status).toBe(200);
  expect(await findViolations(database)).toEqual([]);
});

test("a log-in goes on through steps forwards and backwards, and still rotates once per refresh", async () => {
  const server = await startWithClock([120, -120, 0]);
  const { origin } = server;
  let token = await logIn(origin);
  for (const seconds of [120, -120, 0]) {
    await server.step();
    const current = secondsAhead(seconds);
    const answers = await Promise.all(
      [0, 1, 2].map(() => current.token(current.refreshParameters(token), { origin })),
    );
    // Whoever comes second ends the log-in, so the next round begins with another.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    token = await logIn(await originOfNow());
  }
  expect(await findViolations(database)).toEqual([]);
});

test("a code does not live longer, and is not used up, because a clock was wrong", async () => {
  const server = await startWithClock([2 * 3600, 0]);
  const { origin } = server;
  const [code = ""] = await seedCodes(database, device, 1);
  await server.step();
  const ahead = secondsAhead(2 * 3600);
  expect((await ahead.token(device.codeParameters(code), { origin })).body).toMatchObject({
    error: "invalid_grant",
  });
  await server.step();
  expect((await device.token(device.codeParameters(code), { origin })).status).toBe(200);
  expect(await findViolations(database)).toEqual([]);
});

test("a proof that one process accepted stays used although the clock of another is hours ahead", {
  timeout: timeLimit,
}, async () => {
  const ahead = await startWithClock([4 * 3600], { AUTHZ_HOUSEKEEPING_SECONDS: "5" });
  const exact = await startWithClock([]);
  let token = await logIn(exact.origin);
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
    .poll(() => database.query("SELECT FROM dpop_replays WHERE key = $1", [marker]), { timeout: 60_000 })
    .toHaveLength(0);

  expect((await device.refresh(token, { origin: exact.origin, proofs })).body).toMatchObject({
    error: "invalid_dpop_proof",
  });
  expect((await device.refresh(token, { origin: exact.origin })).status).toBe(200);
  expect(await findViolations(database)).toEqual([]);
});

let steady: ServerProcess | undefined;

/** A process whose clock is right. */
async function originOfNow(): Promise<string> {
  steady ??= await installation.start();
  return steady.origin;
}
