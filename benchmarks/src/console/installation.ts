import { execFile } from "node:child_process";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "authz-tools/network";
import { runPostgres } from "authz-tools/postgres";
import { ensureDatabase } from "authz-tools/postgres/database";
import { Client } from "pg";
import { serverEnvironment, waitUntilServing } from "../authz-server.js";
import { startProcess } from "../grants/child-process.js";
import type { Extent } from "./extent.js";
import { idSql, seedRegistry } from "./seed-registry.js";
import { seedTrail } from "./seed-trail.js";

/** A server with a large installation, and its administrator. */
export interface Installation {
  readonly origin: string;
  /** What a browser of the administrator sends. */
  readonly cookie: string;
  /** `undefined` when the folder had the installation already. */
  readonly seedSeconds: number | undefined;
  readonly database: Client;
  stop(): Promise<void>;
}

/** Fills the folder unless it is full already, and starts PostgreSQL 16 and the server on it. */
export async function startInstallation(folder: string, extent: Extent): Promise<Installation> {
  const dataDirectory = join(folder, "postgres");
  const factsFile = join(folder, "installation.json");
  mkdirSync(dataDirectory, { recursive: true });
  const facts = existsSync(factsFile)
    ? (JSON.parse(readFileSync(factsFile, "utf8")) as Facts)
    : {
        password: randomBytes(24).toString("base64url"),
        environment: await serverEnvironment({ postgresUrl: "", port: 0 }),
        port: await findFreePort(),
      };
  let seedSeconds: number | undefined;
  if (!existsSync(factsFile)) {
    const started = performance.now();
    await seed(dataDirectory, { facts, extent });
    seedSeconds = (performance.now() - started) / 1000;
    writeFileSync(factsFile, JSON.stringify(facts));
  }

  const postgres = await runPostgres({ dataDirectory, password: facts.password });
  const url = databaseUrl(postgres.url, facts);
  const { port } = facts;
  const origin = `http://127.0.0.1:${port}`;
  const environment = {
    ...facts.environment,
    POSTGRES_URL: url,
    AUTHZ_ISSUER: origin,
    AUTHZ_PORT: String(port),
  };
  const log = openSync(join(folder, "server.log"), "a");
  const server = startProcess(command("authz-server"), [], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", log, log, "ipc"],
  });
  await waitUntilServing(`${origin}/.well-known/openid-configuration`, server.process);
  const database = new Client({ connectionString: url });
  await database.connect();
  await waitUntilIndexed(database);
  return {
    origin,
    cookie: await signIn(database, String(facts.environment["AUTH_SESSION_SECRET"])),
    seedSeconds,
    database,
    async stop() {
      await server.stop();
      await database.end();
      await postgres.stop();
    },
  };
}

interface Facts {
  readonly password: string;
  readonly environment: Readonly<Record<string, string>>;
  /** An installation keeps its address: the server refuses a database that knows another. */
  readonly port: number;
}

function command(name: string): string {
  return createRequire(import.meta.url).resolve(`authz-server/bin/${name}.js`);
}

function databaseUrl(superuserUrl: string, { password }: Facts): string {
  const url = new URL(superuserUrl);
  return Object.assign(url, { username: "authz", password, pathname: "/authz" }).href;
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
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query("ALTER SYSTEM SET max_wal_size = '8GB'");
    await admin.query("ALTER SYSTEM SET shared_buffers = '256MB'");
    await admin.query("SELECT pg_reload_conf()");
    await promisify(execFile)(process.execPath, [command("authz-migrate")], {
      env: { ...process.env, ...environment, POSTGRES_URL: postgresUrl },
    });
    const database = new Client({ connectionString: postgresUrl });
    await database.connect();
    await database.query("SET maintenance_work_mem = '1GB'");
    await database.query("SET work_mem = '256MB'");
    await seedRegistry(database, extent);
    const encryptionKey = Buffer.from(String(environment["AUTHZ_CREDENTIAL_ENCRYPTION_KEY"]), "base64");
    await seedTrail(postgresUrl, { extent, encryptionKey });
    await database.query("VACUUM ANALYZE");
    await database.end();
    await admin.query("CHECKPOINT");
    await admin.end();
  } finally {
    await postgres.stop();
  }
}

/** The server has sealed and indexed the newest events by itself. */
async function waitUntilIndexed(database: Client): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- asked until it is so
    const { rows } = await database.query<{ done: boolean }>(
      "SELECT through_event_id >= (SELECT max(id) FROM audit_events) AS done FROM audit_index_progress",
    );
    if (rows[0]?.done === true) return;
    // oxlint-disable-next-line no-await-in-loop -- asked until it is so
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
