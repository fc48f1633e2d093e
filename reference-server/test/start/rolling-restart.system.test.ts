import { afterAll, beforeAll, expect, test } from "vitest";
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

interface Instance {
  readonly process: RunningCommand;
  readonly address: string;
  readonly management: string;
}

async function startInstance(): Promise<Instance> {
  const environment = testEnvironment({
    POSTGRES_URL: database.url,
    AUTHZ_MANAGEMENT_PORT: "0",
    AUTHZ_DRAIN_SECONDS: "1",
  });
  const process = commands.run("authz-server", [], environment);
  const [management, address] = await Promise.all([
    process.waitFor("The management port is open.").then(addressOf),
    process.waitFor("The server is listening.").then(addressOf),
  ]);
  return { process, address, management };
}

function addressOf(line: string): string {
  return (JSON.parse(line) as { address: string }).address;
}

/** What a load balancer does: it asks who is ready, and sends to the first of them. */
async function chooseReady(instances: readonly Instance[]): Promise<Instance | undefined> {
  for (const instance of instances) {
    const ready = await fetch(`${instance.management}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (ready) return instance;
  }
  return undefined;
}

async function send(address: string): Promise<number> {
  const [keys, token] = await Promise.all([
    fetch(`${address}/api/oauth/jwks`),
    fetch(`${address}/api/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "none", client_id: "authz-cli" }),
    }),
  ]);
  await Promise.all([keys.arrayBuffer(), token.arrayBuffer()]);
  return Math.max(keys.status, token.status);
}

test("a process that is told to stop loses no request when a second one is serving", async () => {
  const instances = [await startInstance(), await startInstance()];
  const statuses = new Set<number>();
  const served = new Map<string, number>();
  let stopping: Promise<number | null> | undefined;

  for (let round = 0; round < 60 || (await isRunning(stopping)); round += 1) {
    const target = await chooseReady(instances);
    if (target === undefined) throw new Error("no instance is ready");
    for (let request = 0; request < 5; request += 1) statuses.add(await send(target.address));
    served.set(target.address, (served.get(target.address) ?? 0) + 1);
    if (round === 20) {
      instances[0]?.process.kill("SIGTERM");
      stopping = instances[0]?.process.exited;
    }
  }

  expect([...statuses]).toEqual([400]);
  expect(served.size).toBe(2);
  expect(await stopping).toBe(0);
  instances[1]?.process.kill("SIGTERM");
  expect(await instances[1]?.process.exited).toBe(0);
});

async function isRunning(exited: Promise<number | null> | undefined): Promise<boolean> {
  return (await Promise.race([exited, Promise.resolve("running")])) === "running";
}
