import type { Clock } from "@authz/dpop";
import type { Connection } from "../../store/connections.js";
import type { StoredTokens } from "./stored-tokens.js";

/** As long as an opened data key is kept: a key that is taken away ends what it opened after a minute. */
const keepSeconds = 60;
const maxEntries = 1_000;

/** Tokens that were opened a moment ago, so that not every request opens them. */
export interface OpenedTokens {
  /** Only what was opened from these very bytes, of this version. */
  get(connection: Connection): StoredTokens | undefined;
  set(connection: Connection, tokens: StoredTokens): void;
}

interface Entry {
  readonly credentialVersion: number;
  readonly credentials: Buffer;
  readonly tokens: StoredTokens;
  readonly until: number;
}

/** Bounded; what is over is dropped whether or not somebody asks for it again. */
export function createOpenedTokens(clock: Clock): OpenedTokens {
  const entries = new Map<string, Entry>();
  let sweep: NodeJS.Timeout | undefined;

  // Entries are in the order of their end.
  function dropOld(): void {
    sweep = undefined;
    for (const [id, { until }] of entries) {
      if (until > clock()) break;
      entries.delete(id);
    }
    schedule();
  }
  function schedule(): void {
    if (sweep !== undefined || entries.size === 0) return;
    sweep = setTimeout(dropOld, keepSeconds * 1000).unref();
  }

  return {
    get({ id, credentialVersion, credentials }) {
      const entry = entries.get(id);
      if (entry === undefined || entry.until <= clock()) return undefined;
      const isSame = entry.credentialVersion === credentialVersion && entry.credentials.equals(credentials);
      return isSame ? entry.tokens : undefined;
    },
    set({ id, credentialVersion, credentials }, tokens) {
      entries.delete(id);
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size >= maxEntries) entries.delete(oldest);
      entries.set(id, { credentialVersion, credentials, tokens, until: clock() + keepSeconds * 1000 });
      schedule();
    },
  };
}
