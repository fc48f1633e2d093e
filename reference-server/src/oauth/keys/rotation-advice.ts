import type { SigningKeyRecord } from "../../store/signing-keys.js";
import { activatableFrom } from "./rotate-keys.js";

/** A key that has signed for longer is overdue. Long enough to be rare, short enough that people know how it is done. */
export const rotationDays = 180;
/** How long before that the next key is asked for. */
const noticeDays = 30;

export type RotationAdvice =
  | "stage_next"
  | "activate_when_ready"
  | "activate_now"
  | "activates_itself"
  | "rotation_overdue";

/** Whole days since a key began to sign; `null` for one that never did. */
export function keyAgeDays({ activatedAt }: Pick<SigningKeyRecord, "activatedAt">, now: Date): number | null {
  return activatedAt && Math.floor((now.getTime() - activatedAt.getTime()) / 86_400_000);
}

/** What to do about a key now, if anything. */
export function adviseOnKey(
  key: SigningKeyRecord,
  { keys, now }: { readonly keys: readonly SigningKeyRecord[]; readonly now: Date },
): RotationAdvice | undefined {
  if (key.state === "retired") return undefined;
  if (key.state === "staged") {
    if (key.activatesAt) return "activates_itself";
    return activatableFrom(key) > now ? "activate_when_ready" : "activate_now";
  }
  const age = keyAgeDays(key, now) ?? 0;
  if (age >= rotationDays) return "rotation_overdue";
  const isNextThere = keys.some(({ state }) => state === "staged");
  return age >= rotationDays - noticeDays && !isNextThere ? "stage_next" : undefined;
}
