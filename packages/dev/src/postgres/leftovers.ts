import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const stopTimeoutSeconds = 20;

/**
 * Makes a data folder startable again after a crash.
 *
 * A killed server leaves `postmaster.pid` behind, and PostgreSQL believes it when another process has that number by
 * now. A server whose own supervisor was killed still runs: it is asked to stop. The caller makes sure that no process
 * else uses the folder on purpose.
 */
export async function clearLeftovers(dataDirectory: string): Promise<void> {
  const file = join(dataDirectory, "postmaster.pid");
  const pid = readPid(file);
  if (pid === undefined) {
    return;
  }
  if (!servesFolder(pid, dataDirectory)) {
    rmSync(file, { force: true });
    return;
  }
  process.kill(pid, "SIGINT");
  for (let waited = 0; waited < stopTimeoutSeconds * 10; waited += 1) {
    if (!servesFolder(pid, dataDirectory)) {
      return;
    }
    await delay(100);
  }
  throw new Error(
    `PostgreSQL (process ${pid}) is still running in ${dataDirectory}.\nStop it with: kill -9 ${pid}`,
  );
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL works in its data folder, so the folder distinguishes our server from another process with a recycled number. */
function servesFolder(pid: number, dataDirectory: string): boolean {
  try {
    return process.platform === "linux"
      ? readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDirectory)
      : execFileSync("/bin/ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).includes(
          dataDirectory,
        );
  } catch {
    return false;
  }
}
