import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../../support/database.js";
import { testEnvironment } from "../../support/environment.js";
import { commandScript } from "../../support/processes.js";
import { findFreePort } from "../../../../tools/src/network/ports.js";

let database: TestDatabase;
let server: ChildProcess | undefined;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => server?.kill("SIGKILL"));
afterAll(() => database.drop());

/** Starts the server with this standard output, and waits until it is ready. */
async function start(stdout: number | "pipe") {
  const [port, managementPort] = [await findFreePort(), await findFreePort()];
  const environment = testEnvironment({
    POSTGRES_URL: database.url,
    AUTHZ_PORT: String(port),
    AUTHZ_MANAGEMENT_PORT: String(managementPort),
  });
  const child = spawn(process.execPath, [commandScript(), "authz-server"], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", stdout, "inherit"],
  });
  server = child;
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;
  const managed = async (path: string) => await fetch(`http://127.0.0.1:${managementPort}${path}`);
  await expect
    .poll(async () => (await managed("/readyz").catch(() => undefined))?.status, { timeout: 60_000 })
    .toBe(200);
  const dropped = async () => {
    const [, count] =
      /authz_log_lines_dropped_total (\d+)/.exec(await (await managed("/metrics")).text()) ?? [];
    return Number(count);
  };
  return { child, exited, at, dropped };
}

/** Requests that are refused: each is a line of the log. */
async function ask(url: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.status !== 404) throw new Error(`Answered with ${answer.status}.`);
  }
}

test("a full disk behind standard output ends nothing", async () => {
  const full = openSync("/dev/full", "w");
  const { child, exited, at, dropped } = await start(full);
  closeSync(full);
  await ask(at("/nothing"), 20);
  expect(await dropped()).toBeGreaterThan(0);
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}, 120_000);

test("a reader of standard output that stalls stops nothing, and reads on later", async () => {
  const { child, exited, at, dropped } = await start("pipe");
  const stdout = child.stdout as Readable;
  const before = await dropped();
  expect(before).toBe(0);
  // Nothing reads: the pipe is full long before what may wait is. Paths are in the log, queries are not.
  const padding = "x".repeat(4_000);
  await expect
    .poll(
      async () => {
        await ask(at(`/${padding}`), 100);
        return await dropped();
      },
      { timeout: 100_000, interval: 1 },
    )
    .toBeGreaterThan(0);
  let text = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text.includes("LOG_LINES_DROPPED"), { timeout: 60_000 }).toBe(true);
  const lines = text.split("\n").slice(0, -1);
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}, 120_000);
