import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../src/store/postgres/database.js";
import { openStore } from "../../src/store/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { stampEvent } from "../support/stamp.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { startFleet } from "./fleet.js";
import { createInstallation, type Installation, type ServerProcess } from "./installation.js";
import { seedCodes } from "./seed.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";
import { findViolations } from "./violations.js";

let commands: ServerCommands;
let database: TestDatabase;
let proxy: TcpProxy;
let installation: Installation;
let server: ServerProcess;
let managementOrigin: string;
let device: RawDevice;
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
  installation = await createInstallation(commands, { database, databasePort: proxy.port });
  server = await installation.start("issuer", { AUTHZ_MANAGEMENT_PORT: "0" });
  const line = await server.command.waitFor("The management port is open.");
  managementOrigin = (JSON.parse(line) as { address: string }).address;
  device = await RawDevice.create(installation.issuer);
});
beforeEach(() => proxy.answerNew());
afterAll(async () => {
  await installation.close();
  proxy.close();
  await database.drop();
  commands.kill();
});

/** Far less than the quarter of an hour after which the operating system gives a connection up. */
const soon = { timeout: 40_000 };

async function readiness(): Promise<string> {
  const response = await fetch(`${managementOrigin}/readyz`);
  return `${response.status} ${await response.text()}`;
}

async function signIn(): Promise<{ readonly status: number; readonly token: string }> {
  const [code = ""] = await seedCodes(database, device, 1);
  const { status, body } = await device.token(device.codeParameters(code), { origin: server.origin });
  return { status, token: body["refresh_token"] ?? "" };
}

const ready = '200 {"status":"ready"}';
const away = '503 {"status":"database_away"}';

test("when every connection that was open is dead, a process notices, says so, and makes new ones", {
  timeout: timeLimit,
}, async () => {
  const options = { devices: 12, codesEach: 20, origins: [server.origin] };
  const fleet = await startFleet(installation, options);
  for (let round = 0; round < extent({ short: 1, long: 10 }); round += 1) {
    await fleet.progress(40);
    proxy.dropOpen();
    expect([ready, away]).toContain(await readiness());
    await expect.poll(readiness, soon).toBe(ready);
    await fleet.progress(40);
  }
  await fleet.stop();

  expect(await findViolations(database, fleet.ledger, { proofs: !isLong })).toEqual([]);
});

test("while nothing reaches the database, probes and requests get 503; afterwards the same process goes on", {
  timeout: timeLimit,
}, async () => {
  const { token } = await signIn();
  expect(await readiness()).toBe(ready);
  proxy.dropAll();

  await expect.poll(readiness, soon).toBe(away);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      device.token(device.codeParameters("unknown"), { origin: server.origin }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 503));
  expect(await readiness()).toBe(away);

  proxy.answerNew();
  await expect.poll(readiness, soon).toBe(ready);
  expect(await device.refresh(token, { origin: server.origin })).toMatchObject({ status: 200 });
  expect(await findViolations(database)).toEqual([]);
});

test("a connection begun during the outage refuses no later request", {
  timeout: timeLimit,
}, async () => {
  const throughProxy = new URL(database.url);
  throughProxy.port = String(proxy.port);
  const pool = openDatabase({ postgresUrl: throughProxy.href, poolSize: 2, connectSeconds: 3 });
  proxy.dropAll();
  const before = proxy.unanswered();
  const early = pool.raw("SELECT 1").then(() => "answered");
  await expect.poll(() => proxy.unanswered()).toBeGreaterThan(before);
  proxy.answerNew();
  // Takes the second place; the first one still waits for an attempt that nobody will answer.
  const long = pool.raw("SELECT pg_sleep(4)").then(() => "answered");
  const late = pool.raw("SELECT 2").then(() => "answered");
  expect(await Promise.all([early, long, late])).toEqual(["answered", "answered", "answered"]);
  await pool.destroy();
});

test("a background task whose process is cut off goes to another process, and no row stays locked", {
  timeout: timeLimit,
}, async () => {
  const throughProxy = new URL(database.url);
  throughProxy.port = String(proxy.port);
  const cutOff = openStore({ stampEvent, postgresUrl: throughProxy.href, statementSeconds: 2 });
  const other = openStore({ stampEvent, postgresUrl: database.url, statementSeconds: 2 });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const isLocked = new Promise<void>((resolve) => {
    void cutOff
      .exclusively("a task", async () => {
        resolve();
        await finished;
      })
      .catch(() => undefined);
  });
  await isLocked;
  expect(await other.exclusively("a task", async () => "done")).toBeUndefined();

  proxy.dropOpen();

  await expect.poll(() => other.exclusively("a task", async () => "done"), soon).toBe("done");
  finish();
  await Promise.all([cutOff.close(), other.close()]);
});

test("a task that takes longer than a statement may is still exclusive", { timeout: timeLimit }, async () => {
  const store = openStore({ stampEvent, postgresUrl: database.url, statementSeconds: 2 });
  const lastSaid = async () => {
    const [row] = await database.query<{ said: Date }>(
      `SELECT state_change AS said FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction' AND query = 'SELECT'`,
    );
    return row?.said.getTime();
  };
  const outcome = await store.exclusively("long", async () => {
    // Said four times: longer than the database keeps a lock whose holder is silent.
    const said = new Set<number | undefined>();
    await expect
      .poll(async () => said.add(await lastSaid()).size, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(5);
    return await store.exclusively("long", async () => "twice");
  });
  expect(outcome).toBeUndefined();
  await store.close();
});
