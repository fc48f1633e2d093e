import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { createCommands, type ServerCommands } from "../support/processes.js";

let commands: ServerCommands;
let database: TestDatabase;
let environment: Readonly<Record<string, string | undefined>>;
beforeAll(async () => {
  commands = createCommands();
  database = await createEmptyDatabase();
  environment = testEnvironment({ POSTGRES_URL: database.url });
  const first = commands.run("authz-server", [], environment);
  await first.waitFor("The server is listening.");
  await first.waitFor("AUDIT_SEALED");
  first.kill("SIGTERM");
  await first.exited;
});
afterAll(async () => {
  commands.kill();
  await database.drop();
});

const other = {
  AUTHZ_ISSUER: "http://127.0.0.1:3999",
  AUTH_SESSION_SECRET: Buffer.alloc(32, 9).toString("base64url"),
  AUTHZ_CREDENTIAL_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
};
const variables = Object.keys(other) as (keyof typeof other)[];

/** Everything that a start, or a round in the background, could write. */
async function everything(): Promise<unknown> {
  return await Promise.all(
    [
      "audit_events",
      "audit_seals",
      "signing_keys",
      "settings",
      "secret_checks",
      "sealed_secrets",
      "authz_migrations",
    ].map((table) => database.query(`SELECT * FROM ${table} ORDER BY 1`)),
  );
}

test.each(variables)("with another %s no server starts, and nothing is written", async (variable) => {
  const before = await everything();
  const server = commands.run("authz-server", [], { ...environment, [variable]: other[variable] });
  expect(await server.exited).toBe(1);
  const last = JSON.parse(server.stdout().trim().split("\n").at(-1) ?? "{}") as Record<string, unknown>;
  const code = variable.endsWith("KEY") ? "CREDENTIAL_KEY_WRONG" : "AUTHZ_SECRET_MISMATCH";
  expect(last).toMatchObject({ level: 60, code });
  expect(last["msg"]).toContain(variable);
  expect(server.output()).not.toContain(other.AUTH_SESSION_SECRET);
  expect(await everything()).toEqual(before);
});

test.each([
  ["keys", "stage"],
  ["audit", "verify"],
])("with another key authz-server %s %s refuses as well", async (...args) => {
  const before = await everything();
  const { AUTHZ_CREDENTIAL_ENCRYPTION_KEY } = other;
  const command = commands.run("authz-server", args, { ...environment, AUTHZ_CREDENTIAL_ENCRYPTION_KEY });
  expect(await command.exited).toBe(1);
  expect(command.output()).toContain("AUTHZ_CREDENTIAL_ENCRYPTION_KEY is not the key of this installation");
  expect(await everything()).toEqual(before);
});

test("a session secret that was replaced on purpose is accepted; the old one is refused then", async () => {
  const { AUTH_SESSION_SECRET } = other;
  const replaced = { ...environment, AUTH_SESSION_SECRET };
  const accept = commands.run("authz-server", ["accept", "AUTH_SESSION_SECRET"], replaced);
  expect(await accept.exited).toBe(0);
  const server = commands.run("authz-server", [], replaced);
  await server.waitFor("The server is listening.");
  server.kill("SIGTERM");
  const old = commands.run("authz-server", [], environment);
  expect(await old.exited).toBe(1);
  expect(old.output()).toContain("authz-server accept AUTH_SESSION_SECRET");
});

test("another encryption key cannot be accepted", async () => {
  const command = commands.run("authz-server", ["accept", "AUTHZ_CREDENTIAL_ENCRYPTION_KEY"], environment);
  expect(await command.exited).toBe(1);
  expect(command.output()).toContain("Allowed choices are AUTHZ_ISSUER, AUTH_SESSION_SECRET");
});
