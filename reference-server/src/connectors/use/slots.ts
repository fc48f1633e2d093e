import { UseRefusal } from "./use-refusal.js";

/** How many requests may be on their way at the same time. */
export interface SlotLimits {
  /** Of one person, through whichever connections. */
  readonly perPerson: number;
  /** In this process. */
  readonly total: number;
}

/** Half of what a process takes at a time, so that people can always sign in; see `http/load-shedding.ts`. */
const defaultSlotLimits: SlotLimits = { perPerson: 64, total: 250 };

/** Takes a place; the result gives it back. @throws {UseRefusal} */
export type TakeSlot = (userId: string) => () => void;

/** Creates the places. Slow requests of one person never keep everybody else out. */
export function createSlots({ perPerson, total }: SlotLimits = defaultSlotLimits): TakeSlot {
  const used = new Map<string, number>();
  let all = 0;
  return (userId) => {
    const own = used.get(userId) ?? 0;
    if (own >= perPerson) {
      const message = `${String(perPerson)} of your requests are on their way. Wait for one of them to end.`;
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
    used.set(userId, own + 1);
    all += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      all -= 1;
      const left = (used.get(userId) ?? 1) - 1;
      if (left === 0) used.delete(userId);
      else used.set(userId, left);
    };
  };
}
