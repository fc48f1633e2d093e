import type { ActedCall } from "../store/forwarded-calls.js";
import type { Act, ShownAccess } from "../store/grants.js";
import type { CallRecord } from "./call-record.js";

/** A call that is noted, with what it is decided with. */
export interface NotedCall<Begun> {
  readonly id: string;
  readonly startedAt: Date;
  readonly begun: Begun;
}

/**
 * A call that is noted by the statement that says who makes it, before it is known whether they may: one question to the database
 * instead of two. Whoever asks for one disposes of it.
 */
export interface CallAhead<Begun> {
  /** Says who acts, and notes the call. */
  readonly act: Act;
  /**
   * The call, for whoever goes on with it: once, when it is this one, and when nobody was waited for since it was noted. A call that is not
   * handed over is forgotten.
   */
  readonly take: (name: string) => Promise<NotedCall<Begun> | undefined>;
  /** Forgets the call unless it was handed over: nothing of it was sent. */
  readonly dispose: () => Promise<void>;
}

export interface CallAheadOptions<Begun> {
  readonly id: string;
  readonly startedAt: Date;
  /** Everything that tells the call from another one of the same request. */
  readonly name: string;
  readonly begin: (shown: ShownAccess) => Promise<ActedCall<Begun>>;
  readonly isNoted: (begun: Begun) => boolean;
  readonly calls: Pick<CallRecord, "cancel">;
}

/** Whatever takes longer in between asked somebody else, and everything may have changed meanwhile. */
const freshMilliseconds = 100;

export function createCallAhead<Begun>(options: CallAheadOptions<Begun>): CallAhead<Begun> {
  const { id, startedAt, name, begin, isNoted, calls } = options;
  let kept: { readonly begun: Begun; readonly at: number } | undefined;

  async function dispose(): Promise<void> {
    const left = kept;
    kept = undefined;
    if (left !== undefined && isNoted(left.begun)) await calls.cancel(id);
  }

  return {
    async act(shown) {
      const { active, begun } = await begin(shown);
      kept = { begun, at: performance.now() };
      return active;
    },
    async take(wanted) {
      if (kept === undefined || wanted !== name || performance.now() - kept.at > freshMilliseconds) {
        await dispose();
        return undefined;
      }
      const { begun } = kept;
      kept = undefined;
      return { id, startedAt, begun };
    },
    dispose,
  };
}
