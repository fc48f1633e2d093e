import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../support/database.js";
import { hasPgbouncer, ifSkipped, startPgbouncer } from "../support/pgbouncer.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { startFleet } from "./fleet.js";
import { createInstallation, type Installation } from "./installation.js";
import { findViolations } from "./violations.js";

describe.skipIf(!hasPgbouncer)(`behind PgBouncer in transaction mode${ifSkipped}`, () => {
  let commands: ServerCommands;
  let database: TestDatabase;
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let installation: Installation;
  beforeAll(async () => {
    commands = createCommands();
    database = await createEmptyDatabase();
    pooler = await startPgbouncer(database.url);
    installation = await createInstallation(commands, { database, databasePort: pooler.port, migrate: true });
  }, timeLimit);
  afterAll(async () => {
    await installation.close();
    await pooler.stop();
    await database.drop();
    commands.kill();
  });

  test("two processes migrate, issue, seal and tidy up, and lose and double nothing", {
    timeout: timeLimit,
  }, async () => {
    const environment = { AUTHZ_HOUSEKEEPING_SECONDS: "5", AUTHZ_MANAGEMENT_PORT: "0" };
    const servers = await Promise.all([
      installation.start("beside", environment),
      installation.start("beside", environment),
    ]);
    const origins = servers.map(({ origin }) => origin);
    const fleet = await startFleet(installation, { devices: 8, codesEach: 10, origins });
    await database.query(
      "INSERT INTO dpop_replays SELECT 'over ' || n, now() - interval '1 hour' FROM generate_series(1, 10) AS n",
    );
    await fleet.progress(extent({ short: 100, long: 5_000 }));
    await fleet.stop();
    expect(fleet.ledger.unclear).toBe(0);

    const count = async (text: string) => {
      const [row] = await database.query<{ count: number }>(text);
      return row?.count;
    };
    await expect
      .poll(() => count("SELECT count(*)::integer AS count FROM dpop_replays WHERE key LIKE 'over %'"), {
        timeout: 60_000,
      })
      .toBe(0);
    await expect
      .poll(
        () =>
          count(
            `SELECT (max(e.id) - coalesce((SELECT max(last_event_id) FROM audit_seals), 0))::integer AS count
             FROM audit_events e`,
          ),
        { timeout: 60_000 },
      )
      .toBe(0);
    const line = await servers[0]?.command.waitFor("The management port is open.");
    const { address } = JSON.parse(line ?? "{}") as { address: string };
    expect(await (await fetch(`${address}/readyz`)).text()).toBe('{"status":"ready"}');
    expect(await findViolations(database, fleet.ledger, { proofs: !isLong })).toEqual([]);
    const output = servers.map(({ command }) => command.output()).join("\n");
    expect(output.split("\n").filter((text) => /"level":(?:40|50|60)/.test(text))).toEqual([]);
  });

  test("what the servers set, no other program behind the pooler meets", async () => {
    const url = new URL(database.url);
    url.port = String(pooler.port);
    const clients = Array.from({ length: 8 }, () => new Client({ connectionString: url.href }));
    const sessions = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        // Each transaction has one of the pooler's connections for itself.
        await client.query("BEGIN");
        const { rows } = await client.query(
          `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
             (SELECT count(*)::integer FROM pg_prepared_statements WHERE name <> '') AS prepared`,
        );
        return rows as unknown;
      }),
    );
    await Promise.all(clients.map((client) => client.end()));
    expect(sessions).toEqual(clients.map(() => [{ statement: "0", lock: "0", prepared: 0 }]));
  });
});
