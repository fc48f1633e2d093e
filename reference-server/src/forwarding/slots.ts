import { refusals } from "./refusals.js";

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
    if (own >= perPerson) throw refusals.tooManyAtOnce(perPerson);
    if (all >= total) throw refusals.overloaded();
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
