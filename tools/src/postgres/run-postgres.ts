import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findFreePort } from "../network/ports.js";
import { type Account, canReach, chooseAccount, reachableTemporaryFolder } from "./account.js";
import { locateBinaries, type PostgresBinaries } from "./binaries.js";
import { clearLeftovers } from "./leftovers.js";
import { type Supervised, superviseCommand } from "./supervisor.js";

export interface RunPostgresOptions {
  /** Where the data is kept. Created and initialised when it is missing. */
  readonly dataDirectory: string;
  /** Password of the superuser `postgres`; fixed when the data folder is initialised. */
  readonly password: string;
  /** TCP port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** `false` gives up safety against power cuts for speed. Default: `true`. */
  readonly durable?: boolean;
  /** Receives each line of the server's log. */
  readonly onLog?: (line: string) => void;
}

export interface RunningPostgres {
  /** Connection URL of the superuser, on 127.0.0.1. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the server is gone, whoever stopped it, with its exit code. */
  readonly exited: Promise<number>;
  /** Fast shutdown: open transactions are rolled back, the data is left consistent. */
  stop(): Promise<void>;
}

const KEPT_LOG_LINES = 20;
const START_TIMEOUT_SECONDS = 60;
const STOP_TIMEOUT_SECONDS = 30;

/**
 * Starts PostgreSQL 16 and resolves when it accepts connections.
 *
 * It works as root and as an ordinary user, listens on loopback with a password, and never outlives this process. One
 * caller per data folder: a server that is still running there is taken for a leftover and stopped.
 *
 * @throws {Error} The server could not start; the message has the last lines of its log.
 */
export async function runPostgres(options: RunPostgresOptions): Promise<RunningPostgres> {
  mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 });
  const account = chooseAccount(options.dataDirectory);
  const place: Place = {
    binaries: locateBinaries(account),
    account,
    directory: realpathSync(options.dataDirectory),
  };
  if (existsSync(join(place.directory, "PG_VERSION"))) {
    await clearLeftovers(place.directory);
  } else {
    await initialise(place, options.password);
  }
  const port = options.port ?? (await findFreePort());
  const server = superviseCommand(
    [place.binaries.postgres, "-D", dataPath(place), ...settings(options, port)],
    {
      directory: place.directory,
      account,
      env: environment(),
    },
  );
  const exited = new Promise<number>((resolve) => {
    server.once("error", () => resolve(-1));
    server.once("exit", (code) => resolve(code ?? -1));
  });
  void exited.then(() => server.stdin.destroy());
  server.stdin.on("error", () => undefined);
  await ready(server, exited, options);
  return {
    url: `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`,
    port,
    exited,
    stop: () => stop(server, exited),
  };
}

interface Place {
  readonly binaries: PostgresBinaries;
  readonly account: Account | undefined;
  readonly directory: string;
}

/**
 * How the server names its data folder. Another account cannot walk down to a clone under /root, but it can stay in a
 * working directory that it was started in.
 */
function dataPath(place: Place): string {
  return place.account === undefined || canReach(place.account, place.directory)
    ? place.directory
    : "/proc/self/cwd";
}

/** No variable of ours leaks into the server; PG* variables would even change what it does. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

function settings(options: RunPostgresOptions, port: number): string[] {
  const values = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    ...(options.durable === false ? ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] : []),
  ];
  return values.flatMap((value) => ["-c", value]);
}

async function initialise(place: Place, password: string): Promise<void> {
  const { directory, account } = place;
  const secret = mkdtempSync(join(reachableTemporaryFolder(account), "authz-postgres-"));
  const passwordFile = join(secret, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== undefined) {
    for (const path of [secret, passwordFile, directory]) {
      chownSync(path, account.uid, account.gid);
    }
  }
  const options = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  const layout = ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  try {
    await promisify(execFile)(place.binaries.initdb, ["-D", dataPath(place), ...options, ...layout], {
      cwd: directory,
      env: environment(),
      ...account,
    });
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(`PostgreSQL could not create its data folder ${directory}.\n${output}`, { cause: error });
  } finally {
    rmSync(secret, { recursive: true, force: true });
  }
}

async function ready(
  server: Supervised,
  exited: Promise<number>,
  options: RunPostgresOptions,
): Promise<void> {
  const lines: string[] = [];
  const accepting = new Promise<"ready">((resolve) => {
    createInterface(server.stderr).on("line", (line) => {
      lines.push(line);
      lines.splice(0, lines.length - KEPT_LOG_LINES);
      options.onLog?.(line);
      if (line.includes("database system is ready to accept connections")) {
        resolve("ready");
      }
    });
  });
  const outcome = await withTimeout(Promise.race([accepting, exited]), START_TIMEOUT_SECONDS);
  if (outcome === "ready") {
    return;
  }
  const why =
    outcome === undefined ? `was not ready after ${START_TIMEOUT_SECONDS} seconds` : "stopped while starting";
  if (outcome === undefined) {
    await stop(server, exited);
  }
  throw new Error(`PostgreSQL ${why}. Its last lines:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

async function stop(server: Supervised, exited: Promise<number>): Promise<void> {
  server.stdin.destroy();
  if ((await withTimeout(exited, STOP_TIMEOUT_SECONDS)) === undefined && server.pid !== undefined) {
    process.kill(-server.pid, "SIGKILL");
    await exited;
  }
}

async function withTimeout<T>(promise: Promise<T>, seconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), seconds * 1000);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
