import { ReplayStoreUnavailableError } from "../errors.js";

/** The use of a single-use value. */
export interface ReplayRecord {
  /** 1 to 255 printable ASCII characters. Never a token or a proof itself. */
  key: string;
  /** The last second in which the store must remember the key, in seconds since 1970. */
  expiresAt: number;
}

/** Remembers used keys, across all processes that share the store. */
export interface ReplayStore {
  /**
   * Records a use. Of any number of concurrent calls with one key, exactly one returns `true`.
   *
   * @returns `true` the first time, `false` if the key is already known
   * @throws if the store is unavailable; the caller then refuses
   */
  consume(record: ReplayRecord): boolean | Promise<boolean>;
}

/**
 * Records a use and returns whether it was the first one, synchronously if the store does. An error of the store and any
 * result other than a boolean count as unavailable.
 *
 * @throws {ReplayStoreUnavailableError}
 */
export function isFirstUse(record: ReplayRecord, store: ReplayStore): boolean | Promise<boolean> {
  try {
    const answer: unknown = store.consume(record);
    return typeof answer === "boolean" ? answer : awaitAnswer(answer);
  } catch (error) {
    throw unavailable(error);
  }
}

async function awaitAnswer(pending: unknown): Promise<boolean> {
  try {
    const answer = await pending;
    if (typeof answer === "boolean") return answer;
  } catch (error) {
    throw unavailable(error);
  }
  throw unavailable(new TypeError("The replay store's consume() must answer true or false."));
}

function unavailable(cause: unknown): ReplayStoreUnavailableError {
  if (cause instanceof ReplayStoreUnavailableError) return cause;
  return new ReplayStoreUnavailableError("The replay store did not answer.", { cause });
}

/** Waits for a promise for a limited time; after that, rejects with the error that `late` makes. */
export async function within<T>(seconds: number, pending: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([pending, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
