import type { Refusal, RefusalRecord } from "../audit/refusals.js";
import type { OwnLimitName } from "../platform/rate-limits/limits.js";
import { RateLimitedError } from "../platform/rate-limits/rate-limiter.js";
import type { FollowedCall } from "./call-record.js";
import type { Destination } from "./destination.js";
import { type AllowedCall, exchange } from "./exchange.js";
import type { Forwarder } from "./forwarder.js";
import type { HandedAnswer } from "./hand-answer.js";
import { refusals } from "./refusals.js";
import { UseRefusal } from "./use-refusal.js";

/** Where a call goes, as far as is known. */
export interface CallTarget {
  readonly destination: Destination;
  /** Which limit counts the requests of one person there, and what they are counted by beside the person. */
  readonly limit: { readonly name: OwnLimitName; readonly id: string };
  /** The audit event of a refused call. */
  readonly denied: (facts: DenialFacts, refusal: UseRefusal) => Refusal;
}

/** What every denial says of the caller. */
type DenialFacts = Pick<Refusal, "at" | "subject" | "clientId" | "requestId"> & {
  readonly outcome: "denied";
  readonly actor: { readonly type: "user"; readonly id: string };
};

/** A call while it is prepared. What was done for it is undone when it is refused. */
export interface OpeningCall {
  target: CallTarget;
  /** The id under which the store has noted the call. */
  noted: string | undefined;
  /** Takes one of the person's slots. @throws {UseRefusal} */
  readonly takeSlot: () => void;
  /** Counts the call against the person's limit. @throws {RateLimitedError} */
  readonly count: () => Promise<void>;
}

/** A call that may be sent, and what the store has noted of it. */
export interface PreparedCall extends Omit<AllowedCall, "call" | "giveSlotBack"> {
  readonly call: Omit<FollowedCall, "userId" | "clientId" | "requestId">;
}

export interface CallOptions {
  readonly who: { readonly userId: string; readonly clientId: string; readonly requestId: string };
  readonly refusals: RefusalRecord;
  readonly target: CallTarget;
  readonly noted?: string | undefined;
  /** Decides about the call and does everything before the first byte: notes it, takes a slot, counts it. */
  readonly prepare: (opening: OpeningCall) => Promise<PreparedCall>;
  /** The error to answer with. */
  readonly refusalOf?: (error: unknown) => unknown;
}

/**
 * Prepares a call, sends it and hands back the beginning of the answer. A call that is refused gives its slot back, is forgotten by the
 * store and recorded as denied.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export async function openCall(options: CallOptions, forwarder: Forwarder): Promise<HandedAnswer> {
  const { who, prepare, refusalOf = (error) => error } = options;
  let giveSlotBack: () => void = () => undefined;
  let isCounted = false;
  const opening: OpeningCall = {
    target: options.target,
    noted: options.noted,
    takeSlot: () => void (giveSlotBack = forwarder.takeSlot(who.userId)),
    async count() {
      isCounted = true;
      await countCall(opening.target, who.userId, forwarder);
    },
  };
  let prepared: PreparedCall;
  try {
    prepared = await prepare(opening);
    prepared.request.signal.throwIfAborted();
  } catch (error) {
    giveSlotBack();
    if (opening.noted !== undefined) await forwarder.calls.cancel(opening.noted);
    throw await deny(refusalOf(error), { options, target: opening.target, isCounted }, forwarder);
  }
  const call = forwarder.calls.follow({ ...who, ...prepared.call });
  return await exchange({ ...prepared, call, giveSlotBack }, forwarder);
}

async function countCall(
  { limit: { name, id }, destination: { limits } }: CallTarget,
  userId: string,
  { limiter }: Forwarder,
): Promise<void> {
  await limiter.takeOwn({ name, key: `${userId} ${id}`, perMinute: limits.requestsPerMinute });
}

/**
 * Records why nothing was sent, and returns the error to answer with. Refusals count against the limit as requests do, so that they
 * cannot fill the audit trail; beyond the limit they are only counted.
 */
async function deny(
  error: unknown,
  denied: { readonly options: CallOptions; readonly target: CallTarget; readonly isCounted: boolean },
  forwarder: Forwarder,
): Promise<unknown> {
  const { options, target, isCounted } = denied;
  const { userId, clientId, requestId } = options.who;
  const { destination } = target;
  if (error instanceof RateLimitedError) return refusals.tooManyRequests(error, destination);
  if (!(error instanceof UseRefusal) || error.code === "rate_limited") return error;
  try {
    if (!isCounted) await countCall(target, userId, forwarder);
  } catch (limited) {
    return limited instanceof RateLimitedError ? refusals.tooManyRequests(limited, destination) : limited;
  }
  const at = new Date(forwarder.clock());
  const actor = { type: "user", id: userId } as const;
  const facts = { outcome: "denied", actor, at, subject: userId, clientId, requestId } as const;
  await options.refusals.record(forwarder.store, target.denied(facts, error));
  return error;
}

/** What every denial says of a refusal. */
export function denialData({ reason, host, scope, rule }: UseRefusal, method: string | undefined) {
  return {
    reason,
    ...(method !== undefined && { method }),
    ...(host !== undefined && { host }),
    ...(scope !== undefined && { scopes: scope.split(" ") }),
    ...(rule !== undefined && { rule: rule + 1 }),
  };
}
