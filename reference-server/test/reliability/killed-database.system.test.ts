import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "authz-tools/network";
import { type RunningPostgres, runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client, type QueryResultRow } from "pg";
import { beforeAll, expect, test } from "vitest";
import { createCommands } from "../support/processes.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { startFleet } from "./fleet.js";
import { createInstallation, type Installation } from "./installation.js";
import { findViolations } from "./violations.js";

const folder = mkdtempSync(join(tmpdir(), "authz-reliability-"));
let postgres: RunningPostgres;
let installation: Installation;
let start: () => Promise<RunningPostgres>;
beforeAll(async () => {
  const port = await findFreePort();
  // Durable, as in production: what was answered must survive.
  start = () => runPostgres({ dataDirectory: join(folder, "data"), password: "reliability", port });
  const commands = createCommands();
  const started = await start();
  postgres = started;
  const url = await ensureDatabase(postgres.url, { name: "authz", password: "authz" });
  const adminUrl = new URL(postgres.url);
  adminUrl.pathname = "/authz";
  const query = async <Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> => {
    const client = new Client({ connectionString: adminUrl.href });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  installation = await createInstallation(commands, { database: { url, query }, migrate: true });
  return async () => {
    await installation.close();
    await postgres.stop();
    commands.kill();
    rmSync(folder, { recursive: true, force: true });
  };
});

test("kill -9 of PostgreSQL under load loses and doubles nothing", { timeout: timeLimit }, async () => {
  const rounds = extent({ short: 1, long: 10 });
  const step = extent({ short: 40, long: 400 });
  const servers = await Promise.all([installation.start(), installation.start()]);
  const origins = servers.map(({ origin }) => origin);
  const fleet = await startFleet(installation, { devices: 8, codesEach: 10 + rounds * 4, origins });

  for (let round = 0; round < rounds; round += 1) {
    await fleet.progress(step);
    postgres.kill();
    await postgres.exited;
    postgres = await start();
    await fleet.progress(step);
  }
  await fleet.stop();

  expect(await findViolations(installation.database, fleet.ledger, { proofs: !isLong })).toEqual([]);
});
