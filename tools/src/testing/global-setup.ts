import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { runPostgres } from "../postgres/run-postgres.js";
import { dataFolder } from "./data-folder.js";
import "./provided-context.js";
import { makeRunFolder } from "./run-folder.js";

/** Runs before all tests: one temporary folder and one throw-away PostgreSQL for the whole run, both gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeRunFolder();
  const { TMPDIR: before } = process.env;
  // Test files and what they start inherit it, so nothing they make can outlive the run.
  process.env["TMPDIR"] = folder.path;
  project.provide("temporaryFolder", folder.path);
  const dataDirectory = dataFolder(join(folder.path, "postgres", "data"));
  const postgres = await runPostgres({
    dataDirectory,
    password: randomBytes(24).toString("base64url"),
    durable: false,
  }).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
    folder.remove();
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  };
}
