import { countOf, emptyWindow, minuteOf, type Window } from "./window.js";

/** Requests that one key made in one minute. */
interface RateCount {
  readonly key: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly count: number;
}

/** The count of all processes for a key. */
export interface SharedRateCount extends RateCount {
  /** The count of the minute before. */
  readonly previous: number;
}

export interface RateLimitStore {
  /** Adds to the counts of all processes and returns them, in one statement. Each key and minute at most once. */
  add(counts: readonly RateCount[]): Promise<readonly SharedRateCount[]>;
}

const batchSize = 1_000;

/** The counts of this process, exchanged with those of all others through the database. */
export interface SharedCounts {
  /** The window of a key; `undefined` when too many keys are remembered. */
  readonly windowOf: (key: string, minute: number) => Window | undefined;
  /** Counts in the database, and returns the count of all processes in this minute. */
  readonly countExactly: (key: string, window: Window, cost: number) => Promise<number>;
  /** Sends what was counted since the last time, and receives the counts of the others. */
  readonly sync: () => Promise<void>;
}

export function createSharedCounts({
  store,
  clock,
  maxKeys,
}: {
  readonly store: RateLimitStore;
  readonly clock: () => number;
  readonly maxKeys: number;
}): SharedCounts {
  const windows = new Map<string, Window>();
  /** Counts of minutes that ended before they were sent. */
  const outbox = new Map<string, RateCount>();
  let sweptMinute = 0;

  function windowOf(key: string, minute: number): Window | undefined {
    const known = windows.get(key);
    if (known === undefined) {
      // Limits per address cannot stop so many addresses at once; load shedding remains.
      if (windows.size >= maxKeys) return undefined;
      const created = emptyWindow(minute);
      windows.set(key, created);
      return created;
    }
    if (minute > known.minute) roll(key, known, minute);
    return known;
  }

  function roll(key: string, window: Window, minute: number): void {
    if (window.pending > 0) post({ key, minute: window.minute, count: window.pending });
    window.previous = window.minute === minute - 1 ? countOf(window) : 0;
    Object.assign(window, { minute, shared: 0, pending: 0, inFlight: 0 });
  }

  function post({ key, minute, count }: RateCount): void {
    const id = `${key} ${minute}`;
    outbox.set(id, { key, minute, count: count + (outbox.get(id)?.count ?? 0) });
  }

  function receive({ key, minute, count, previous }: SharedRateCount, sent: number): void {
    const window = windows.get(key);
    if (window === undefined) return;
    if (window.minute === minute + 1) window.previous = Math.max(window.previous, count);
    if (window.minute !== minute) return;
    window.inFlight = Math.max(window.inFlight - sent, 0);
    window.shared = Math.max(window.shared, count);
    window.previous = Math.max(window.previous, previous);
  }

  /** Keeps the counts for the next time when sending them fails. */
  async function send(counts: readonly RateCount[]): Promise<readonly SharedRateCount[]> {
    try {
      const sent = new Map(counts.map(({ key, minute, count }) => [`${key} ${minute}`, count]));
      const answer = await store.add(counts);
      for (const shared of answer) receive(shared, sent.get(`${shared.key} ${shared.minute}`) ?? 0);
      return answer;
    } catch (error) {
      for (const { key, minute, count } of counts) {
        const window = windows.get(key);
        if (window?.minute !== minute) post({ key, minute, count });
        else {
          window.inFlight = Math.max(window.inFlight - count, 0);
          window.pending += count;
        }
      }
      throw error;
    }
  }

  async function countExactly(key: string, window: Window, cost: number): Promise<number> {
    const { minute } = window;
    const count = takePending(window) + cost;
    window.inFlight += cost;
    const [shared] = await send([{ key, minute, count }]);
    window.previous = Math.max(window.previous, shared?.previous ?? 0);
    return shared?.count ?? 0;
  }

  function sweep(minute: number): void {
    if (minute === sweptMinute) return;
    sweptMinute = minute;
    for (const [key, window] of windows) {
      if (window.minute < minute - 1 && window.pending === 0) windows.delete(key);
    }
  }

  async function sync(): Promise<void> {
    for (const batch of batches([...outbox])) {
      for (const [id] of batch) outbox.delete(id);
      await send(batch.map(([, count]) => count));
    }
    for (const batch of batches([...windows].filter(([, { pending }]) => pending > 0))) {
      await send(batch.map(([key, window]) => ({ key, minute: window.minute, count: takePending(window) })));
    }
    sweep(minuteOf(clock()));
  }

  return { windowOf, countExactly, sync };
}

/** Moves the pending count to the one in flight, and returns it. */
function takePending(window: Window): number {
  const { pending } = window;
  window.pending = 0;
  window.inFlight += pending;
  return pending;
}

function batches<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / batchSize);
  return Array.from({ length: count }, (_, index) => items.slice(index * batchSize, (index + 1) * batchSize));
}
