import type { Refusal, RefusalRecord } from "../audit/refusals.js";
import type { OwnLimitName } from "../platform/rate-limits/limits.js";
import { RateLimitedError } from "../platform/rate-limits/rate-limiter.js";
import type { CallAhead, NotedCall } from "./call-ahead.js";
import type { Destination } from "./destination.js";
import { type AllowedCall, exchange } from "./exchange.js";
import type { Forwarder } from "./forwarder.js";
import type { HandedAnswer } from "./hand-answer.js";
import { refusals } from "./refusals.js";
import { UseRefusal } from "./use-refusal.js";

/** How often one person may use one destination. */
export interface PersonLimit {
  readonly name: OwnLimitName;
  readonly key: string;
  readonly perMinute: number;
}

/** What was done for a call before its first byte is sent; undone when the call is refused. */
export interface CallProgress {
  /** The call counts against the person's limit. */
  counted: boolean;
  /** The id under which the store has noted the call. */
  noted: string | undefined;
  giveSlotBack: (() => void) | undefined;
}

/** How a call is prepared, and what is recorded when it is refused. */
export interface CallOpening {
  /** Decides about the call and does everything before the first byte. It keeps `progress` up to date. */
  readonly prepare: (progress: CallProgress) => Promise<AllowedCall>;
  /** The error to answer with. */
  readonly refusalOf?: (error: unknown) => unknown;
  /** What the call was about, as far as preparing it found out. */
  readonly denial: () => Denial;
  readonly who: { readonly userId: string; readonly clientId: string; readonly requestId: string };
  /** The call, if the store has noted it already. */
  readonly noted?: string | undefined;
}

interface Denial {
  readonly destination: Destination;
  readonly limit: PersonLimit;
  readonly refusals: RefusalRecord;
  readonly event: (refusal: UseRefusal, common: DenialFacts) => Refusal;
}

/** What every denial says of the caller. */
type DenialFacts = Pick<Refusal, "at" | "subject" | "clientId" | "requestId"> & {
  readonly outcome: "denied";
  readonly actor: { readonly type: "user"; readonly id: string };
};

/**
 * Prepares a call, sends it and hands back the beginning of the answer. A call that is refused gives its slot back, is forgotten by the store
 * and recorded as denied.
 *
 * @throws {UseRefusal} Nothing was sent, or there is no answer; `sent` says which.
 */
export async function openCall(
  { prepare, refusalOf = (error) => error, denial, who, noted }: CallOpening,
  forwarder: Forwarder,
): Promise<HandedAnswer> {
  const progress: CallProgress = { counted: false, noted, giveSlotBack: undefined };
  let call: AllowedCall;
  try {
    call = await prepare(progress);
  } catch (error) {
    progress.giveSlotBack?.();
    if (progress.noted !== undefined) await forwarder.calls.cancel(progress.noted);
    const { userId, clientId, requestId } = who;
    const common = {
      outcome: "denied",
      actor: { type: "user", id: userId },
      at: new Date(forwarder.clock()),
      subject: userId,
      clientId,
      requestId,
    } as const;
    throw await deny(refusalOf(error), { ...denial(), counted: progress.counted, common }, forwarder);
  }
  return await exchange(call, forwarder);
}

/** Takes the call that was noted ahead if it is this one, and notes it otherwise. */
export async function noteCall<Begun, New extends { readonly id: string; readonly startedAt: Date }>({
  ahead,
  name,
  create,
  begin,
}: {
  readonly ahead: CallAhead<Begun> | undefined;
  /** Distinguishes the call from others of the same request. */
  readonly name: string;
  readonly create: () => New;
  readonly begin: (call: New) => Promise<Begun>;
}): Promise<NotedCall<Begun>> {
  const taken = await ahead?.take(name);
  if (taken !== undefined) return taken;
  const call = create();
  return { id: call.id, startedAt: call.startedAt, begun: await begin(call) };
}

/**
 * Records why nothing was sent, and returns the error to answer with. Refusals count against the limit as requests do, so that they cannot
 * fill the audit trail; beyond the limit they are only counted.
 */
async function deny(
  error: unknown,
  denial: Denial & { readonly counted: boolean; readonly common: DenialFacts },
  { store, limiter }: Forwarder,
): Promise<unknown> {
  const { destination, limit, counted, event, common } = denial;
  if (error instanceof RateLimitedError) return refusals.tooManyRequests(error, destination);
  if (!(error instanceof UseRefusal) || error.code === "rate_limited") return error;
  try {
    if (!counted) await limiter.takeOwn(limit);
  } catch (limited) {
    return limited instanceof RateLimitedError ? refusals.tooManyRequests(limited, destination) : limited;
  }
  await denial.refusals.record(store, event(error, common));
  return error;
}

/** What every denial says of a refusal. */
export function denialData({ reason, host, scope }: UseRefusal, method: string | undefined) {
  return {
    reason,
    ...(method !== undefined && { method }),
    ...(host !== undefined && { host }),
    ...(scope !== undefined && { scopes: scope.split(" ") }),
  };
}
