import { minuteMs } from "../durations.js";

/** The counts of one key in the current minute and the one before. */
export interface Window {
  minute: number;
  /** The count of the minute before. */
  previous: number;
  /** The count of all processes in this minute, as of the last exchange. */
  shared: number;
  /** The count of this process since then. */
  pending: number;
  /** The count that this process is sending at this moment. */
  inFlight: number;
}

export function minuteOf(now: number): number {
  return Math.floor(now / minuteMs);
}

export function emptyWindow(minute: number): Window {
  return { minute, previous: 0, shared: 0, pending: 0, inFlight: 0 };
}

/**
 * Requests in the last sixty seconds: those of this minute, and a share of those of the minute before.
 */
export function usedOf(window: Window, now: number): number {
  return previousPart(window, now) + countOf(window);
}

export function previousPart({ minute, previous }: Window, now: number): number {
  const elapsed = Math.min(Math.max(now / minuteMs - minute, 0), 1);
  return previous * (1 - elapsed);
}

/** Whole seconds until one more request fits, at least 1. Assumes no other request until then. */
export function secondsUntilFree(window: Window, limit: number, now: number): number {
  const count = countOf(window);
  const minutes =
    count < limit
      ? window.minute + 1 - (limit - count - 1) / Math.max(window.previous, 1)
      : window.minute + 2 - (limit - 1) / count;
  return Math.max(Math.ceil((minutes * minuteMs - now) / 1000), 1);
}

export function countOf({ shared, pending, inFlight }: Window): number {
  return shared + pending + inFlight;
}
