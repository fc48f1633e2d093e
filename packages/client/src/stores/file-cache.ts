import { rm } from "node:fs/promises";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import type { Clock } from "../transport/time.js";
import type { ClientCache } from "./client-cache.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";

interface Entry {
  value: unknown;
  expiresAt: number;
}

/**
 * A cache in one file with mode 0600.
 *
 * A file that others could have written, or that is damaged, counts as empty. Two processes that write at the same time may
 * lose one of the two entries, which costs a request and nothing else.
 */
export function fileCache(path: string, clock: Clock = Date.now): ClientCache {
  let loaded: Promise<Map<string, Entry>> | undefined;
  const load = async (): Promise<Map<string, Entry>> => {
    loaded ??= readEntries(path);
    return await loaded;
  };
  return {
    read: async (key) => {
      const entry = (await load()).get(key);
      return entry !== undefined && entry.expiresAt > clock() ? entry.value : undefined;
    },
    write: async (key, value, expiresAt) => {
      const entries = await readEntries(path);
      for (const [name, entry] of entries) if (entry.expiresAt <= clock()) entries.delete(name);
      entries.set(key, { value, expiresAt });
      loaded = Promise.resolve(entries);
      // A cache that cannot be written costs requests and nothing else.
      await writePrivateFile(path, JSON.stringify(Object.fromEntries(entries))).catch(() => undefined);
    },
    clear: async () => {
      loaded = undefined;
      await rm(path, { force: true });
    },
  };
}

async function readEntries(path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    const text = await readPrivateFile(path);
    const object: unknown = text === undefined ? {} : JSON.parse(text);
    if (!isJsonObject(object)) return entries;
    for (const [key, entry] of Object.entries(object)) if (isEntry(entry)) entries.set(key, entry);
  } catch {
    // Unreadable: the next write replaces it.
  }
  return entries;
}

function isEntry(value: unknown): value is Entry & JsonObject {
  return isJsonObject(value) && typeof value.expiresAt === "number" && "value" in value;
}
