import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "../network/ports.js";
import { supervise } from "../processes/supervise.js";
import { withTimeout } from "../processes/timeout.js";
import { type Account, canReach, chooseAccount, reachableTemporaryFolder } from "./account.js";
import { locateBinaries, type PostgresBinaries } from "./binaries.js";
import { clearLeftovers } from "./leftovers.js";

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
  /** Resolves with the exit code when the server has ended. */
  readonly exited: Promise<number>;
  /** Fast shutdown: open transactions are rolled back, the data is left consistent. */
  stop(): Promise<void>;
  /** Ends it at once; the next start recovers. */
  kill(): void;
}

const startTimeoutSeconds = 180;

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
  let accept: (value: "ready") => void;
  const accepting = new Promise<"ready">((resolve) => {
    accept = resolve;
  });
  const server = supervise({
    command: [place.binaries.postgres, "-D", dataPath(place), ...settings(options, port)],
    directory: place.directory,
    account,
    env: environment(),
    stopSignal: "INT",
    onLine(line) {
      options.onLog?.(line);
      if (/database system is ready to accept (?:read-only )?connections/.test(line)) {
        accept("ready");
      }
    },
  });
  const outcome = await withTimeout(Promise.race([accepting, server.exited]), startTimeoutSeconds);
  if (outcome !== "ready") {
    await server.stop();
    const why =
      outcome === undefined ? `was not ready after ${startTimeoutSeconds} seconds` : "stopped while starting";
    const words = server.lastLines().map((line) => `  ${line}`);
    throw new Error(`PostgreSQL ${why}. Its last lines:\n${words.join("\n")}`);
  }
  return {
    url: `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`,
    port,
    exited: server.exited,
    stop: () => server.stop(),
    kill: () => server.kill(),
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

/** No variable of ours leaks into the server; PG* variables would even change what it does. `initdb` looks for `locale` in PATH. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

const fast = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  // The copy of a template is not logged.
  "wal_level=minimal",
  "max_wal_senders=0",
];

function settings(options: RunPostgresOptions, port: number): string[] {
  const values = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    ...(options.durable === false ? fast : []),
  ];
  return values.flatMap((value) => ["-c", value]);
}

async function initialise(place: Place, password: string): Promise<void> {
  const { directory, account } = place;
  const secret = mkdtempSync(join(reachableTemporaryFolder(account), "authz-postgres-"));
  const passwordFile = join(secret, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== undefined) {
    // The folder comes after what is in it: its new owner could put a link there, and this is root.
    for (const path of [passwordFile, secret, directory]) {
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
