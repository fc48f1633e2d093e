import { createHash } from "node:crypto";
import type { Clock } from "@authz/dpop";
import type { WrappedKey } from "./key-ring.js";

const keepSeconds = 60;
const maxEntries = 1_000;

/** Opened data keys, for a minute: a request to a third party need not be a request to Vault as well. */
export interface DataKeyCache {
  /** A copy that the caller wipes. */
  get(key: WrappedKey, row: string): Buffer | undefined;
  set(key: WrappedKey, row: string, dataKey: Buffer): void;
}

interface Entry {
  readonly dataKey: Buffer;
  readonly until: number;
}

/** Bounded; what is dropped is wiped. */
export function createDataKeyCache(clock: Clock): DataKeyCache {
  const entries = new Map<string, Entry>();
  let sweep: NodeJS.Timeout | undefined;

  const drop = (name: string, { dataKey }: Entry) => {
    dataKey.fill(0);
    entries.delete(name);
  };
  // Entries are in the order of their end, so the sweep looks at those that are over, and one more.
  const dropOld = () => {
    sweep = undefined;
    for (const [name, entry] of entries) {
      if (entry.until > clock()) break;
      drop(name, entry);
    }
    schedule();
  };
  const schedule = () => {
    if (sweep !== undefined || entries.size === 0) return;
    sweep = setTimeout(dropOld, keepSeconds * 1000);
    sweep.unref();
  };

  return {
    get(key, row) {
      const name = nameOf(key, row);
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      if (entry.until > clock()) return Buffer.from(entry.dataKey);
      drop(name, entry);
      return undefined;
    },
    set(key, row, dataKey) {
      const name = nameOf(key, row);
      const known = entries.get(name);
      if (known !== undefined) drop(name, known);
      const [oldest] = entries;
      if (oldest !== undefined && entries.size >= maxEntries) drop(...oldest);
      entries.set(name, { dataKey: Buffer.from(dataKey), until: clock() + keepSeconds * 1000 });
      schedule();
    },
  };
}

/** Of every byte that was sealed, and of the row: an altered one is not the one that was opened. */
function nameOf({ keyId, wrapped }: WrappedKey, row: string): string {
  const digest = createHash("sha256").update(`${keyId}\n${row}\n`).update(wrapped);
  return digest.digest("base64url");
}
