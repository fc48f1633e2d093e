import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client } from "pg";
import { databaseCpuMicroseconds } from "./database-cpu.js";

/** The PostgreSQL that all contenders share. */
export interface Database {
  /** Creates an empty database that belongs to a role of its own. */
  create(name: string): Promise<string>;
  /** What autovacuum would do a minute later: without statistics the first plans are those for empty tables. */
  analyze(): Promise<void>;
  cpuMicroseconds(): number | undefined;
  stop(): Promise<void>;
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
      for (const name of names) {
        const url = new URL(postgres.url);
        url.pathname = `/${name}`;
        const client = new Client({ connectionString: url.href });
        await client.connect();
        await client.query("VACUUM ANALYZE");
        await client.end();
      }
    },
    cpuMicroseconds: () => databaseCpuMicroseconds(dataDirectory),
    stop: () => postgres.stop(),
  };
}
