import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AuthzClientError } from "../errors.js";
import { hasCode, isMissing } from "./file-system.js";
import { makePrivateFolder, unusable } from "./private-file.js";

const heartbeatSeconds = 5;
const staleSeconds = 30;
const stealSeconds = 10;
const waitSeconds = 60;

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
  const owner = await ownerFor(path);
  const until = performance.now() + waitSeconds * 1000;
  if (!(await acquire(path, { owner, until, silence: staleSeconds }))) throw busy(path);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatSeconds * 1000);
  heartbeat.unref();
  try {
    return await run();
  } finally {
    clearInterval(heartbeat);
    await giveBack(path, owner);
  }
}

/**
 * Runs `run` while no other process that names the same lock file does, unless that one takes too long: for work that several may do at
 * a time, and that is done once only to spare it.
 *
 * After `loanSeconds` the lock passes to the next caller, even while its owner still works, and the others wait for that one. A caller that
 * has waited for two such times runs without it.
 */
export async function withLentFileLock<T>(
  path: string,
  { loanSeconds, run }: { loanSeconds: number; run: () => Promise<T> },
): Promise<T> {
  const owner = await ownerFor(path);
  const until = performance.now() + 2 * loanSeconds * 1000;
  // Without a heartbeat it is silent from the beginning.
  const isOurs = await acquire(path, { owner, until, silence: loanSeconds });
  try {
    return await run();
  } finally {
    if (isOurs) await giveBack(path, owner);
  }
}

async function ownerFor(path: string): Promise<Owner> {
  await makePrivateFolder(dirname(path)).catch((error: unknown) => {
    throw unusable(path, error);
  });
  return { id: randomUUID(), pid: process.pid, host: hostIdentity() };
}

async function giveBack(path: string, { id }: Owner): Promise<void> {
  if ((await readOwner(path))?.id === id) await rm(path, { force: true });
}

interface Acquisition {
  owner: Owner;
  /** By `performance.now()`. */
  until: number;
  /** The lock of an owner that has been silent for so many seconds is taken over. */
  silence: number;
}

/** Answers whether the lock is the owner's; it is not when the time was over first. */
async function acquire(path: string, { owner, until, silence }: Acquisition): Promise<boolean> {
  while (!(await create(path, JSON.stringify(owner)))) {
    if (await isStale(path, silence)) await removeStale(path, { owner, silence });
    else if (performance.now() > until) return false;
    else await pause(10 + Math.random() * 30);
  }
  return true;
}

/** Exactly one of those who see a stale lock may remove it, and looks again before doing so. */
async function removeStale(
  path: string,
  { owner, silence }: Pick<Acquisition, "owner" | "silence">,
): Promise<void> {
  const guard = `${path}.steal`;
  if (!(await create(guard, owner.id))) {
    if ((await silentSeconds(guard)) > stealSeconds) await rm(guard, { force: true });
    await pause(10);
    return;
  }
  try {
    if (await isStale(path, silence)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(path: string, silence: number): Promise<boolean> {
  const owner = await readOwner(path);
  if (owner !== undefined && owner.host === hostIdentity() && !isAlive(owner.pid)) return true;
  return (await silentSeconds(path)) > silence;
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    // Windows answers EPERM for a file that is about to disappear.
    if (hasCode(error, "EEXIST") || hasCode(error, "EPERM")) return false;
    throw unusable(path, error);
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
