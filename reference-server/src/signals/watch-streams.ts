import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import { VaultError } from "../platform/vault/key-ring.js";
import type { ListedSignalStream } from "../store/signal-streams.js";
import type { OpenStore } from "../store/store.js";
import type { PollContext } from "./poll-streams.js";
import { verifyStream } from "./request-verification.js";
import { failureOf, healthOf, needsHeartbeat } from "./stream-health.js";
import { openManagedStream } from "./stream-token.js";
import { TransmitterError } from "./transmitter.js";

const everySeconds = 60;

export interface WatchContext extends PollContext {
  readonly store: OpenStore;
}

/** Creates the loop that tells administrators of streams that fail or fall silent. */
export function createStreamWatch(context: WatchContext): Loop {
  return createLoop({
    everySeconds,
    work: () => watchStreams(context),
    onError: logFailures(context.log, {
      code: "SIGNAL_STREAMS_NOT_WATCHED",
      message: "The streams of security events could not be looked at; trying again.",
    }),
  });
}

/** Requests the verification events that are due, and reports streams that fail or are silent. One process does so at a time. */
export async function watchStreams(context: WatchContext): Promise<void> {
  const { store } = context;
  await store.exclusively("signal streams", async () => {
    for (const stream of await store.signalStreams.listAll()) {
      const now = new Date(context.clock());
      if (needsHeartbeat(stream, now)) await requestHeartbeat(stream, context, now);
      await reportHealth(stream, context, now);
    }
  });
}

async function requestHeartbeat(
  stream: ListedSignalStream,
  { store, credentials, client, log }: WatchContext,
  at: Date,
): Promise<void> {
  try {
    const managed = await openManagedStream(stream, { credentials, client });
    // A transmitter need not offer verification. Then nothing but events shows that it works.
    if (managed?.metadata.verificationEndpoint === undefined) return;
    await verifyStream(stream, managed, { store, at });
  } catch (error) {
    if (!(error instanceof TransmitterError) && !(error instanceof VaultError)) throw error;
    log.warn(
      { code: "SIGNAL_STREAM_NOT_VERIFIED", stream: stream.key, reason: error.message },
      "A transmitter could not be asked for a verification event; trying again.",
    );
  }
}

async function reportHealth(
  stream: ListedSignalStream,
  { store, log }: WatchContext,
  now: Date,
): Promise<void> {
  const { id, key, name, reportedAt } = stream;
  const health = healthOf(stream, now);
  if (health !== "failing" && health !== "silent") {
    if (reportedAt !== null) await store.signalStreams.forgetReport(id);
    return;
  }
  const reported = await store.transaction(async (tx) => {
    if (!(await tx.signalStreams.markReported(id, now))) return false;
    await tx.notifications.record([{ type: "signal_stream.failing", stream: key, name, state: health }]);
    return true;
  });
  if (!reported) return;
  const reason = failureOf(stream, now) ?? health;
  log.warn(
    { code: "SIGNAL_STREAM_REPORTED", stream: key, reason },
    "A stream of security events fails or is silent: administrators are notified.",
  );
}
