/** The server's container, in the words of the specification, without Docker. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { loadConfig } from "../../../reference-server/src/config/config.js";
import { applyMigrations } from "../../../reference-server/src/store/migrate/apply-migrations.js";
import { loadMigrations } from "../../../reference-server/src/store/migrate/migration-files.js";
import { createEmptyDatabase, type TestDatabase } from "../../../reference-server/test/support/database.js";
import { buildTestImage, type Container, repository, type TestImage } from "./image.js";

// Up to four whole starts in one test, on whatever machine this is.

const healthPath = "/.well-known/openid-configuration";
const migrations = readdirSync(join(repository, "reference-server/migrations"))
  .filter((file) => file.endsWith(".sql"))
  .map((file) => file.replace(/\.sql$/, ""))
  .toSorted();
const newest = migrations.at(-1) ?? "";

let image: TestImage;
/** What `authz-server secrets` prints, once for all tests, with an issuer. */
let secrets: Record<string, string>;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  image = buildTestImage("server");
  const printed = image.run({}, ["authz-server", "secrets"]);
  await printed.exited;
  const { POSTGRES_URL: _empty, ...rest } = parseEnv(printed.output()) as Record<string, string>;
  secrets = { ...rest, AUTHZ_ISSUER: "https://auth.example.com" };
});

afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

afterAll(() => image.remove());

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database;
}

/** Documented variables only. The port is another one, because 3000 may be in use where the tests run. */
function environment(postgresUrl: string, changes: Record<string, string> = {}): Record<string, string> {
  return { ...secrets, POSTGRES_URL: postgresUrl, AUTHZ_PORT: "0", ...changes };
}

async function startServer(env: Readonly<Record<string, string>>): Promise<Container & { origin: string }> {
  const container = image.run(env);
  const { address } = await container.until("The server is listening.");
  return { ...container, origin: `http://127.0.0.1:${new URL(String(address)).port}` };
}

async function stop(container: Container): Promise<void> {
  container.kill("SIGTERM");
  expect(await container.exited).toBe(0);
}

const messagesOf = ({ log }: Container) => log.map(({ msg }) => msg);
const appliedBy = ({ log }: Container) =>
  log.map(({ migration }) => migration).filter((name) => name !== undefined);

describe("Start-up sequence (every start)", () => {
  it("Apply all database migrations not yet applied: on a fresh database all", async () => {
    const { url } = await emptyDatabase();
    const server = await startServer(environment(url));
    expect(appliedBy(server)).toEqual(migrations);
    expect(messagesOf(server)).toContain("All migrations have been successfully applied.");
    await stop(server);
  });

  it("Apply all database migrations not yet applied: on an upgrade only the new", async () => {
    const { url } = await olderDatabase();
    const server = await startServer(environment(url));
    expect(appliedBy(server)).toEqual([newest]);
    await stop(server);
  });

  it("Applied migrations are recorded in a table of the migration tool", async () => {
    const { url, query } = await emptyDatabase();
    await stop(await startServer(environment(url)));
    const recorded = await query<{ name: string }>("SELECT name FROM authz_migrations ORDER BY name");
    expect(recorded.map(({ name }) => name)).toEqual(migrations);
  });

  it("Success lines in the log: All migrations have been successfully applied. or No pending migrations to apply., followed by server start", async () => {
    const { url } = await emptyDatabase();
    for (const success of [
      "All migrations have been successfully applied.",
      "No pending migrations to apply.",
    ]) {
      const server = await startServer(environment(url));
      const messages = messagesOf(server);
      expect(messages.filter((message) => /migrations (?:have been|to apply)/.test(message))).toEqual([
        success,
      ]);
      expect(messages.indexOf("The server is listening.")).toBeGreaterThan(messages.indexOf(success));
      await stop(server);
    }
  });

  it("The port opens only after migrations", async () => {
    const { url, query } = await olderDatabase();
    const port = await freePort();
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("BEGIN");
    await blocker.query("LOCK TABLE authz_migrations IN ACCESS EXCLUSIVE MODE");
    const server = image.run(environment(url, { AUTHZ_PORT: String(port) }));
    const waiting = async () =>
      await query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
    await vi.waitUntil(async () => (await waiting()).length > 0, { timeout: 240_000, interval: 100 });
    const ask = async () => await fetch(`http://127.0.0.1:${port}${healthPath}`);
    await expect(ask()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await blocker.query("ROLLBACK");
    await blocker.end();
    await server.until("The server is listening.");
    expect((await ask()).status).toBe(200);
    await stop(server);
  });

  it("Deployment initialisation creates required default records and refreshes the published skill catalogs", async () => {
    const { url, query } = await emptyDatabase();
    const server = await startServer(environment(url));
    const messages = messagesOf(server);
    const order = [
      "All migrations have been successfully applied.",
      "The default records are in place.",
      "The skill catalogs are refreshed",
      "Server listening at",
      "The server is listening.",
    ].map((text) => messages.findIndex((message) => message.startsWith(text)));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(await query("SELECT key FROM scopes WHERE system ORDER BY key")).toEqual([
      { key: "authz:administer" },
      { key: "authz:login" },
    ]);
    await stop(server);
  });

  it("The server starts and answers on port 3000", () => {
    const { AUTHZ_PORT: _port, ...env } = environment("postgresql://authz:authz@127.0.0.1:5432/authz");
    expect(loadConfig(env).port).toBe(3000);
    expect(image.dockerfile.text).toMatch(/^EXPOSE 3000$/m);
  });

  it("ends within ten seconds of docker stop, with 0", async () => {
    const { url } = await emptyDatabase();
    const server = await startServer(environment(url));
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    // The platform's ten seconds are more than the process gives itself, however it is configured.
    expect(() => loadConfig(environment(url, { AUTHZ_DRAIN_SECONDS: "9" }))).toThrow("AUTHZ_DRAIN_SECONDS");
  });
});

describe("Errors at the start of the container", () => {
  const required = [
    "POSTGRES_URL",
    "AUTHZ_ISSUER",
    "AUTH_SESSION_SECRET",
    "AUTHZ_SETUP_TOKEN",
    "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
    "AUTHZ_SIGNING_PRIVATE_JWK",
    "AUTHZ_SIGNING_PUBLIC_JWK",
    "AUTHZ_SIGNING_KID",
  ];

  it.each(required)(
    "A missing required variable makes the container refuse to start and name the variable in its log: %s",
    async (variable) => {
      const { [variable]: _missing, ...env } = environment("postgresql://authz:authz@127.0.0.1:1/authz");
      const container = image.run(env);
      expect(await container.exited).toBe(1);
      expect(container.output()).toContain(`${variable}: missing`);
    },
  );

  it("AUTHZ_CONNECTOR_KEK is not checked at start: without it the server runs", async () => {
    const { url } = await emptyDatabase();
    const { AUTHZ_CONNECTOR_KEK: _absent, ...env } = environment(url);
    const server = await startServer(env);
    expect((await fetch(`${server.origin}${healthPath}`)).status).toBe(200);
    await stop(server);
  });

  it("P1001: database unreachable. Exit with non-zero code; server does not start", async () => {
    const container = image.run(environment("postgresql://authz:hunter2@127.0.0.1:1/authz"));
    expect(await container.exited).toBe(1);
    expect(container.log.at(-1)).toMatchObject({ code: "P1001" });
    expect(container.output()).not.toContain("hunter2");
  });

  it("P3005: database already contains conflicting tables", async () => {
    const { url, query } = await emptyDatabase();
    await query("CREATE TABLE settings (id int)");
    const container = image.run(environment(url));
    expect(await container.exited).toBe(1);
    expect(container.log.at(-1)).toMatchObject({ code: "P3005" });
  });

  it("P3018: a migration failed; P3009: every later start stops with this, even when the cause is fixed; after the migration tool's resolve command, run inside the image, the remaining migrations are applied", async () => {
    const { url, query } = await olderDatabase();
    // Whatever the newest migration does, it cannot be recorded as applied.
    await query("ALTER TABLE authz_migrations ADD CONSTRAINT broken CHECK (state <> 'applied') NOT VALID");
    const failed = image.run(environment(url));
    expect(await failed.exited).toBe(1);
    expect(failed.log.at(-1)).toMatchObject({ code: "P3018", migration: newest });

    await query("ALTER TABLE authz_migrations DROP CONSTRAINT broken");
    for (let start = 0; start < 2; start += 1) {
      const stopped = image.run(environment(url));
      expect(await stopped.exited).toBe(1);
      expect(stopped.log.at(-1)).toMatchObject({ code: "P3009", migration: newest });
    }

    const resolve = image.run({ POSTGRES_URL: url }, ["authz-migrate", "resolve", "--rolled-back", newest]);
    expect(await resolve.exited).toBe(0);
    const server = await startServer(environment(url));
    expect(appliedBy(server)).toEqual([newest]);
    await stop(server);
  });

  it("A user lacking schema permissions (read/write only) fails at first start", async () => {
    const { url, query } = await emptyDatabase();
    await query("ALTER SCHEMA public OWNER TO postgres");
    await query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    await query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO postgres`);
    const container = image.run(environment(url));
    expect(await container.exited).toBe(1);
    expect(container.log.at(-1)).toMatchObject({ code: "P1010" });
  });
});

describe("Health", () => {
  it("The server image declares a health check on GET /.well-known/openid-configuration", async () => {
    const { text, healthCheck = [] } = image.dockerfile;
    expect(text).toMatch(/^HEALTHCHECK --start-period=30s /m);
    const [program, ...args] = healthCheck;
    expect(program).toBe("node");
    expect(args.join(" ")).toContain(`http://127.0.0.1:3000${healthPath}`);

    const { url } = await emptyDatabase();
    const server = await startServer(environment(url));
    const check = () =>
      spawnSync(
        process.execPath,
        args.map((arg) => arg.replace("http://127.0.0.1:3000", server.origin)),
      ).status;
    expect(check()).toBe(0);
    await stop(server);
    expect(check()).toBe(1);
  });

  it("Platform probes use the same path", async () => {
    const { url } = await emptyDatabase();
    const server = await startServer(environment(url));
    const answer = await fetch(`${server.origin}${healthPath}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ issuer: "https://auth.example.com" });
    await stop(server);
  });
});

describe("Upgrade procedure", () => {
  it("Back up the database directly before upgrading; data written after the backup is lost on restore", async () => {
    const database = await emptyDatabase();
    await stop(await startServer(environment(database.url)));
    const write = (scope: string) =>
      database.query("INSERT INTO scopes (key, description, system) VALUES ($1, '', false)", [scope]);
    await write("kept:before");
    const backup = await copyOf(database);
    await write("lost:after");

    const restored = await startServer(environment(backup.url));
    expect(messagesOf(restored)).toContain("No pending migrations to apply.");
    expect(await backup.query("SELECT key FROM scopes WHERE NOT system")).toEqual([{ key: "kept:before" }]);
    await stop(restored);
  });

  it("Change the tag to the new X.Y.Z and restart; check the log for the success line and server start", async () => {
    const { url } = await olderDatabase();
    const server = await startServer(environment(url));
    const messages = messagesOf(server);
    const success = messages.indexOf("All migrations have been successfully applied.");
    expect(success).toBeGreaterThan(-1);
    expect(messages.indexOf("The server is listening.")).toBeGreaterThan(success);
    await stop(server);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A database as the version before the newest migration left it. */
async function olderDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const all = await loadMigrations();
  const log = { info: () => undefined };
  await applyMigrations({ postgresUrl: database.url, migrations: all.slice(0, -1), log });
  return database;
}

/** What a backup, restored, is: a database with the same contents. */
async function copyOf({ name, url }: TestDatabase): Promise<TestDatabase> {
  const [copy, elsewhere] = [await emptyDatabase(), await emptyDatabase()];
  await elsewhere.query(`DROP DATABASE ${copy.name}`);
  await elsewhere.query(`CREATE DATABASE ${copy.name} TEMPLATE ${name} OWNER ${new URL(url).username}`);
  return copy;
}
