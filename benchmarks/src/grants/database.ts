import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { databaseCpuMicroseconds } from "./database-cpu.js";

/** The PostgreSQL that all contenders share. */
export interface Database {
  /** Creates an empty database that belongs to a role of its own. */
  create(name: string): Promise<string>;
  cpuMicroseconds(): number | undefined;
  stop(): Promise<void>;
}

/** Starts PostgreSQL 16 as it comes: every commit reaches the disk before it is answered. */
export async function startDatabase(folder: string): Promise<Database> {
  const dataDirectory = join(folder, "postgres");
  mkdirSync(dataDirectory);
  const postgres = await runPostgres({ dataDirectory, password: randomBytes(24).toString("base64url") });
  return {
    create: (name) => ensureDatabase(postgres.url, { name, password: randomBytes(24).toString("base64url") }),
    cpuMicroseconds: () => databaseCpuMicroseconds(dataDirectory),
    stop: () => postgres.stop(),
  };
}
