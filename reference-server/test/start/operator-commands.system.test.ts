import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
});
afterAll(async () => {
  commands.kill();
  await database.drop();
});

/** Runs `authz-server …` to its end. */
async function run(...args: string[]) {
  const command = commands.run("authz-server", args, environment);
  const code = await command.exited;
  return { code, stdout: command.stdout(), output: command.output() };
}

test("keys are staged on an empty database, and not activated before their time", async () => {
  const { code, stdout } = await run("keys", "stage", "--json");
  expect(code).toBe(0);
  const { kid } = JSON.parse(stdout) as { kid: string };

  const early = await run("keys", "activate", kid);
  expect(early).toMatchObject({ code: 1, stdout: "" });
  expect(early.output).toContain(`${kid} may sign from `);
  expect(early.output).not.toContain("    at ");

  const list = await run("keys", "list");
  expect(list.stdout.split("\n").filter((line) => line !== "")).toEqual([
    expect.stringMatching(`^${kid}  staged   may sign from `) as string,
    expect.stringMatching(/^0b2f1c3e-\S+ {2}active {3}signing since \S+, from the environment$/) as string,
  ]);
});

test("a permission is explained, and a question about nothing is refused", async () => {
  const explained = await run("explain", "--email", "ada@acme.example", "--scope", "authz:login");
  expect(explained.code).toBe(0);
  expect(explained.stdout).toContain("authz:login: missing\n  no assignment grants it\n");

  const refused = await run("explain", "--email", "ada@acme.example", "--scope", "no:such");
  expect(refused).toMatchObject({ code: 1, output: "There is no scope no:such.\n" });
});

test("the version is printed, whatever the configuration", async () => {
  const running = commands.run("authz-server", ["--version"], {});
  expect(await running.exited).toBe(0);
  expect(running.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("an installation file is installed once; the second time says so and ends well", async () => {
  const file = join(tmpdir(), `authz-install-${process.pid}.yaml`);
  await writeFile(
    file,
    `installation: { name: Acme }
administrator: { email: ada@acme.example }
provider: { name: Acme accounts, issuer: "https://id.acme.example", clientId: authz, clientSecret: s3cret }`,
  );
  try {
    const first = await run("install", "--file", file);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("ada@acme.example") as string });
    const second = await run("install", "--file", file);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("already installed") as string });
    await writeFile(file, "administrator: { email: ada }");
    const refused = await run("install", "--file", file);
    expect(refused.code).toBe(1);
  } finally {
    await rm(file);
  }
});
