import type { Clock } from "../clock.js";
import type { ClientCache } from "./client-cache.js";

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
