import { ReplayStoreUnavailableError } from "../errors.js";
import type { ReplayRecord, ReplayStore } from "./replay-store.js";

/**
 * Asks a replay store, at once or later as the store answers. Whatever it throws, and whatever is no boolean, counts
 * as no answer: nothing is accepted on a guess.
 *
 * @throws {ReplayStoreUnavailableError}
 */
export function askStore(store: ReplayStore, record: ReplayRecord): boolean | Promise<boolean> {
  let answer: unknown;
  try {
    answer = store.consume(record);
  } catch (error) {
    throw unavailable(error);
  }
  return typeof answer === "boolean" ? answer : awaitAnswer(answer);
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
