import { readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "authz-test-postgres-";
const roomBytes = 3 * 1024 ** 3;

/**
 * Names the folder where the database of one run keeps its data: in memory where there is plenty, because nothing of it has to
 * survive, and a test file waits for little else than a copy of the template, hundreds of small files.
 *
 * @param otherwise - the folder for a machine without
 */
export function dataFolder(otherwise: string): string {
  if (!hasRoom()) return otherwise;
  // A run that was killed would otherwise occupy memory until the next start of the machine.
  for (const name of readdirSync(memory)) {
    const folder = join(memory, name);
    if (name.startsWith(prefix) && isOurs(folder) && !isAlive(Number(name.slice(prefix.length)))) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return join(memory, `${prefix}${process.pid}`);
}

/** A run of another account leaves a folder that only that account can remove. */
function isOurs(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > roomBytes;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
