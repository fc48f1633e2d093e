import type { AwayReason, PresenceState } from "../../store/presences.js";

/** What to do about a person now. */
export type Step =
  /** Nothing is due. */
  | { readonly kind: "none" }
  /** Another caller uses the refresh token, and will store the answer. */
  | { readonly kind: "wait" }
  /** A process took the lease and never returned: the refresh token may be used up. */
  | { readonly kind: "forget" }
  | { readonly kind: "ask" }
  /** The provider cannot be asked. */
  | { readonly kind: "away"; readonly reason: AwayReason }
  /** A new sign-in is demanded. */
  | { readonly kind: "sign-in" };

/** Decides what to do about a person now. Pure. */
export function decideStep(state: PresenceState, now: Date): Step {
  const { dueAt, signInDueAt, lease, leaseUntil, asks, reason } = state;
  if (dueAt === null || dueAt > now) return { kind: "none" };
  if (signInDueAt !== null && signInDueAt <= now) return { kind: "sign-in" };
  if (!asks) return { kind: "none" };
  if (lease !== null && leaseUntil !== null) return { kind: leaseUntil > now ? "wait" : "forget" };
  if (canAsk(state)) return { kind: "ask" };
  return { kind: "away", reason: reason ?? "no_refresh_token" };
}

/** Whether there is a refresh token to ask with. */
export function canAsk({ refreshToken, ending }: Pick<PresenceState, "refreshToken" | "ending">): boolean {
  return refreshToken !== null && !ending;
}

/** When a person without an answer is paused. */
export function pausedAt({
  awaySince,
  graceSeconds,
}: Pick<PresenceState, "awaySince" | "graceSeconds">): Date | null {
  return awaySince === null ? null : new Date(awaySince.getTime() + graceSeconds * 1000);
}

/** How far back refusals count together. */
export const waveSeconds = 600;
/** As many may leave, or change their password, in that time. */
const fewPeople = 5;
const fewShare = 0.1;

/** Whether so many are refused at once that the provider, or this server's client there, is at fault. Pure. */
export function isWave({ asked, refused }: { readonly asked: number; readonly refused: number }): boolean {
  return refused > Math.max(fewPeople, fewShare * asked);
}
