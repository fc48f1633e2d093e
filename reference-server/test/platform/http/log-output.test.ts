import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createLog } from "../../../src/platform/http/log.js";
import { createLogOutput } from "../../../src/platform/http/log-output.js";

const folder = mkdtempSync(join(tmpdir(), "authz-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

const parse = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a full disk drops lines, counts them, and ends nothing", async () => {
  const fd = openSync("/dev/full", "w");
  const output = createLogOutput(fd);
  const log = createLog("info", output);
  for (let number = 0; number < 3; number += 1) log.info("a line");
  await turn();
  await turn();
  expect(output.dropped()).toBe(3);
  log.fatal("a last line");
  expect(output.dropped()).toBe(4);
  closeSync(fd);
});

test("a reader that is gone drops lines as well", async () => {
  const path = join(folder, "gone");
  execFileSync("mkfifo", [path]);
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  closeSync(both);
  const output = createLogOutput(fd);
  createLog("info", output).info("a line");
  await turn();
  await turn();
  expect(output.dropped()).toBe(1);
  closeSync(fd);
});

test("a reader that stalls loses what is too much, and reads whole lines and how many it lost", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const reading = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const output = createLogOutput(fd);
  const log = createLog("info", output);
  const padding = "x".repeat(10_000);
  const count = 200;
  for (let number = 0; number < count; number += 1) {
    log.info({ number, padding });
    await turn();
  }
  const lost = output.dropped();
  expect(lost).toBeGreaterThan(0);
  let text = "";
  const read = () => {
    const chunk = Buffer.alloc(65_536);
    try {
      text += chunk.toString("utf8", 0, readSync(reading, chunk));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
    return text;
  };
  const isRecovered = () => read().includes("LOG_LINES_DROPPED");
  await expect.poll(isRecovered, { interval: 1, timeout: 60_000 }).toBe(true);
  const lines = parse(read());
  expect(lines.at(-1)).toMatchObject({ level: 40, code: "LOG_LINES_DROPPED", count: lost });
  expect(lines.slice(0, -1).map(({ number }) => number)).toEqual(
    Array.from({ length: count - lost }, (_, number) => number),
  );
  closeSync(reading);
  closeSync(fd);
}, 60_000);

test("what is written to a file is all there, in order", async () => {
  const path = join(folder, "file");
  const fd = openSync(path, "a");
  const output = createLogOutput(fd);
  const log = createLog("info", output);
  for (let number = 0; number < 100; number += 1) log.info({ number });
  log.fatal({ number: 100 });
  log.info({ number: 101 });
  await turn();
  await turn();
  const numbers = parse(readFileSync(path, "utf8")).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 102 }, (_, number) => number));
  expect(output.dropped()).toBe(0);
  closeSync(fd);
});
