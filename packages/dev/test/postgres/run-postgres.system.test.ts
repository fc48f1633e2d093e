import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type RunningPostgres, runPostgres } from "../../src/postgres/run-postgres.js";

describe("runPostgres", () => {
  const password = randomBytes(16).toString("base64url");
  let directory: string;
  let running: RunningPostgres | undefined;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "authz-run-postgres-"));
  });

  afterEach(async () => {
    await running?.stop();
    running = undefined;
    rmSync(directory, { recursive: true, force: true });
  });

  async function start(): Promise<RunningPostgres> {
    running = await runPostgres({ dataDirectory: join(directory, "data"), password, durable: false });
    return running;
  }

  async function query(url: string, sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows;
    } finally {
      await client.end();
    }
  }

  test("starts PostgreSQL 16, keeps its data, and starts again", async () => {
    const first = await start();
    expect(await query(first.url, "SHOW server_version")).toEqual([
      { server_version: expect.stringMatching(/^16\./) as string },
    ]);
    await query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer");
    await first.stop();
    expect(await first.exited).toBe(0);
    const second = await start();
    expect(await query(second.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  });

  test("refuses a wrong password", async () => {
    const { url } = await start();
    await expect(query(url.replace(password, "wrong"), "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
  });

  test("starts although a killed server left a lock that names another living process", async () => {
    await (await start()).stop();
    writeFileSync(join(directory, "data", "postmaster.pid"), `${process.pid}\n${directory}\n`);
    const { url } = await start();
    expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("says what PostgreSQL said when it cannot start", async () => {
    const { port } = await start();
    const other = { dataDirectory: join(directory, "other"), password, port };
    await expect(runPostgres(other)).rejects.toThrow(/stopped while starting[^]*Address already in use/);
  });

  test("is shared by all tests of a run", async () => {
    expect(await query(inject("postgresUrl"), "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});
