import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { createCommands } from "../support/processes.js";

const commands = createCommands();
afterAll(() => commands.kill());

const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database;
}

function logLines(text: string): Record<string, unknown>[] {
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("authz-server", () => {
  test("starts on an empty database: migrations, defaults, then the port; SIGTERM ends it with 0", async () => {
    const { url, query } = await emptyDatabase();
    const server = commands.run("authz-server", [], testEnvironment({ POSTGRES_URL: url }));

    const line = await server.waitFor("The server is listening.");
    const { address } = JSON.parse(line) as { address: string };
    const response = await fetch(`${address}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ issuer: "http://127.0.0.1:3000" });
    expect(await query("SELECT key FROM scopes WHERE system ORDER BY key")).toEqual([
      { key: "authz:administer" },
      { key: "authz:agents" },
      { key: "authz:audit" },
      { key: "authz:login" },
      { key: "authz:support" },
    ]);
    const messages = logLines(server.stdout()).map(({ msg }) => msg);
    const migrated = messages.indexOf("All migrations have been successfully applied.");
    const opened = messages.findIndex((message) => String(message).startsWith("Server listening"));
    expect(migrated).toBeGreaterThanOrEqual(0);
    expect(opened).toBeGreaterThan(migrated);

    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("says at the second start that there is nothing to migrate", async () => {
    const { url } = await emptyDatabase();
    const environment = testEnvironment({ POSTGRES_URL: url });
    for (const line of [
      "All migrations have been successfully applied.",
      "No pending migrations to apply.",
    ]) {
      const server = commands.run("authz-server", [], environment);
      await server.waitFor(line);
      await server.waitFor("The server is listening.");
      server.kill("SIGINT");
      expect(await server.exited).toBe(0);
    }
  });

  test("names every missing variable and exits with 1", async () => {
    const server = commands.run("authz-server", [], {});
    expect(await server.exited).toBe(1);
    for (const variable of ["POSTGRES_URL", "AUTHZ_ISSUER", "AUTH_SESSION_SECRET", "AUTHZ_SIGNING_KID"]) {
      expect(server.output()).toContain(`${variable}: missing`);
    }
  });

  test.each(["authz-server", "authz-migrate"] as const)(
    "%s starts nothing when a command is unknown",
    async (name) => {
      const process = commands.run(name, ["stauts"], {});
      expect(await process.exited).toBe(1);
      expect(process.output()).toContain("error: unknown command 'stauts'. Available: ");
    },
  );

  test("logs P1001 with the remedy and exits with 1 when the database is away", async () => {
    const environment = testEnvironment({ POSTGRES_URL: "postgresql://authz:hunter2@127.0.0.1:1/authz" });
    const server = commands.run("authz-server", [], environment);
    expect(await server.exited).toBe(1);
    expect(logLines(server.stdout()).at(-1)).toMatchObject({ level: 60, code: "P1001" });
    expect(server.output()).toContain("Check that PostgreSQL runs");
    expect(server.output()).not.toContain("hunter2");
  });

  test("exits with 1 when the port is taken", async () => {
    const { url } = await emptyDatabase();
    const environment = testEnvironment({ POSTGRES_URL: url });
    const first = commands.run("authz-server", [], environment);
    const { address } = JSON.parse(await first.waitFor("The server is listening.")) as { address: string };
    const second = commands.run("authz-server", [], { ...environment, AUTHZ_PORT: new URL(address).port });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("EADDRINUSE");
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);
  });

  test("stops with P3018, then with P3009, until the failure is resolved as the log says", async () => {
    const { url, query } = await emptyDatabase();
    const environment = testEnvironment({ POSTGRES_URL: url });
    const conflict = "audit_events_refuse_change()";
    await query(`CREATE FUNCTION ${conflict} RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);

    for (const code of ["P3018", "P3009", "P3009"]) {
      const server = commands.run("authz-server", [], environment);
      expect(await server.exited).toBe(1);
      expect(logLines(server.stdout()).at(-1)).toMatchObject({ code, migration: "0001_schema" });
    }

    await query(`DROP FUNCTION ${conflict}`);
    const resolve = commands.run("authz-migrate", ["resolve", "--rolled-back", "0001_schema"], environment);
    expect(await resolve.exited).toBe(0);
    const server = commands.run("authz-server", [], environment);
    await server.waitFor("The server is listening.");
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("secrets prints an environment that only lacks the two addresses", async () => {
    const secrets = commands.run("authz-server", ["secrets"], {});
    expect(await secrets.exited).toBe(0);
    const { POSTGRES_URL, AUTHZ_ISSUER, ...rest } = parseEnv(secrets.stdout());
    expect([POSTGRES_URL, AUTHZ_ISSUER]).toEqual(["", ""]);
    expect(Object.values(rest).every((value) => value !== "")).toBe(true);
  });

  describe("apply", () => {
    const file = join(tmpdir(), `authz-registry-${process.pid}.yaml`);
    afterEach(() => rm(file, { force: true }));

    test("sets an empty database up and applies the file, once", async () => {
      const { url, query } = await emptyDatabase();
      const environment = testEnvironment({ POSTGRES_URL: url });
      await writeFile(file, "assignments: [{ email: ada@acme.example, scopes: ['authz:login'] }]");
      for (const expected of ["1 changes applied.", "Nothing to change."]) {
        const apply = commands.run("authz-server", ["apply", "--file", file], environment);
        expect(await apply.exited).toBe(0);
        expect(apply.stdout()).toContain(expected);
      }
      expect(await query("SELECT email, scope_key FROM assignments")).toEqual([
        { email: "ada@acme.example", scope_key: "authz:login" },
      ]);
    });

    test.each([
      { name: "a file that does not exist", content: undefined, problem: "cannot be read (ENOENT)" },
      { name: "a malformed file", content: "scopes: 1", problem: "scopes: " },
    ])("exits with 1 for $name", async ({ content, problem }) => {
      if (content !== undefined) await writeFile(file, content);
      const apply = commands.run("authz-server", ["apply", "--file", file], testEnvironment());
      expect(await apply.exited).toBe(1);
      expect(apply.output()).toContain(problem);
    });
  });
});

describe("authz-migrate", () => {
  test("run by ten processes at the same time applies each migration once", async () => {
    const { url, query } = await emptyDatabase();
    const runs = Array.from({ length: 10 }, () => commands.run("authz-migrate", [], { POSTGRES_URL: url }));
    expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual(runs.map(() => 0));
    const applied = await query<{ name: string }>("SELECT name FROM authz_migrations ORDER BY name");
    const lines = runs
      .flatMap((run) => logLines(run.stdout()))
      .filter(({ migration }) => migration !== undefined);
    expect(lines.map(({ migration }) => String(migration)).toSorted()).toEqual(
      applied.map(({ name }) => name),
    );
  });

  test("status lists what is pending and what is applied", async () => {
    const { url } = await emptyDatabase();
    for (const state of ["pending ", "applied "]) {
      const status = commands.run("authz-migrate", ["status"], { POSTGRES_URL: url });
      expect(await status.exited).toBe(0);
      expect(status.stdout()).toContain(`${state}  0001_schema`);
      expect(await commands.run("authz-migrate", [], { POSTGRES_URL: url }).exited).toBe(0);
    }
  });

  test("resolve exits with 1 when there is nothing to resolve", async () => {
    const { url } = await emptyDatabase();
    const resolve = commands.run("authz-migrate", ["resolve", "--rolled-back", "0001_x"], {
      POSTGRES_URL: url,
    });
    expect(await resolve.exited).toBe(1);
    expect(resolve.output()).toContain("no failed attempt of 0001_x");
  });
});
