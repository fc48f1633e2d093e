import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createBrowser } from "../support/device.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { extent, timeLimit } from "./extent.js";
import { createInstallation, type Installation, type ServerProcess } from "./installation.js";
import { seedCodes } from "./seed.js";
import { type SlowProvider, startSlowProvider } from "./slow-provider.js";
import { findViolations } from "./violations.js";

/** Fewer than the connections the server opens to one provider, so that all of them wait at the same time. */
const people = 6;
const rounds = extent({ short: 1, long: 30 });

let commands: ServerCommands;
let database: TestDatabase;
let provider: SlowProvider;
let installation: Installation;
let server: ServerProcess;
let device: RawDevice;
beforeAll(async () => {
  commands = createCommands();
  [database, provider] = await Promise.all([createTestDatabase(), startSlowProvider()]);
  installation = await createInstallation(commands, { database, providerIssuer: provider.issuer });
  server = await installation.start("issuer");
  device = await RawDevice.create(installation.issuer);
});
afterAll(async () => {
  await installation.close();
  provider.close();
  await database.drop();
  commands.kill();
});

interface Outcomes {
  readonly signedIn: number;
  /** Told that the provider cannot be reached: also those that the server gave up on while it was slow. */
  readonly refused: number;
  readonly cutOff: number;
}

/** Everybody is back from the provider, and the server asks it who they are. */
async function signInAll(): Promise<Outcomes> {
  const visits = await Promise.allSettled(
    Array.from({ length: people }, () => createBrowser().open(device.authorizeUrl())),
  );
  const counted = (status: number) =>
    visits.filter((visit) => visit.status === "fulfilled" && visit.value.status === status).length;
  const cutOff = visits.filter(({ status }) => status === "rejected").length;
  return { signedIn: counted(200), refused: counted(503), cutOff };
}

/** What the database knows about all sign-ins so far. */
async function read() {
  const [row] = await database.query<Record<"sessions" | "completed" | "refused" | "attempts", number>>(`
    SELECT (SELECT count(*)::integer FROM browser_sessions) AS sessions,
      (SELECT count(*)::integer FROM audit_events WHERE type = 'sign_in.completed') AS completed,
      (SELECT count(*)::integer FROM audit_events WHERE type = 'sign_in.refused') AS refused,
      (SELECT count(*)::integer FROM sign_in_attempts) AS attempts`);
  if (row === undefined) throw new Error("A query of counts has a row.");
  return row;
}

async function countBusyConnections(): Promise<number> {
  const rows = await database.query(`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`);
  return rows.length;
}

test("people who wait for the provider hold no connection, and tokens are issued meanwhile", {
  timeout: timeLimit,
}, async () => {
  const codes = await seedCodes(database, device, rounds);
  for (const code of codes) {
    const before = await read();
    const signIns = signInAll();
    await provider.waiting(people);
    expect((await device.token(device.codeParameters(code))).status).toBe(200);
    await expect.poll(countBusyConnections).toBe(0);
    await provider.answer();
    const { signedIn, refused, cutOff } = await signIns;

    expect(signedIn).toBeGreaterThan(0);
    expect({ everybody: signedIn + refused, cutOff }).toEqual({ everybody: people, cutOff: 0 });
    expect(await read()).toEqual({
      sessions: before.sessions + signedIn,
      completed: before.completed + signedIn,
      refused: before.refused + refused,
      attempts: 0,
    });
  }
  expect(await findViolations(database)).toEqual([]);
});

test("a provider that hangs up leaves no session, and each person is told once", {
  timeout: timeLimit,
}, async () => {
  const before = await read();
  const signIns = signInAll();
  await provider.waiting(people);
  provider.hangUp();

  expect(await signIns).toEqual({ signedIn: 0, refused: people, cutOff: 0 });
  expect(await read()).toEqual({ ...before, refused: before.refused + people });
});

test("kill -9 while all requests wait leaves no session, and afterwards people sign in again", {
  timeout: timeLimit,
}, async () => {
  const before = await read();
  const signIns = signInAll();
  await provider.waiting(people);
  await server.kill();
  const { signedIn, refused, cutOff } = await signIns;
  expect({ signedIn, others: refused + cutOff }).toEqual({ signedIn: 0, others: people });
  const after = await read();
  expect(after).toEqual({ ...before, refused: after.refused });
  // It may have recorded a refusal and died before it said so.
  expect(after.refused - before.refused).toBeGreaterThanOrEqual(refused);

  provider.hangUp();
  server = await installation.start("issuer");
  const again = createBrowser().open(device.authorizeUrl());
  await provider.waiting(1);
  await provider.answer();
  expect((await again).status).toBe(200);
  expect((await read()).sessions).toBe(before.sessions + 1);
});
