import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ticksPerSecond = 100;

/**
 * CPU time of PostgreSQL and all its processes so far, in microseconds, to the nearest 10 ms; `undefined` where there is
 * no /proc.
 */
export function databaseCpuMicroseconds(dataDirectory: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  const server = Number.parseInt(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8"), 10);
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = readStat(name);
    if (fields === undefined) continue;
    const [parent, user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields;
    if (Number(name) === server) ticks += user + system + endedUser + endedSystem;
    else if (parent === server) ticks += user + system;
  }
  return (ticks * 1_000_000) / ticksPerSecond;
}

/** Parent and times of a process: fields 4 and 14 to 17; the command before them may have spaces. */
function readStat(pid: string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [fields[1], fields[11], fields[12], fields[13], fields[14]].map(Number);
  } catch {
    return undefined;
  }
}
