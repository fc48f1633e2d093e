import { createHash } from "node:crypto";
import type { Clock } from "@authz/dpop";
import { LRUCache } from "lru-cache";
import type { WrappedKey } from "./key-ring.js";

const keepMilliseconds = 60_000;
const maxEntries = 1_000;

/** Opened data keys, kept for a minute: a request to a third party need not be a request to Vault as well. */
export interface DataKeyCache {
  /** Returns a copy, which the caller wipes. */
  get(key: WrappedKey, row: string): Buffer | undefined;
  set(key: WrappedKey, row: string, dataKey: Buffer): void;
}

interface Entry {
  readonly dataKey: Buffer;
  readonly until: number;
}

/** Bounded; a key that leaves it is wiped, and an expired one leaves without waiting for a request. */
export function createDataKeyCache(clock: Clock): DataKeyCache {
  const entries = new LRUCache<string, Entry>({
    max: maxEntries,
    ttl: keepMilliseconds,
    ttlAutopurge: true,
    dispose: ({ dataKey }) => void dataKey.fill(0),
  });
  return {
    get(key, row) {
      const name = nameOf(key, row);
      const entry = entries.get(name);
      if (entry !== undefined && entry.until > clock()) return Buffer.from(entry.dataKey);
      entries.delete(name);
      return undefined;
    },
    set(key, row, dataKey) {
      const until = clock() + keepMilliseconds;
      entries.set(nameOf(key, row), { dataKey: Buffer.from(dataKey), until });
    },
  };
}

/** A digest of every sealed byte and the row: an altered key does not find the opened one. */
function nameOf({ keyId, wrapped }: WrappedKey, row: string): string {
  const digest = createHash("sha256").update(`${keyId}\n${row}\n`).update(wrapped);
  return digest.digest("base64url");
}
