import { sha256Base64url } from "@authz/dpop/jws";
import { recordAudit } from "../audit/record.js";
import { isExempt } from "../lifecycle/cause.js";
import { endPerson } from "../lifecycle/end-person.js";
import { endProviderSessions } from "../lifecycle/end-provider-sessions.js";
import { pausePerson } from "../lifecycle/pause-person.js";
import { hashSecret } from "../protocol/secrets.js";
import { isAllowedAddress } from "../sign-in/identity.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { SignalOutcome, SignalStream } from "../store/signal-streams.js";
import type { Store } from "../store/store.js";
import type { SignalEvent } from "./events.js";
import { reachOf, verifyToken } from "./provider-token.js";
import { readSecurityEvent, type SecurityEvent } from "./security-event.js";
import type { Receipt } from "./signal-context.js";
import { SignalError } from "./signal-error.js";
import type { EventSubject, SignalSubject } from "./subject.js";

type PersonEvent = Extract<SignalEvent, { kind: "person" }>;

/** What an event about a person has changed. */
type SignalEffect =
  | "sessions_ended"
  | "paused"
  | "ended"
  | "presence_checked"
  | "nothing"
  /** The person is the break-glass administrator, whom no provider can end. */
  | "exempt";

/**
 * Receives one security event token, pushed or polled: it is checked, counted and acted upon here.
 *
 * What the event changes, that it was received, and its record are one transaction, so an acknowledgement can follow.
 *
 * @throws {SignalError} Nothing was changed, and the transmitter learns why.
 * @throws {OAuthError} `temporarily_unavailable`: the transmitter's keys cannot be fetched. It sends again.
 */
export async function receiveSignal(
  token: string,
  stream: SignalStream,
  receipt: Receipt,
): Promise<SignalOutcome> {
  const { clock, receipts } = receipt.context;
  try {
    const { outcome, issuedAt } = await receive(token, stream, receipt);
    receipts.count(stream.id, { outcome, at: new Date(clock()), issuedAt });
    return outcome;
  } catch (error) {
    if (error instanceof SignalError) await recordSignalRefusal(error, stream, receipt);
    throw error;
  }
}

/** Counts and records that a stream sent something that is refused. */
export async function recordSignalRefusal(
  { reason }: SignalError,
  stream: SignalStream,
  { context, requestId, from }: Receipt,
): Promise<void> {
  const at = new Date(context.clock());
  context.receipts.count(stream.id, { outcome: "refused", at, reason });
  await context.refusals.from(from).record(context.store, {
    type: "signal.refused",
    outcome: "denied",
    actor: { type: "system" },
    at,
    requestId,
    data: { stream: stream.key, reason: `signal_${reason}` },
  });
}

async function receive(
  token: string,
  stream: SignalStream,
  receipt: Receipt,
): Promise<{ readonly outcome: SignalOutcome; readonly issuedAt: Date }> {
  const { store, providerKeys, clock } = receipt.context;
  const now = new Date(clock());
  const event = readSecurityEvent(token, { stream, now });
  if (receipt.tokenId !== undefined && receipt.tokenId !== event.tokenId) throw new SignalError("id");
  const { id, transmitter: issuer, configurationUrl: discoveryUrl } = stream;
  await verifyToken(event, { id, issuer, discoveryUrl }, providerKeys);
  const { said, issuedAt } = event;
  switch (said.kind) {
    case "person":
      return { outcome: await receiveAboutPerson({ event, said, stream, now }, receipt), issuedAt };
    case "verification": {
      const { state } = said;
      if (
        state !== undefined &&
        !(await store.signalStreams.verify(id, { hash: hashSecret(state), at: now }))
      )
        throw new SignalError("state");
      return { outcome: "without_effect", issuedAt };
    }
    case "stream_updated":
      await store.signalStreams.setStatus(id, said.status);
      return { outcome: "without_effect", issuedAt };
    case "unknown":
      break;
  }
  return { outcome: "unknown_event", issuedAt };
}

/** An event about a person, and what is needed to act on it. */
interface PersonSignal {
  readonly event: SecurityEvent;
  readonly said: PersonEvent;
  readonly stream: SignalStream;
  readonly now: Date;
}

async function receiveAboutPerson(signal: PersonSignal, receipt: Receipt): Promise<SignalOutcome> {
  const { event, stream, now } = signal;
  const { context } = receipt;
  const { store } = context;
  const goodUntil = event.issuedAt.getTime() + stream.maxAgeSeconds * 1000;
  if (goodUntil <= now.getTime()) return "stale";
  const provider = await store.identityProviders.find(stream.identityProviderId);
  const target = provider && (await findTarget(event.subject, { provider, stream, store }));
  if (provider === undefined || target === undefined) {
    await recordUnknownSubject(signal, receipt);
    return "unknown_subject";
  }
  const record = (effect: SignalEffect) => signalRecord({ ...signal, target, effect }, receipt);
  const effect = await store.transaction(async (tx) => {
    const key = `signal ${stream.id} ${sha256Base64url(event.tokenId)}`;
    if (!(await tx.dpopReplays.consume({ key, expiresAt: goodUntil / 1000 }))) return undefined;
    const done = await act(signal, { target, provider, store: tx, receipt });
    if (changes.has(done)) await recordAudit(tx, record(done));
    return done;
  });
  if (effect === undefined) return "repeated";
  // What a transmitter could repeat without end is recorded up to a limit, and then counted.
  if (!changes.has(effect)) await context.refusals.from(receipt.from).record(store, record(effect));
  return changes.has(effect) ? "acted" : "without_effect";
}

/** Whom an event is about: a person, a session of the provider, or a session of a person. */
interface SignalTarget {
  readonly userId: string | undefined;
  readonly sid: string | undefined;
}

interface FindTarget {
  readonly provider: IdentityProvider;
  readonly stream: SignalStream;
  readonly store: Pick<Store, "users" | "browserSessions">;
}

async function findTarget(
  { user, session: sid }: EventSubject,
  finding: FindTarget,
): Promise<SignalTarget | undefined> {
  const { provider, store } = finding;
  const bySession =
    sid === undefined ? undefined : await store.browserSessions.findUserOf({ providerId: provider.id, sid });
  if (user === undefined) return bySession === undefined ? undefined : { userId: bySession, sid };
  const userId = await findUser(user, finding);
  if (userId === undefined) return undefined;
  // A session that is not known here may be any of the person's.
  return { userId, sid: bySession === userId ? sid : undefined };
}

/** The person whose account at the provider this is. Nobody else: a provider speaks of its own accounts only. */
async function findUser(
  subject: SignalSubject,
  { provider, stream, store }: FindTarget,
): Promise<string | undefined> {
  const find = async (account: { readonly subject: string | null; readonly email: string | null }) =>
    (await store.users.findAccount({ providerId: provider.id, ...account }))?.id;
  switch (subject.format) {
    case "iss_sub":
      if (subject.issuer !== provider.issuer) return undefined;
      return await find({ subject: subject.subject, email: null });
    case "email":
      if (!isAllowedAddress(subject.email, provider)) return undefined;
      return await find({ subject: null, email: subject.email });
    case "opaque":
      return stream.opaqueSubjects === "sub" ? await find({ subject: subject.id, email: null }) : undefined;
    case "other":
      break;
  }
  return undefined;
}

async function act(
  { event: { occurredAt }, said, now: at }: PersonSignal,
  {
    target: { userId, sid },
    provider,
    store,
    receipt: { context, requestId },
  }: {
    readonly target: SignalTarget;
    readonly provider: IdentityProvider;
    readonly store: Store;
    readonly receipt: Receipt;
  },
): Promise<SignalEffect> {
  const { id: providerId, logoutEndsApps: apps = false } = provider;
  const until = reachOf(occurredAt);
  const work = { store, actor: { type: "system" }, at, requestId } as const;
  const cause = { by: "signal", provider: provider.key, event: said.name } as const;
  if (userId === undefined) return "nothing";
  if (await isExempt(userId, cause, store)) return "exempt";
  switch (said.action) {
    case "end_sessions": {
      const options = { apps, cause, ...(sid === undefined && { until }) };
      const ended = await endProviderSessions({ providerId, userId, sid }, options, work);
      return Object.values(ended).some((count) => Number(count) > 0) ? "sessions_ended" : "nothing";
    }
    case "pause":
      // A sign-in resumes what is paused, and this one came after the event.
      if (await store.browserSessions.beganSince({ providerId, userId, since: until })) return "nothing";
      return (await pausePerson(userId, cause, work)) ? "paused" : "nothing";
    case "end":
      return (await endPerson(userId, cause, work)) === undefined ? "nothing" : "ended";
    case "check_presence":
      return (await context.makePresenceDue(userId, { store, at })) ? "presence_checked" : "nothing";
    case "record":
      break;
  }
  return "nothing";
}

/** Effects that are always events of their own. */
const changes: ReadonlySet<SignalEffect> = new Set(["sessions_ended", "paused", "ended", "presence_checked"]);

function signalRecord(
  {
    event: { issuedAt, transaction },
    said: { name, newValue },
    stream,
    now,
    target: { userId },
    effect,
  }: PersonSignal & { readonly target: SignalTarget; readonly effect: SignalEffect },
  { requestId }: Receipt,
) {
  return {
    type: "signal.received",
    outcome: "success",
    actor: { type: "system" },
    at: now,
    ...(userId !== undefined && { subject: userId }),
    requestId,
    data: {
      stream: stream.key,
      event: name,
      effect,
      issuedAt: issuedAt.toISOString(),
      ...(transaction !== undefined && { transaction }),
      ...(newValue !== undefined && { newValue }),
    },
  } as const;
}

async function recordUnknownSubject(
  { event: { subject }, said: { name }, stream, now }: PersonSignal,
  { context, requestId, from }: Receipt,
): Promise<void> {
  await context.refusals.from(from).record(context.store, {
    type: "signal.unknown_subject",
    outcome: "failed",
    actor: { type: "system" },
    at: now,
    requestId,
    // Never the identifier: it may be of a person who is no user here.
    data: { stream: stream.key, event: name, format: subject.user?.format ?? "session" },
  });
}
