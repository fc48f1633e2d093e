import type { Clock } from "@authz/dpop";
import { LRUCache } from "lru-cache";
import type { Connection } from "../../store/connections.js";
import type { StoredTokens } from "./stored-tokens.js";

/** As long as an opened data key is kept: after a key is removed, tokens that it opened are used for a minute at most. */
const keepMilliseconds = 60_000;
const maxEntries = 1_000;

/** Cache of opened tokens, so that not every request opens them. */
export interface OpenedTokens {
  /** Returns only tokens opened from these very bytes, of this version. */
  get(connection: Connection): StoredTokens | undefined;
  set(connection: Connection, tokens: StoredTokens): void;
}

interface Entry {
  readonly credentialVersion: number;
  readonly credentials: Buffer;
  readonly tokens: StoredTokens;
  readonly until: number;
}

/** Bounded; a timer drops expired entries. */
export function createOpenedTokens(clock: Clock): OpenedTokens {
  const entries = new LRUCache<string, Entry>({ max: maxEntries, ttl: keepMilliseconds, ttlAutopurge: true });
  return {
    get({ id, credentialVersion, credentials }) {
      const entry = entries.get(id);
      if (entry === undefined || entry.until <= clock()) return undefined;
      const isSame = entry.credentialVersion === credentialVersion && entry.credentials.equals(credentials);
      return isSame ? entry.tokens : undefined;
    },
    set({ id, credentialVersion, credentials }, tokens) {
      const until = clock() + keepMilliseconds;
      entries.set(id, { credentialVersion, credentials, tokens, until });
    },
  };
}
