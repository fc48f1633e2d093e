import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client } from "pg";
import type { Stoppable } from "../frame.js";

/** The PostgreSQL that all contenders share. */
export interface Database extends Stoppable {
  /** Creates an empty database that belongs to a role of its own. */
  create(name: string): Promise<string>;
  /** What autovacuum would do a minute later: without statistics the first plans are those for empty tables. */
  analyze(): Promise<void>;
  /** CPU time of all its processes so far, to the nearest 10 ms; `undefined` where there is no /proc. */
  cpuMicroseconds(): number | undefined;
}

/** Starts PostgreSQL 16 as it comes: every commit reaches the disk before it is answered. */
export async function startDatabase(folder: string): Promise<Database> {
  const dataDirectory = join(folder, "postgres");
  mkdirSync(dataDirectory);
  const postgres = await runPostgres({ dataDirectory, password: randomBytes(24).toString("base64url") });
  const names: string[] = [];
  return {
    create(name) {
      names.push(name);
      return ensureDatabase(postgres.url, { name, password: randomBytes(24).toString("base64url") });
    },
    async analyze() {
      for (const pathname of names)
        await withClient(Object.assign(new URL(postgres.url), { pathname }).href, (client) =>
          client.query("VACUUM ANALYZE"),
        );
    },
    cpuMicroseconds: () => cpuMicrosecondsOf(dataDirectory),
    stop: () => postgres.stop(),
  };
}

/** Opens a connection for some statements. */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const ticksPerSecond = 100;

function cpuMicrosecondsOf(dataDirectory: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  const server = Number.parseInt(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8"), 10);
  let ticks = 0;
  for (const pid of readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const [parent, user = 0, system = 0, endedUser = 0, endedSystem = 0] = readStat(pid);
    if (pid === server) ticks += user + system + endedUser + endedSystem;
    else if (parent === server) ticks += user + system;
  }
  return (ticks * 1_000_000) / ticksPerSecond;
}

/** Parent and times of a process: fields 4 and 14 to 17; the command before them may have spaces. */
function readStat(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [fields[1], fields[11], fields[12], fields[13], fields[14]].map(Number);
  } catch {
    // It has ended.
    return [];
  }
}
