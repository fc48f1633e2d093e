import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "authz-tools/network";
import { type RunningPostgres, runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/store/postgres/database.js";
import { readServers } from "../../src/config/database-servers.js";

describe("the servers of a URL", () => {
  test.each([
    {
      url: "postgresql://user:p%40ss@db1:5432,db2:5433/authz?sslmode=require",
      urls: [
        "postgresql://user:p%40ss@db1:5432/authz?sslmode=require",
        "postgresql://user:p%40ss@db2:5433/authz?sslmode=require",
      ],
      mustBeWritable: true,
    },
    {
      url: "postgres://[::1]:5432,db2/authz",
      urls: ["postgres://[::1]:5432/authz", "postgres://db2/authz"],
      mustBeWritable: true,
    },
    { url: "postgresql://db/authz", urls: ["postgresql://db/authz"], mustBeWritable: false },
    {
      url: "postgresql://db/authz?target_session_attrs=read-write",
      urls: ["postgresql://db/authz?target_session_attrs=read-write"],
      mustBeWritable: true,
    },
    {
      url: "postgresql:///authz?host=/run/postgresql",
      urls: ["postgresql:///authz?host=/run/postgresql"],
      mustBeWritable: false,
    },
  ])("$url", ({ url, ...servers }) => {
    expect(readServers(url)).toEqual(servers);
  });
});

describe("of several servers", () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-servers-"));
  let running: readonly RunningPostgres[];
  let postgresUrl: string;
  beforeAll(async () => {
    running = await Promise.all(
      ["a", "b"].map((name) =>
        runPostgres({ dataDirectory: join(folder, name), password: "servers", durable: false }),
      ),
    );
    const urls = await Promise.all(
      running.map(({ url }) => ensureDatabase(url, { name: "authz", password: "authz" })),
    );
    // Nobody listens on the first one.
    const hosts = [`127.0.0.1:${await findFreePort()}`, ...urls.map((url) => new URL(url).host)];
    const [url = ""] = urls;
    postgresUrl = url.replace(new URL(url).host, hosts.join(","));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes a server what a standby is: it answers, and takes nothing. */
  async function setReadOnly(index: number, isReadOnly: boolean): Promise<void> {
    const client = new Client({ connectionString: running[index]?.url });
    await client.connect();
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    await client.query("SELECT pg_reload_conf()");
    const shown = async () => {
      const other = new Client({ connectionString: running[index]?.url });
      await other.connect();
      const { rows } = await other.query<{ value: string }>(
        "SELECT current_setting('default_transaction_read_only') AS value",
      );
      await other.end();
      return rows[0]?.value;
    };
    await expect.poll(shown).toBe(isReadOnly ? "on" : "off");
    await client.end();
  }

  async function portOf(pool: Database): Promise<number> {
    const { rows } = await pool.raw<{ rows: { port: number }[] }>("SELECT inet_server_port() AS port");
    return rows[0]?.port ?? 0;
  }

  beforeEach(async () => {
    await Promise.all([setReadOnly(0, false), setReadOnly(1, false)]);
  });

  test("the first that answers and can be written to is taken", async () => {
    await setReadOnly(0, true);
    const pool = openDatabase({ postgresUrl });
    expect(await portOf(pool)).toBe(running[1]?.port);
    await pool.destroy();
  });

  test("the other one is taken when the first becomes a standby, without a new start", async () => {
    const pool = openDatabase({ postgresUrl });
    expect(await portOf(pool)).toBe(running[0]?.port);
    await setReadOnly(0, true);
    const write = () => pool.raw("CREATE TABLE IF NOT EXISTS written (at timestamptz)");
    // The connection is there still, and says so.
    await expect
      .poll(() =>
        write().then(
          () => portOf(pool),
          () => undefined,
        ),
      )
      .toBe(running[1]?.port);
    await pool.destroy();
  });

  test("when none can be written to, the database is away, and the reason names each without a password", async () => {
    await Promise.all([setReadOnly(0, true), setReadOnly(1, true)]);
    const pool = openDatabase({ postgresUrl });
    const failure = await portOf(pool).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ name: "DatabaseUnavailableError" });
    const message = (failure as Error).message;
    for (const { port } of running) expect(message).toContain(`127.0.0.1:${port}: it cannot be written to`);
    expect(message).not.toContain("authz:authz");
    await pool.destroy();
  });
});
