import { randomUUID } from "node:crypto";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault } from "../platform/vault/vault.js";
import { OAuthError } from "../protocol/oauth-error.js";
import type { ClaimedStream, SignalStream } from "../store/signal-streams.js";
import { receiveSignal } from "./receive-signal.js";
import type { SignalContext } from "./signal-context.js";
import { SignalError } from "./signal-error.js";
import { openToken } from "./stream-token.js";
import {
  type PollRequest,
  pollTransmitter,
  type TransmitterClient,
  TransmitterError,
} from "./transmitter.js";

/** Interval of looking for streams that are due. */
const lookSeconds = 1;
/** From the end of one poll of a stream to the next. */
const pollSeconds = 5;
/** The longest while polls fail. Until then it is as long as they have failed, so that each wait is about twice the one before. */
const maxFailingSeconds = 300;
/** Streams that one process polls at a time. */
const mostStreams = 8;
/** Events per answer, and answers per poll: a transmitter that always has more is polled again like every other one. */
const mostEvents = 50;
const mostRounds = 20;
/** A poll begins no further round after this time, and its stream is another process's after the lease. */
const workSeconds = 30;
const leaseSeconds = 120;

export interface PollContext extends SignalContext {
  readonly credentials: Vault;
  readonly client: TransmitterClient;
}

/** Creates the loop that polls transmitters (RFC 8936). Each stream is polled by one process at a time. */
export function createPollLoop(context: PollContext): Loop {
  return createLoop({
    everySeconds: lookSeconds,
    work: (signal) => pollDueStreams(context, signal),
    onError: logFailures(context.log, {
      code: "SIGNAL_STREAMS_NOT_POLLED",
      message: "Streams of security events could not be polled; trying again.",
    }),
  });
}

/** Polls the streams that are due. */
export async function pollDueStreams(
  context: PollContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const now = context.clock();
  const leaseUntil = new Date(now + leaseSeconds * 1000);
  const due = { now: new Date(now), leaseUntil, limit: mostStreams };
  const claimed = await context.store.signalStreams.claimDue(due);
  await Promise.all(claimed.map((one) => pollClaimed(one, context, signal)));
}

async function pollClaimed(claimed: ClaimedStream, context: PollContext, signal: AbortSignal): Promise<void> {
  const { stream, failingSince } = claimed;
  const { store, clock, log } = context;
  let failure: string | null = null;
  try {
    await pollStream(stream, context, signal);
  } catch (error) {
    failure = failureCode(error);
  }
  const at = new Date(clock());
  const since = failure === null ? null : (failingSince ?? at);
  const failingMs = at.getTime() - (since ?? at).getTime();
  const dueAt = new Date(
    at.getTime() + Math.min(Math.max(failingMs, pollSeconds * 1000), maxFailingSeconds * 1000),
  );
  await store.signalStreams.release(claimed, { dueAt, failure, failingSince: since });
  if (failure !== null && failingSince === null)
    log.warn(
      { code: "SIGNAL_STREAM_FAILING", stream: stream.key, reason: failure },
      "A transmitter of security events cannot be polled; trying again, less and less often.",
    );
  if (failure === null && failingSince !== null)
    log.info({ stream: stream.key }, "A transmitter of security events can be polled again.");
}

/** Why a poll failed, as a code. Throws a failure of this server again: the lease ends, and the stream is polled then. */
function failureCode(error: unknown): string {
  if (error instanceof TransmitterError) return error.problem;
  if (error instanceof OAuthError) return "keys";
  if (error instanceof VaultError) return "token_unreadable";
  throw error;
}

/** Asks for events until there are none. What was received is acknowledged with the next request: after its commit. */
async function pollStream(stream: SignalStream, context: PollContext, signal: AbortSignal): Promise<void> {
  const { clock, credentials, client } = context;
  const token = await openToken(stream, credentials);
  if (stream.pollUrl === null || token === undefined) return;
  const { pollUrl } = stream;
  const send = async (request: PollRequest) => await pollTransmitter(pollUrl, request, { token, client });
  const until = clock() + workSeconds * 1000;
  let done = none;
  try {
    for (let round = 0; round < mostRounds && clock() < until && !signal.aborted; round += 1) {
      const { sets, moreAvailable } = await send({ ...done, maxEvents: mostEvents });
      done = none;
      for (const [tokenId, set] of sets) {
        done = withReceipt(done, tokenId, await receiveOne(set, { tokenId, stream, context }));
      }
      if (sets.length === 0 || !moreAvailable) break;
    }
  } finally {
    if (done !== none) await send({ ...done, maxEvents: 0 });
  }
}

type Receipts = Omit<PollRequest, "maxEvents">;
type Refused = Receipts["setErrs"][string];

const none: Receipts = { ack: [], setErrs: {} };

function withReceipt({ ack, setErrs }: Receipts, tokenId: string, refused: Refused | undefined): Receipts {
  return refused === undefined
    ? { ack: [...ack, tokenId], setErrs }
    : { ack, setErrs: { ...setErrs, [tokenId]: refused } };
}

/** Receives one event. Returns what the transmitter is told, if it is refused. */
async function receiveOne(
  set: string,
  {
    tokenId,
    stream,
    context,
  }: { readonly tokenId: string; readonly stream: SignalStream; readonly context: PollContext },
): Promise<Refused | undefined> {
  try {
    await receiveSignal(set, stream, {
      context,
      requestId: randomUUID(),
      from: `stream ${stream.key}`,
      tokenId,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof SignalError)) throw error;
    return { err: error.code, description: error.message };
  }
}
