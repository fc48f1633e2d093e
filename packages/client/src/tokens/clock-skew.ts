import { AuthzClientError } from "../errors.js";
import type { Clock } from "../transport/time.js";

/** How far this computer's clock is from the server's, when that is far enough to make proofs fail. */
export function clockSkewSeconds(date: string | undefined, clock: Clock): number | undefined {
  const server = Date.parse(date ?? "");
  if (Number.isNaN(server)) return undefined;
  const skew = Math.round((clock() - server) / 1000);
  return skew > 3 || skew < -50 ? skew : undefined;
}

/** The error for a clock that makes every proof look old, or not yet made. */
export function clockSkew(endpoint: string, skew: number): AuthzClientError {
  const amount = `${String(Math.abs(skew))} seconds ${skew > 0 ? "ahead" : "behind"}`;
  return new AuthzClientError("clock_skew", {
    what: `${endpoint} refused the proof of this device.`,
    why: `The clock of this computer is ${amount} of the server's.`,
  });
}
