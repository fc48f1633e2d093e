import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { createCommands, type ServerCommands } from "../support/processes.js";

let commands: ServerCommands;
let database: TestDatabase;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  environment = testEnvironment({ POSTGRES_URL: database.url });
  const server = commands.run("authz-server", [], environment);
  await server.waitFor("The audit trail is sealed up to event");
  server.kill("SIGTERM");
  await server.exited;
  await database.query(
    `INSERT INTO audit_events (at, type, version, outcome, actor_type, data)
     SELECT timestamptz '2030-01-01T00:00:00Z' + n * interval '1 second', 'scope.created', 1, 'success', 'operator',
       jsonb_build_object('key', 'k:' || n) FROM generate_series(1, 2500) AS n`,
  );
});
afterAll(async () => {
  commands.kill();
  await database.drop();
});

async function audit(...args: readonly string[]) {
  const command = commands.run("authz-server", ["audit", ...args], environment);
  return { exitCode: await command.exited, stdout: command.stdout(), output: command.output() };
}

test("verify says that the trail is intact, with the digest to keep", async () => {
  const { exitCode, stdout } = await audit("verify");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("The audit trail is intact.");
  expect(stdout).toContain("2500 are not sealed yet.");
  const [, digest = ""] = /digest ([0-9a-f]{64})/.exec(stdout) ?? [];
  expect((await audit("verify", "--contains", digest.toUpperCase())).exitCode).toBe(0);
});

test("verify exits with 2 for a digest that the chain does not contain", async () => {
  const { exitCode, stdout } = await audit("verify", "--contains", "ab".repeat(32));
  expect(exitCode).toBe(2);
  expect(stdout).toContain("the chain was cut off or made anew");
});

test("export prints every event on a line of its own, oldest first", async () => {
  const { exitCode, stdout } = await audit("export");
  expect(exitCode).toBe(0);
  const rows = await database.query<{ id: string }>(
    "SELECT id::text FROM audit_events ORDER BY audit_events.id",
  );
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(rows.map(({ id }) => id));
});

test("export takes a range of time, the end excluded", async () => {
  const { stdout } = await audit(
    "export",
    "--from",
    "2030-01-01T00:00:10Z",
    "--to",
    "2030-01-01T01:00:20+01:00",
  );
  const keys = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { data: { key: string } }).data.key);
  expect(keys).toEqual(Array.from({ length: 10 }, (_, index) => `k:${index + 10}`));
  expect((await audit("export", "--from", "2040-01-01")).stdout).toBe("");
});

test("a moment without its zone is refused", async () => {
  const { exitCode, output } = await audit("export", "--from", "2030-01-01T00:00:10");
  expect(exitCode).toBe(1);
  expect(output).toContain("Expected: 2026-11-20 or 2026-11-20T12:00:00Z.");
});

test("seals prints the chain", async () => {
  const { exitCode, stdout } = await audit("seals");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ id: 1, previousDigest: "00".repeat(32) });
});

test("archive writes a file that is verified by itself, and remove keeps the last two days", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "authz-archive-")), "all.ndjson");
  const archived = await audit("archive", "--before", "2100-01-01", "--file", file);
  expect(archived.stdout).toMatch(/^\d+ events with \d+ seals are in /);
  expect((await audit("archive", "--before", "2100-01-01", "--file", file)).output).toContain(
    `${file} cannot be created: it exists already.`,
  );
  const verified = await audit("verify-archive", file);
  expect([verified.exitCode, verified.stdout]).toEqual([
    0,
    expect.stringContaining("The archive is intact."),
  ]);
  const removed = await audit("remove", "--archive", file);
  expect(removed.exitCode).toBe(1);
  expect(removed.output).toContain("has events of the last two days. Those stay");
  await rm(dirname(file), { recursive: true });
});

test("verify exits with 2 and names what was tampered with", async () => {
  await database.query(
    "SET session_replication_role = replica; UPDATE audit_events SET outcome = 'failed' WHERE id = 1",
  );
  const { exitCode, stdout } = await audit("verify");
  expect(exitCode).toBe(2);
  expect(stdout).toContain("The audit trail was tampered with.");
  expect(stdout).toMatch(/Seal 1, events 1 to \d+: events were edited\./);
});

test("a database without the tables is told to migrate, and is not changed", async () => {
  await database.query("UPDATE authz_migrations SET state = 'rolled_back' WHERE name = '0001_schema'");
  const { exitCode, output } = await audit("verify");
  expect(exitCode).toBe(1);
  expect(output).toContain("AUTHZ_SCHEMA_OLDER");
  expect(output).toContain("0001_schema");
});
