/** Returns the time in milliseconds since 1970, as `Date.now` does. */
export type Clock = () => number;

/** The default clock. Looks `Date` up at each call, because test frameworks replace it. */
export const systemClock: Clock = () => Date.now();

/** Whole seconds since 1970, the unit of every claim. */
export function nowInSeconds(clock: Clock): number {
  return Math.floor(clock() / 1000);
}
