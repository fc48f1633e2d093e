import { DatabaseUnavailableError } from "../database-unavailable-error.js";

/** Concurrent statements of one kind. Usually one: items that arrive meanwhile share the next. */
const maxRunning = 4;
/** Waiting items that start another statement beside the running one. */
const crowd = 32;
/** A statement that takes longer, such as one that waits for a lock, delays no others. */
const lateMilliseconds = 50;
/** Items per statement: few enough to keep it short. */
const maxItems = 64;
/** The longest wait of an item: the same as for a connection. */
const maxWaitSeconds = 5;

export interface BatchOptions<Item, Result> {
  /** Handles several items with one statement; returns one result for each, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items that share a key never come into the same statement. */
  readonly keysOf?: (item: Item) => readonly string[];
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines items that arrive at the same time into one statement.
 *
 * An item runs at once unless statements of its kind are running already: a quiet server adds no delay, and a busy one shares round
 * trips and commits.
 *
 * The function throws `DatabaseUnavailableError` when an item waits too long: nothing was done then.
 */
export function createBatches<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let late = 0;
  let timer: NodeJS.Timeout | undefined;

  function watch(): void {
    const [oldest] = waiting;
    if (timer !== undefined || oldest === undefined) return;
    const delay = oldest.since + maxWaitSeconds * 1000 - performance.now();
    timer = setTimeout(
      () => {
        timer = undefined;
        giveUp();
        watch();
      },
      Math.max(delay, 0),
    ).unref();
  }

  function giveUp(): void {
    const last = performance.now() - maxWaitSeconds * 1000;
    const tooLong = waiting.filter(({ since }) => since <= last);
    waiting = waiting.filter(({ since }) => since > last);
    for (const { reject } of tooLong)
      reject(new DatabaseUnavailableError("The database has been busy for too long."));
  }

  function start(): void {
    if (running >= maxRunning || waiting.length === 0) return;
    if (running > late && waiting.length < crowd) return;
    running += 1;
    let isLate = false;
    const lateness = setTimeout(() => {
      isLate = true;
      late += 1;
      start();
    }, lateMilliseconds).unref();
    void settle(take()).finally(() => {
      clearTimeout(lateness);
      running -= 1;
      if (isLate) late -= 1;
      start();
    });
  }

  function take(): readonly Waiting<Item, Result>[] {
    if (waiting.length === 1) {
      const only = waiting;
      waiting = [];
      return only;
    }
    const keys = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const one of waiting) {
      const own = options.keysOf?.(one.item) ?? [];
      if (taken.length >= maxItems || own.some((key) => keys.has(key))) left.push(one);
      else {
        taken.push(one);
        for (const key of own) keys.add(key);
      }
    }
    waiting = left;
    return taken;
  }

  async function settle(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.run(taken.map(({ item }) => item));
      if (results.length !== taken.length) throw new Error("A batch needs one result for each item.");
      for (const [index, { resolve }] of taken.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (taken.length > 1 && isOfOneItem(error)) await Promise.all(taken.map((one) => settle([one])));
      else for (const { reject } of taken) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, since: performance.now(), resolve, reject });
      start();
      watch();
    });
}

/**
 * Whether an item made the statement fail, and nothing is stored: bad data (class 22), a constraint (23), a deadlock (40).
 * Run alone, each item then gets its own outcome.
 */
function isOfOneItem(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?:22|23|40)/.test(code);
}
