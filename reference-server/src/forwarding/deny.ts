import type { Refusal, RefusalRecord } from "../audit/refusals.js";
import { RateLimitedError } from "../platform/rate-limits/rate-limiter.js";
import type { OwnLimitName } from "../platform/rate-limits/limits.js";
import type { Destination } from "./destination.js";
import type { Forwarder } from "./forwarder.js";
import { refusals } from "./refusals.js";
import { UseRefusal } from "./use-refusal.js";

/** How often one person may use one destination. */
export interface PersonLimit {
  readonly name: OwnLimitName;
  readonly key: string;
  readonly perMinute: number;
}

export interface Denial {
  readonly destination: Destination;
  readonly limit: PersonLimit;
  /** The request counts against the limit already. */
  readonly counted: boolean;
  readonly refusals: RefusalRecord;
  readonly event: (refusal: UseRefusal) => Refusal;
}

/**
 * Records why nothing was sent, and returns the error to answer with. Refusals count against the limit as requests do, so
 * that nobody can fill the audit trail; beyond the limit they are only counted.
 */
export async function deny(
  error: unknown,
  denial: Denial,
  { store, limiter }: Pick<Forwarder, "store" | "limiter">,
): Promise<unknown> {
  const { destination, limit, counted, event } = denial;
  if (error instanceof RateLimitedError) return refusals.tooManyRequests(error, destination);
  if (!(error instanceof UseRefusal) || error.code === "rate_limited") return error;
  try {
    if (!counted) await limiter.takeOwn(limit);
  } catch (limited) {
    return limited instanceof RateLimitedError ? refusals.tooManyRequests(limited, destination) : limited;
  }
  await denial.refusals.record(store, event(error));
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
