import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "authz-tools/network";

/** Debian's packages put it where only root looks. */
const path = `${process.env.PATH ?? ""}:/usr/sbin`;

export const hasPgbouncer: boolean =
  spawnSync("pgbouncer", ["--version"], { env: { PATH: path } }).status === 0;

/** What to append to a title so that a skipped test explains itself. */
export const ifSkipped: string = hasPgbouncer ? "" : " (skipped: pgbouncer is not on PATH)";

/** A pooler in front of a database that gives every transaction another of its few connections. */
export async function startPgbouncer(databaseUrl: string): Promise<{
  readonly port: number;
  stop(): Promise<void>;
}> {
  const { hostname, port: databasePort, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "authz-pgbouncer-"));
  const port = await findFreePort();
  const users = join(folder, "users.txt");
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${databasePort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
`,
  );
  // It refuses to run as root, and must read this as somebody else.
  chmodSync(folder, 0o755);
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pooler = spawn("pgbouncer", [...asNobody, settings], {
    env: { PATH: path },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: pooler.stderr })) {
    lines.push(line);
    if (line.includes("process up")) break;
  }
  pooler.stderr.resume();
  if (pooler.exitCode !== null) throw new Error(`pgbouncer ended:\n${lines.join("\n")}`);
  return {
    port,
    async stop() {
      await end(pooler);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(pooler: ChildProcess): Promise<void> {
  if (pooler.exitCode !== null || pooler.signalCode !== null) return;
  const ended = once(pooler, "exit");
  pooler.kill("SIGKILL");
  await ended;
}
