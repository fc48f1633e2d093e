import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { runPostgres } from "../postgres/run-postgres.js";
import "./provided-context.js";

/** Runs before all tests: one throw-away PostgreSQL for the whole run, gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), "authz-test-postgres-"));
  const postgres = await runPostgres({
    dataDirectory: join(directory, "data"),
    password: randomBytes(24).toString("base64url"),
    durable: false,
  });
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
