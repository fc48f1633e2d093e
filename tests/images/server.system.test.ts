/** What only the image can show: the server runs from its folder alone, read-only and not as root. */
import { spawnSync } from "node:child_process";
import { parseEnv } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadConfig } from "../../reference-server/src/config/config.js";
import { loadMigrations } from "../../reference-server/src/store/migrate/migration-files.js";
import { createEmptyDatabase, type TestDatabase } from "../../reference-server/test/support/database.js";
import { buildTestImage, type Container, type TestImage } from "./image.js";
import { findFreePort } from "../../tools/src/network/ports.js";

const healthPath = "/.well-known/openid-configuration";

let image: TestImage;
let database: TestDatabase;
/** What `authz-server secrets` prints, with an issuer, and without the key that only connectors need. */
let secrets: Record<string, string>;

beforeAll(async () => {
  image = buildTestImage("server");
  database = await createEmptyDatabase();
  const printed = image.run({}, ["authz-server", "secrets"]);
  await printed.exited;
  const {
    POSTGRES_URL: _empty,
    AUTHZ_CONNECTOR_KEK: _optional,
    ...rest
  } = parseEnv(printed.output()) as Record<string, string>;
  secrets = { ...rest, AUTHZ_ISSUER: "https://auth.example.com" };
});

afterAll(async () => {
  image.remove();
  await database.drop();
});

/** Documented variables only. The port is another one, because 3000 may be in use where the tests run. */
function environment(changes: Record<string, string> = {}): Record<string, string> {
  return { ...secrets, POSTGRES_URL: database.url, AUTHZ_PORT: "0", ...changes };
}

async function startServer(env = environment()): Promise<Container & { origin: string }> {
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

/** Runs the health check of the Dockerfile against a server on another port. */
function checkHealth({ origin }: { origin: string }): number | null {
  const [program, ...args] = image.dockerfile.healthCheck ?? [];
  expect(program).toBe("node");
  expect(args.join(" ")).toContain(`http://127.0.0.1:3000${healthPath}`);
  return spawnSync(
    process.execPath,
    args.map((arg) => arg.replace("http://127.0.0.1:3000", origin)),
  ).status;
}

describe("the container of the server", () => {
  it("sets an empty database up, opens its port, is healthy, and ends with 0 when it is stopped", async () => {
    const server = await startServer();
    const migrations = (await loadMigrations()).map(({ name }) => name);
    expect(appliedBy(server)).toEqual(migrations);
    expect(await database.query("SELECT name FROM authz_migrations ORDER BY name")).toEqual(
      migrations.map((name) => ({ name })),
    );
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
    expect(await (await fetch(`${server.origin}${healthPath}`)).json()).toMatchObject({
      issuer: "https://auth.example.com",
    });
    expect(checkHealth(server)).toBe(0);
    await stop(server);
    expect(checkHealth(server)).toBe(1);
  });

  it("opens its port only once it has seen to the migrations", async () => {
    const port = await findFreePort();
    const blocker = new Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query("BEGIN");
    await blocker.query("LOCK TABLE authz_migrations IN ACCESS EXCLUSIVE MODE");
    const server = image.run(environment({ AUTHZ_PORT: String(port) }));
    const waiting = async () =>
      await database.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
    await vi.waitUntil(async () => (await waiting()).length > 0, { timeout: 240_000, interval: 100 });
    const ask = async () => await fetch(`http://127.0.0.1:${port}${healthPath}`);
    await expect(ask()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await blocker.query("ROLLBACK");
    await blocker.end();
    await server.until("The server is listening.");
    expect(messagesOf(server)).toContain("No pending migrations to apply.");
    expect((await ask()).status).toBe(200);
    await stop(server);
  });

  it("brings the command that resolves a failed migration", async () => {
    const newest = (await loadMigrations()).at(-1)?.name ?? "";
    await database.query("UPDATE authz_migrations SET state = 'failed' WHERE name = $1", [newest]);
    const stopped = image.run(environment());
    expect(await stopped.exited).toBe(1);
    expect(stopped.log.at(-1)).toMatchObject({ code: "P3009", migration: newest });
    const command = ["authz-migrate", "resolve", "--rolled-back", newest];
    expect(await image.run({ POSTGRES_URL: database.url }, command).exited).toBe(0);
    expect(await database.query("SELECT name FROM authz_migrations WHERE state = 'rolled_back'")).toEqual([
      { name: newest },
    ]);
  });

  it("declares the port that the server opens, and a health check that waits for a start", () => {
    const { AUTHZ_PORT: _port, ...env } = environment();
    expect(loadConfig(env).port).toBe(3000);
    expect(image.dockerfile.text).toMatch(/^EXPOSE 3000$/m);
    expect(image.dockerfile.text).toMatch(/^HEALTHCHECK --start-period=30s /m);
  });

  it("cannot be told to drain for longer than the ten seconds of docker stop", () => {
    expect(() => loadConfig(environment({ AUTHZ_DRAIN_SECONDS: "9" }))).toThrow("AUTHZ_DRAIN_SECONDS");
  });
});
