import { keepSealKey } from "../../src/audit/seal-key.js";
import { loadConfig } from "../../src/config/config.js";
import { createDefaultRecords } from "../../src/registry/default-records.js";
import { createLog } from "../../src/platform/http/log.js";
import { createServer, type Server, type ServerOptions } from "../../src/server.js";
import { createTestDatabase, type TestDatabase } from "./database.js";
import { testEnvironment } from "./environment.js";

/** A clock that stands still until the test moves it. */
export interface TestClock {
  (): number;
  advance(seconds: number): void;
}

/** 2026-11-20T12:00:00Z unless the test says otherwise. */
export function createTestClock(at: number = Date.UTC(2026, 10, 20, 12)): TestClock {
  let now = at;
  const clock = () => now;
  return Object.assign(clock, {
    advance(seconds: number) {
      now += seconds * 1000;
    },
  });
}

export interface TestServer extends Server {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  /** Every line of the log so far. */
  readonly log: readonly Record<string, unknown>[];
}

/** Multiplies the time-outs of requests to other servers: a busy machine may be much slower than a quiet one. */
export const patience = 20;

/**
 * The whole server on a database of its own, with the default records. The clock of the database stands where the test's
 * begins. Send requests with `app.inject`, or
 * call `start()` for a real port. `close()` removes the database.
 */
export async function createTestServer(
  environment: Readonly<Record<string, string | undefined>> = {},
  { timeoutFactor = patience }: Pick<ServerOptions, "timeoutFactor"> = {},
): Promise<TestServer> {
  const clock = createTestClock();
  const database = await createTestDatabase(new Date(clock()));
  const log: Record<string, unknown>[] = [];
  const config = loadConfig(testEnvironment({ POSTGRES_URL: database.url, ...environment }));
  const destination = { write: (line: string) => log.push(JSON.parse(line) as Record<string, unknown>) };
  const options = { log: createLog(config.logLevel, destination), clock, timeoutFactor };
  const server = await createServer(config, options);
  await keepSealKey(server.context);
  await createDefaultRecords(server.context.store, { issuer: config.issuer, at: new Date(clock()) });
  return {
    ...server,
    database,
    clock,
    log,
    async close() {
      await server.close();
      await database.drop();
    },
  };
}
