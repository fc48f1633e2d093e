import type { Logger } from "pino";
import type { Store } from "../store/store.js";

/** A call that is being watched. */
export interface WatchedCall {
  /** Aborted with a `CallCutError`. */
  readonly signal: AbortSignal;
  /** The call is over. */
  readonly release: () => void;
}

/** The access that a call rests on has ended, or was stopped. */
export class CallCutError extends Error {
  override readonly name = "CallCutError";
  constructor() {
    super("The access that the call rests on has ended.");
  }
}

/** Interval of the checks. A call that is over within it costs nothing. */
const intervalMilliseconds = 1_000;

/**
 * Creates the watch over the calls of a process. While there are any, one statement per second finds those that may not go on: a stop that
 * any process has set ends them within about a second. A check that fails is repeated, and nothing is cut meanwhile: new calls are refused
 * without the database anyway.
 */
export function createCallWatch({
  store,
  log,
}: {
  readonly store: Pick<Store, "forwardedCalls">;
  readonly log: Pick<Logger, "warn">;
}): (id: string) => WatchedCall {
  const calls = new Map<string, AbortController>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    timer = undefined;
    try {
      for (const id of await store.forwardedCalls.listEnded([...calls.keys()])) {
        calls.get(id)?.abort(new CallCutError());
        calls.delete(id);
      }
    } catch (err) {
      log.warn(
        { code: "FORWARDED_CALLS_NOT_CHECKED", err },
        "Whether calls in flight may go on cannot be checked; trying again.",
      );
    }
    schedule();
  }

  function schedule(): void {
    if (calls.size === 0) return;
    timer ??= setTimeout(() => void check(), intervalMilliseconds).unref();
  }

  return (id) => {
    const controller = new AbortController();
    calls.set(id, controller);
    schedule();
    return { signal: controller.signal, release: () => void calls.delete(id) };
  };
}
