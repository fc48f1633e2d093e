import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

/** A database of its own in the PostgreSQL of the test run. */
export async function createDatabase() {
  const name = `replay_${randomBytes(6).toString("hex")}`;
  const administrator = new Client({ connectionString: inject("postgresUrl") });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${name}`);
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const endConnections = () =>
    administrator.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);

  return {
    url: url.href,
    /** Ends all connections and refuses new ones, as a restart does. */
    async goAway() {
      await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await endConnections();
    },
    async comeBack() {
      await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
    async drop() {
      await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await administrator.end();
    },
  };
}
