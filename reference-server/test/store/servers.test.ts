import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "authz-tools/network";
import { type RunningPostgres, runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  chooseServer,
  createTimelines,
  type ServerAnswer,
  type Standing,
} from "../../src/store/postgres/choose-server.js";
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

async function portOf(pool: Database): Promise<number> {
  const { rows } = await pool.raw<{ rows: { port: number }[] }>("SELECT inet_server_port() AS port");
  return rows[0]?.port ?? 0;
}

describe("the server to write to", () => {
  const on = (system: string, timeline: number, startedAt = `${system} ${timeline}`): Standing => ({
    system,
    timeline,
    startedAt,
  });
  const a = { url: "postgresql://a/authz", isWritable: true };
  const b = { url: "postgresql://b/authz", isWritable: true };

  test.each<{ name: string; answers: readonly ServerAnswer[]; url: string | undefined }>([
    {
      name: "the first of a cluster that does not tell",
      url: a.url,
      answers: [
        { ...a, standing: undefined },
        { ...b, standing: undefined },
      ],
    },
    {
      name: "the one on the newer timeline",
      url: b.url,
      answers: [
        { ...a, standing: on("x", 1) },
        { ...b, standing: on("x", 2) },
      ],
    },
    {
      name: "the first of two clusters",
      url: a.url,
      answers: [
        { ...a, standing: on("x", 1) },
        { ...b, standing: on("y", 2) },
      ],
    },
    {
      name: "either of two addresses of one server",
      url: a.url,
      answers: [
        { ...a, standing: on("x", 1, "s") },
        { ...b, standing: on("x", 1, "s") },
      ],
    },
    {
      name: "none while only a standby knows the newer timeline",
      url: undefined,
      answers: [
        { ...a, standing: on("x", 1) },
        { ...b, isWritable: false, standing: on("x", 2) },
      ],
    },
    {
      name: "none of two copies that went apart",
      url: undefined,
      answers: [
        { ...a, standing: on("x", 2, "s") },
        { ...b, standing: on("x", 2, "t") },
      ],
    },
  ])("is $name", ({ answers, url }) => {
    expect(chooseServer(answers, createTimelines()).url).toBe(url);
  });
});

const folder = mkdtempSync(join(tmpdir(), "authz-servers-"));
const password = "servers";
/** A stopped server with an empty database `authz`. Its copies are servers of one cluster. */
const original = join(folder, "original");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function createServer(dataDirectory: string): Promise<RunningPostgres> {
  const server = await runPostgres({ dataDirectory, password });
  await ensureDatabase(server.url, { name: "authz", password: "authz" });
  return server;
}

function urlOf(...ports: readonly number[]): string {
  return `postgres://authz:authz@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/authz`;
}

function copyOfOriginal(name: string): string {
  const copy = join(folder, name);
  execFileSync("cp", ["-a", original, copy]);
  return copy;
}

beforeAll(async () => {
  await (await createServer(original)).stop();
}, 120_000);

describe("of several servers", () => {
  let running: readonly RunningPostgres[];
  let postgresUrl: string;
  beforeAll(async () => {
    running = await Promise.all([copyOfOriginal("a"), join(folder, "b")].map(createServer));
    // No server listens on the first port.
    postgresUrl = urlOf(await findFreePort(), ...running.map(({ port }) => port));
  }, 120_000);
  afterAll(() => Promise.all(running.map((server) => server.stop())));

  /** Makes a server refuse writes, as a standby does. */
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

describe("of a primary and a standby", () => {
  let primary: RunningPostgres;
  let other: RunningPostgres;
  let restartPrimary: () => Promise<RunningPostgres>;
  let postgresUrl: string;

  /** Starts both. The second is a copy of the first, which follows it as a standby or accepts writes itself. */
  async function startPair(name: string, { isStandby }: { readonly isStandby: boolean }): Promise<void> {
    const [one, copy] = [copyOfOriginal(`${name}-primary`), copyOfOriginal(`${name}-copy`)];
    const port = await findFreePort();
    restartPrimary = () => runPostgres({ dataDirectory: one, password, port });
    if (isStandby) {
      const settings = join(copy, "postgresql.auto.conf");
      const conninfo = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
      appendFileSync(settings, `primary_conninfo = '${conninfo}'\n`);
      writeFileSync(join(copy, "standby.signal"), "");
    }
    primary = await restartPrimary();
    other = await runPostgres({ dataDirectory: copy, password });
    postgresUrl = urlOf(port, other.port);
    await administer(primary, "CREATE TABLE spent (token text); ALTER TABLE spent OWNER TO authz");
  }

  async function administer(server: RunningPostgres, text: string): Promise<void> {
    const url = new URL(server.url);
    url.pathname = "/authz";
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(text);
    await client.end();
  }

  const promote = () => administer(other, "SELECT pg_promote()");

  afterEach(async () => {
    await Promise.all([primary.stop(), other.stop()]);
  });

  test("a process that starts passes over an old primary that came back, even one whose commits wait for a standby", async () => {
    await startPair("returned", { isStandby: true });
    await administer(primary, "ALTER SYSTEM SET synchronous_standby_names = 'gone'");
    await primary.stop();
    await promote();
    primary = await restartPrimary();

    const lines: unknown[] = [];
    const log = { warn: (line: unknown) => void lines.push(line), debug: () => undefined };
    const pool = openDatabase({ postgresUrl, log });
    await pool.raw("INSERT INTO spent VALUES ('a')");
    expect(await portOf(pool)).toBe(other.port);
    expect(lines).toEqual([{ code: "DATABASE_SPLIT" }]);

    // Only the old one answers now, and the process knows that it is.
    await other.stop();
    const failure = await portOf(pool).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toContain(
      `127.0.0.1:${primary.port}: it is an old primary, on timeline 1`,
    );
    await pool.destroy();
  });

  test("a process that still reaches the old primary leaves it after a promotion", async () => {
    await startPair("promoted", { isStandby: true });
    const pool = openDatabase({ postgresUrl, recheckMilliseconds: 100 });
    expect(await portOf(pool)).toBe(primary.port);
    await promote();
    await expect.poll(() => portOf(pool)).toBe(other.port);
    await pool.destroy();
  });

  test("of two that accept writes on one timeline, none gets any", async () => {
    await startPair("apart", { isStandby: false });
    const pool = openDatabase({ postgresUrl });
    const failure = await portOf(pool).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toContain("accept writes on the same timeline");
    // Two addresses of one server are no two servers.
    await other.stop();
    const twice = openDatabase({
      postgresUrl: postgresUrl.replaceAll(String(other.port), String(primary.port)),
    });
    expect(await portOf(twice)).toBe(primary.port);
    await Promise.all([pool.destroy(), twice.destroy()]);
  });
});
