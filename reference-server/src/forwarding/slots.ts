import { createSemaphores } from "../platform/semaphores.js";
import { refusals } from "./refusals.js";

/** Concurrent forwarded requests. */
export interface SlotLimits {
  /** Of one person, to all destinations. */
  readonly perPerson: number;
  /** In this process. */
  readonly total: number;
}

/** Half of the load limit of a process (`platform/http/load-shedding.ts`), so that people can always sign in. */
const defaultSlotLimits: SlotLimits = { perPerson: 64, total: 250 };

/** Takes a slot; the result gives it back. @throws {UseRefusal} */
export type TakeSlot = (userId: string) => () => void;

/** Creates the slots, so that slow requests of one person never block everyone else. */
export function createSlots({ perPerson, total }: SlotLimits = defaultSlotLimits): TakeSlot {
  const [ofPerson, ofProcess] = [createSemaphores(perPerson), createSemaphores(total)];
  return (userId) => {
    const releasePerson = ofPerson(userId);
    if (releasePerson === undefined) throw refusals.tooManyAtOnce(perPerson);
    const releaseProcess = ofProcess("");
    if (releaseProcess === undefined) {
      releasePerson();
      throw refusals.overloaded();
    }
    return () => {
      releasePerson();
      releaseProcess();
    };
  };
}
