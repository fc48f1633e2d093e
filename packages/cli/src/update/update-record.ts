import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "@authz/client";
import { pathsFor } from "../profile/config.js";
import type { Runtime } from "../runtime.js";

/** What is remembered about updates, times in epoch milliseconds. */
export interface UpdateRecord {
  checkedAt: number;
  shownAt: number;
  /** The newest published version, when one is known. */
  latest?: string;
}

/** Reads the record; a missing or damaged one is an empty one. */
export async function loadUpdateRecord(runtime: Runtime): Promise<UpdateRecord> {
  const empty = { checkedAt: 0, shownAt: 0 };
  try {
    const value = JSON.parse((await readPrivateFile(recordPath(runtime))) ?? "{}") as Partial<UpdateRecord>;
    const { checkedAt, shownAt, latest } = value;
    return {
      checkedAt: typeof checkedAt === "number" ? checkedAt : 0,
      shownAt: typeof shownAt === "number" ? shownAt : 0,
      ...(isVersion(latest) ? { latest } : {}),
    };
  } catch {
    return empty;
  }
}

export async function saveUpdateRecord(runtime: Runtime, record: UpdateRecord): Promise<void> {
  await writePrivateFile(recordPath(runtime), `${JSON.stringify(record)}\n`);
}

/** A released version: three numbers, and nothing that could mean something to a terminal. */
export function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(value);
}

/** Whether one released version is newer than another. A version that is not a released one is never older. */
export function isNewer(candidate: string, than: string): boolean {
  if (!isVersion(candidate) || !isVersion(than)) return false;
  const [a, b] = [candidate, than].map((version) => version.split(".").map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (a?.[part] ?? 0) - (b?.[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function recordPath(runtime: Runtime): string {
  return join(pathsFor(runtime).cache, "update.json");
}
