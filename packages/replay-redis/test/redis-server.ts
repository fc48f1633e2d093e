import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Whether the tests of this package can run; if not, they are skipped under a title that says so. */
export const hasRedis: boolean = spawnSync("redis-server", ["--version"]).status === 0;

/** What to append to a title so that a skipped test explains itself. */
export const ifSkipped: string = hasRedis ? "" : " (skipped: redis-server is not on PATH)";

/** A Redis of its own, on a socket in a temporary folder: no port, nothing on disk that stays. */
export async function startRedis() {
  const folder = await mkdtemp(join(tmpdir(), "authz-redis-"));
  const socket = join(folder, "redis.sock");
  let server = await run(folder, socket);
  return {
    socket,
    async goAway() {
      await end(server);
    },
    async comeBack() {
      server = await run(folder, socket);
    },
    async stop() {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function run(folder: string, socket: string): Promise<ChildProcess> {
  const settings = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const server = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.toLowerCase().includes("ready to accept connections")) break;
  }
  server.stdout.resume();
  if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}.`);
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}
