import { UseRefusal } from "./use-refusal.js";

/** How many requests may be on their way at the same time. */
export interface SlotLimits {
  /** Through one connection. */
  readonly perConnection: number;
  /** In this process. */
  readonly total: number;
}

/** Half of what a process takes at a time, so that people can always sign in; see `http/load-shedding.ts`. */
export const defaultSlotLimits: SlotLimits = { perConnection: 64, total: 250 };

/** Takes a place; the result gives it back. @throws {UseRefusal} */
export type TakeSlot = (connectionId: string) => () => void;

/** Creates the places. Slow requests of one person never keep everybody else out. */
export function createSlots({ perConnection, total }: SlotLimits = defaultSlotLimits): TakeSlot {
  const used = new Map<string, number>();
  let all = 0;
  return (connectionId) => {
    const own = used.get(connectionId) ?? 0;
    if (own >= perConnection) {
      const message = `${String(perConnection)} of your requests are on their way. Wait for one of them to end.`;
      throw new UseRefusal({
        code: "rate_limited",
        reason: "too_many_at_once",
        message,
        retryAfterSeconds: 1,
      });
    }
    if (all >= total) {
      const message = "The server cannot take this request now. Try again in a moment.";
      throw new UseRefusal({ code: "temporarily_unavailable", message, retryAfterSeconds: 1 });
    }
    used.set(connectionId, own + 1);
    all += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      all -= 1;
      const left = (used.get(connectionId) ?? 1) - 1;
      if (left === 0) used.delete(connectionId);
      else used.set(connectionId, left);
    };
  };
}
