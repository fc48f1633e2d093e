import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AuthzClientError } from "../errors.js";
import { hasCode, isMissing } from "./file-system.js";
import { makePrivateFolder } from "./private-file.js";

const HEARTBEAT_SECONDS = 5;
const SILENT_SECONDS = 30;
const STEAL_SECONDS = 10;
const WAIT_SECONDS = 60;

interface Owner {
  id: string;
  pid: number;
  host: string;
}

/**
 * Runs `run` while no other process that names the same lock file does.
 *
 * The lock of a process that died is taken over at once; the lock of a process on another host, or of one that is
 * frozen, when its heartbeat has been silent for 30 seconds.
 *
 * @throws {AuthzClientError} `store_busy` after a minute of waiting.
 */
export async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const owner: Owner = { id: randomUUID(), pid: process.pid, host: hostIdentity() };
  await makePrivateFolder(dirname(path));
  await acquire(path, owner);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_SECONDS * 1000);
  heartbeat.unref();
  try {
    return await run();
  } finally {
    clearInterval(heartbeat);
    if ((await readOwner(path))?.id === owner.id) await rm(path, { force: true });
  }
}

async function acquire(path: string, owner: Owner): Promise<void> {
  const until = performance.now() + WAIT_SECONDS * 1000;
  while (!(await create(path, JSON.stringify(owner)))) {
    if (await isStale(path)) await removeStale(path, owner);
    else if (performance.now() > until) throw busy(path);
    else await pause(10 + Math.random() * 30);
  }
}

/** Exactly one of those who see a stale lock may remove it, and looks again before doing so. */
async function removeStale(path: string, owner: Owner): Promise<void> {
  const guard = `${path}.steal`;
  if (!(await create(guard, owner.id))) {
    if ((await silentSeconds(guard)) > STEAL_SECONDS) await rm(guard, { force: true });
    await pause(10);
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner !== undefined && owner.host === hostIdentity() && !isAlive(owner.pid)) return true;
  return (await silentSeconds(path)) > SILENT_SECONDS;
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    // Windows answers EPERM for a file that is about to disappear.
    if (hasCode(error, "EEXIST") || hasCode(error, "EPERM")) return false;
    throw error;
  }
}

/** The owner, or undefined while the file is missing or still empty. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

async function silentSeconds(path: string): Promise<number> {
  try {
    return (Date.now() - (await stat(path)).mtimeMs) / 1000;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

/** Process ids mean something only within one host and, on Linux, one pid namespace (containers). */
function hostIdentity(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function busy(path: string): AuthzClientError {
  return new AuthzClientError("store_busy", {
    what: "Another authz process has been holding the session for a minute.",
    why: `It owns ${path}.`,
  });
}
