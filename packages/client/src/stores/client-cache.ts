import type { Clock } from "../transport/time.js";

/**
 * Keeps metadata and the list of registered services while they are fresh.
 *
 * Its content is not secret, but decides where credentials go: no one else may be able to change it.
 */
export interface ClientCache {
  /** The value, or undefined when there is none or it is no longer fresh. */
  read(key: string): Promise<unknown>;
  write(key: string, value: unknown, expiresAt: number): Promise<void>;
  clear(): Promise<void>;
}

/** A cache that lives as long as the process. */
export function memoryCache(clock: Clock = Date.now): ClientCache {
  const entries = new Map<string, { value: unknown; expiresAt: number }>();
  return {
    read: async (key) => {
      const entry = entries.get(key);
      return entry !== undefined && entry.expiresAt > clock() ? entry.value : undefined;
    },
    write: async (key, value, expiresAt) => {
      entries.set(key, { value, expiresAt });
    },
    clear: async () => entries.clear(),
  };
}
