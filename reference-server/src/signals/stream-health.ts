import type { ListedSignalStream } from "../store/signal-streams.js";
import { hourMs, minuteMs } from "../platform/durations.js";

/**
 * How a stream does. `waiting`: nothing has come yet. `silent`: nothing has come for long. `paused`: here, or at the transmitter.
 */
export type StreamHealth = "working" | "waiting" | "silent" | "failing" | "paused";

export const streamHealths: readonly StreamHealth[] = ["working", "waiting", "silent", "failing", "paused"];

/** Time that a requested verification event may take. */
const verificationMs = 10 * minuteMs;

/** Interval of the verification events that this server requests by itself. */
const heartbeatMs = 24 * hourMs;

/** Longest time without any event: of a stream with daily verification events, and of one whose transmitter cannot be asked. */
const silenceMs = { verified: 2 * heartbeatMs, unverified: 30 * heartbeatMs } as const;

type Observed = Omit<ListedSignalStream, "counts" | "provider">;

/** Decides how a stream does. Pure. */
export function healthOf(stream: Observed, now: Date): StreamHealth {
  if (!stream.enabled || stream.transmitterStatus !== "enabled") return "paused";
  if (failureOf(stream, now) !== null) return "failing";
  const { lastReceivedAt, createdAt, token } = stream;
  const limit = token === null ? silenceMs.unverified : silenceMs.verified;
  if (now.getTime() - (lastReceivedAt ?? createdAt).getTime() > limit) return "silent";
  return lastReceivedAt === null ? "waiting" : "working";
}

/** Why a stream fails, as a code; `null`: it does not. */
export function failureOf(stream: Observed, now: Date): string | null {
  const { failure, verificationRequestedAt: requestedAt, verifiedAt } = stream;
  if (failure !== null) return failure;
  if (requestedAt === null || now.getTime() - requestedAt.getTime() < verificationMs) return null;
  return verifiedAt === null || verifiedAt < requestedAt ? "verification_missing" : null;
}

/** Whether it is time to ask the transmitter for a verification event. */
export function needsHeartbeat(stream: Observed, now: Date): boolean {
  const { enabled, token, transmitterStatus, verificationRequestedAt: requestedAt } = stream;
  if (!enabled || token === null || transmitterStatus !== "enabled") return false;
  return requestedAt === null || now.getTime() - requestedAt.getTime() >= heartbeatMs;
}

/** How many streams do how. */
export function countStreams(
  streams: readonly Observed[],
  now: Date,
): Readonly<Record<StreamHealth, number>> {
  const counts = { working: 0, waiting: 0, silent: 0, failing: 0, paused: 0 };
  for (const stream of streams) counts[healthOf(stream, now)] += 1;
  return counts;
}

/** Time from the last event of each stream to its receipt, by the stream's key. */
export function lagOf(streams: readonly Pick<ListedSignalStream, "key" | "lastLagSeconds">[]) {
  return Object.fromEntries(
    streams.flatMap(({ key, lastLagSeconds: lag }) => (lag === null ? [] : [[key, lag]])),
  );
}
