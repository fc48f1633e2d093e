/** One statement that removed something. */
export interface Step {
  /** Rows that it was allowed to remove. */
  readonly limit: number;
  readonly milliseconds: number;
}

/** How long a statement should take: so little that nobody behind it notices. */
const stepMilliseconds = 40;
/** Of four parts of time, three are left to everybody else. */
const restShare = 3;
const longestRestMilliseconds = 2_000;
/** Below this a statement costs what it costs, and what expires has to go in the end. */
const fewestRows = 200;
const mostRows = 1_000;

export const firstLimit = fewestRows;

/** How many rows the next statement may remove: as many as fit its time, and never more than twice as many as before. */
export function nextLimit({ limit, milliseconds }: Step): number {
  const fitting = Math.floor((limit * stepMilliseconds) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, fewestRows), 2 * limit, mostRows);
}

/** How long to do nothing after a statement. A database that is slow is busy: it is left alone for longer. */
export function restAfter({ milliseconds }: Step): number {
  return Math.min(milliseconds * restShare, longestRestMilliseconds);
}
