import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "authz-tools/network";
import { runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import type { Client } from "pg";
import { withClient } from "../authz/database.js";
import { type Extent, idSql, seedRegistry } from "../authz/seed-registry.js";
import { seedTrail } from "../authz/seed-trail.js";
import {
  type Environment,
  migrate,
  originOf,
  serverEnvironment,
  startServer,
} from "../authz/start-server.js";
import type { Stoppable } from "../frame.js";

/** A server with a large installation, and its administrator. */
export interface Installation extends Stoppable {
  readonly origin: string;
  /** What a browser of the administrator sends. */
  readonly cookie: string;
  /** `undefined` when the folder had the installation already. */
  readonly seedSeconds: number | undefined;
}

interface Facts {
  readonly password: string;
  /** An installation keeps its address: the server refuses a database that knows another. */
  readonly environment: Environment;
}

/** Fills the folder unless it is full already, and starts PostgreSQL 16 and the server on it. */
export async function startInstallation(folder: string, extent: Extent): Promise<Installation> {
  const dataDirectory = join(folder, "postgres");
  const factsFile = join(folder, "installation.json");
  mkdirSync(dataDirectory, { recursive: true });
  const isFull = existsSync(factsFile);
  const facts = isFull
    ? (JSON.parse(readFileSync(factsFile, "utf8")) as Facts)
    : {
        password: randomBytes(24).toString("base64url"),
        environment: await serverEnvironment({ postgresUrl: "", port: await findFreePort() }),
      };
  const started = performance.now();
  if (!isFull) await seed(dataDirectory, { facts, extent });
  const seedSeconds = isFull ? undefined : (performance.now() - started) / 1000;
  if (!isFull) writeFileSync(factsFile, JSON.stringify(facts));

  const { password, environment } = facts;
  const postgres = await runPostgres({ dataDirectory, password });
  const url = new URL(postgres.url);
  const postgresUrl = Object.assign(url, { username: "authz", password, pathname: "/authz" }).href;
  const server = await startServer({ ...environment, POSTGRES_URL: postgresUrl }, { folder });
  const cookie = await withClient(postgresUrl, async (database) => {
    await waitUntilIndexed(database);
    return await signIn(database, String(environment["AUTH_SESSION_SECRET"]));
  });
  return {
    origin: originOf(Number(environment["AUTHZ_PORT"])),
    cookie,
    seedSeconds,
    async stop() {
      await server.stop();
      await postgres.stop();
    },
  };
}

/** Not durable while it is filled; then it starts anew as it comes, but for the memory that five million events deserve. */
async function seed(
  dataDirectory: string,
  { facts, extent }: { readonly facts: Facts; readonly extent: Extent },
): Promise<void> {
  const { password, environment } = facts;
  const postgres = await runPostgres({ dataDirectory, password, durable: false });
  try {
    const postgresUrl = await ensureDatabase(postgres.url, { name: "authz", password });
    await withClient(postgres.url, async (admin) => {
      await admin.query("ALTER SYSTEM SET max_wal_size = '8GB'");
      await admin.query("ALTER SYSTEM SET shared_buffers = '256MB'");
      await admin.query("SELECT pg_reload_conf()");
    });
    await migrate(postgresUrl);
    await withClient(postgresUrl, async (database) => {
      await database.query("SET maintenance_work_mem = '1GB'");
      await database.query("SET work_mem = '256MB'");
      await seedRegistry(database, extent);
      const encryptionKey = Buffer.from(String(environment["AUTHZ_CREDENTIAL_ENCRYPTION_KEY"]), "base64");
      await seedTrail(postgresUrl, { extent, encryptionKey });
      await database.query("VACUUM ANALYZE");
    });
    await withClient(postgres.url, (admin) => admin.query("CHECKPOINT"));
  } finally {
    await postgres.stop();
  }
}

/** The server has sealed and indexed the newest events by itself. */
async function waitUntilIndexed(database: Client): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ done: boolean }>(
      "SELECT through_event_id >= (SELECT max(id) FROM audit_events) AS done FROM audit_index_progress",
    );
    if (rows[0]?.done === true) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Writes the session that a sign-in of the first person would have written, and lets that person administer. */
async function signIn(database: Client, sessionSecret: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await database.query(`
    INSERT INTO assignments (id, email, scope_key) VALUES (gen_random_uuid(), 'person1@acme.example', 'authz:administer')
    ON CONFLICT DO NOTHING`);
  await database.query(
    `INSERT INTO browser_sessions (id, token_hash, user_id, provider_id, auth_time, amr, signed_in_at, expires_at)
     VALUES (gen_random_uuid(), $1, ${idSql("users", "1")}, ${idSql("providers", "1")}, now(), '{}', now(), now() + interval '8 hours')`,
    [createHash("sha256").update(token).digest()],
  );
  const key = Buffer.from(sessionSecret, "base64url");
  const signature = createHmac("sha256", key).update(token).digest("base64").replace(/=+$/, "");
  return `authz-session=${encodeURIComponent(`${token}.${signature}`)}`;
}
