import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetOwnVariables } from "../../src/harden-process.js";
import { createEmptyDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { type ServerCommands, createCommands, type RunningCommand } from "../support/processes.js";

let commands: ServerCommands;
let database: TestDatabase;
beforeAll(async () => {
  commands = createCommands();
  database = await createEmptyDatabase();
});
afterAll(async () => {
  commands.kill();
  await database.drop();
});

async function start(
  changes: Record<string, string> = {},
): Promise<{ server: RunningCommand; address: string }> {
  const environment = testEnvironment({ POSTGRES_URL: database.url, ...changes });
  const server = commands.run("authz-server", [], environment);
  const { address } = JSON.parse(await server.waitFor("The server is listening.")) as { address: string };
  return { server, address };
}

test("a signal opens no debugger", async () => {
  const { server, address } = await start();
  server.kill("SIGUSR1");
  // Node.js opens it on a thread of its own, before or after this answer; the end of the process is after both.
  expect((await fetch(`${address}/.well-known/openid-configuration`)).status).toBe(200);
  server.kill("SIGTERM");
  await server.exited;
  expect(server.output()).not.toContain("Debugger listening");
});

test("a signal writes no report, whatever Node.js was told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-report-"));
  const options = `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${folder}`;
  const { server } = await start({ NODE_OPTIONS: options });
  server.kill("SIGUSR2");
  await server.exited;
  expect(readdirSync(folder)).toEqual([]);
});

test("what the configuration was read from leaves the environment, and nothing else does", () => {
  const environment = {
    ...testEnvironment(),
    AUTHZ_CONNECTOR_VAULT_TOKEN_FILE: "/run/secrets/vault",
    PATH: "/usr/bin",
    OTEL_SERVICE_NAME: "authz",
    LOG_LEVEL: "info",
  };
  forgetOwnVariables(environment);
  expect(environment).toEqual({ PATH: "/usr/bin", OTEL_SERVICE_NAME: "authz", LOG_LEVEL: "info" });
});

test("the image starts Node.js without what an attacker of the prototype needs", () => {
  const root = new URL("../../../", import.meta.url);
  for (const file of ["reference-server/Dockerfile", "proxy/Dockerfile"]) {
    expect(readFileSync(new URL(file, root), "utf8")).toContain('"--disable-proto=delete"');
  }
});
