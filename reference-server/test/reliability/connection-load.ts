import { setTimeout as delay } from "node:timers/promises";
import type { UseLedger } from "./connection-violations.js";
import type { ConnectionsStage } from "./connections-stage.js";
import { expireAccessToken } from "./connections-step.js";

/** What the accounts at work saw, and what was done to them. */
interface LoadLedger extends UseLedger {
  /** How often an access token was made to be over, by connector. */
  readonly expired: ReadonlyMap<string, number>;
  /** Answers that should not exist. */
  readonly surprises: readonly string[];
}

/** Accounts that are used, refreshed, disconnected and connected again, one after the other for each of them. */
export interface ConnectionLoad {
  readonly ledger: LoadLedger;
  /** Resolves when this many more requests have got an answer of the third party. */
  progress(count: number): Promise<void>;
  /** Sends one more request through a connector. */
  use(key: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** The database was away; what it has stored of the request nobody knows. */
const away = "temporarily_unavailable";

/** Answers that a kill or a cut explains, and that another try comes over. */
const passing = new Set([
  "not_connected",
  "reconnect_required",
  "disconnecting",
  "refresh_unavailable",
  away,
]);

export function startConnectionLoad(
  stage: ConnectionsStage,
  { keys, origin }: { readonly keys: readonly string[]; readonly origin: () => string },
): ConnectionLoad {
  const { person } = stage;
  const counts = { answered: new Map<string, number>(), unclear: new Map(), expired: new Map() };
  const surprises: string[] = [];
  const waiting = new Set<{ left: number; readonly resolve: () => void }>();
  const over = new AbortController();
  const count = (which: keyof typeof counts, key: string) =>
    void counts[which].set(key, (counts[which].get(key) ?? 0) + 1);

  /** Returns the error of an answer that is not the third party's. */
  async function use(key: string): Promise<string | undefined> {
    const { status, isForeign, body } = await person.use(key, { origin: origin() });
    if (isForeign) {
      count("answered", key);
      if (status !== 200) surprises.push(`${key}: the third party answered ${status}`);
      for (const one of waiting) {
        one.left -= 1;
        if (one.left > 0) continue;
        waiting.delete(one);
        one.resolve();
      }
      return undefined;
    }
    const { error, sent } = body;
    if (status === undefined || sent !== "no" || error === away) count("unclear", key);
    if (status !== undefined && !passing.has(String(error)))
      surprises.push(`${key}: ${status} ${String(error)}`);
    return status === undefined ? "cut_off" : String(error);
  }

  async function work(key: string): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const error = await use(key);
      if (error === "not_connected" || error === "reconnect_required") await tryToConnect(key);
      else if (error !== undefined) await delay(20);
      else if (turn % 13 === 12) await person.disconnect(key, origin());
      else if (turn % 7 === 6) await tryToConnect(key);
      else if (turn % 3 === 2) {
        await expireAccessToken(stage, key);
        count("expired", key);
      }
    }
  }

  /** The server may be killed on the way; the next request shows what came of it. */
  async function tryToConnect(key: string): Promise<void> {
    const attempt = await person.beginConnecting(key).catch(() => undefined);
    await attempt?.finish();
  }

  const ended = Promise.all(keys.map((key) => work(key)));
  return {
    ledger: { ...counts, surprises },
    use,
    progress: (left) => new Promise((resolve) => void waiting.add({ left, resolve })),
    async stop() {
      over.abort();
      await ended;
    },
  };
}
