import type { Logger } from "pino";
import { recordAudit } from "../../audit/record.js";
import type { EndCause } from "../cause.js";
import { pausePerson, resumePerson } from "../pause-person.js";
import { groupsOf, storeClaimedGroups } from "../../sign-in/claimed-groups.js";
import type { Confirmation } from "../../sign-in/confirm-person.js";
import {
  decideIdentity,
  type ProviderClaims,
  type ProvidedIdentity,
  SignInError,
} from "../../sign-in/identity.js";
import { hasGroupOverage } from "../../protocol/group-names.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { AwayReason, Presence } from "../../store/presences.js";
import type { Store } from "../../store/store.js";
import { canAsk, isWave, pausedAt, waveSeconds } from "./decide.js";

/** One exchange with a provider that this process alone may make. */
export interface LeasedPresence {
  readonly presence: Presence;
  readonly lease: string;
  readonly provider: IdentityProvider;
  readonly at: Date;
}

interface SettleOptions {
  readonly store: Pick<Store, "transaction">;
  readonly log: Logger;
}

/** Why people are paused, as their row and the audit trail name it. */
const pauseEvents = {
  refused: "presence_refused",
  unanswered: "presence_unanswered",
  signInDue: "sign_in_due",
} as const;

/** Pause before a provider that gave no answer is asked again. */
const retrySeconds = 300;

/** The kinds of answers, for the metric. */
export type AnswerKind = "confirmed" | "refused" | "failed" | "lost";

/**
 * Stores what an answer means for the person, in one transaction.
 *
 * @param sealed - the refresh token that follows; `null`: the same one stays
 * @returns `stored: false`: the lease was taken away, as when the person was ended or signed in meanwhile; nothing is changed then
 */
export async function settleAnswer(
  { answer, sealed }: { readonly answer: Confirmation; readonly sealed: Buffer | null },
  leased: LeasedPresence,
  options: SettleOptions,
): Promise<{ readonly stored: boolean; readonly kind: AnswerKind }> {
  if (answer.kind === "refused") return await refuse({ error: answer.error, sealed }, leased, options);
  if (answer.kind === "failed") {
    const { reason, isLost, detail } = answer;
    const stored = await storeFailure(
      { reason, detail, refreshToken: sealed ?? (isLost ? null : undefined) },
      leased,
      options,
    );
    return { stored, kind: isLost ? "lost" : "failed" };
  }
  const { claims } = answer;
  const identity = claims && decide(claims, leased.provider);
  if (typeof identity === "string") return await refuse({ error: identity, sealed }, leased, options);
  return await confirm({ claims, identity, sealed }, leased, options);
}

/** The identity that a sign-in with these claims would accept, or why it would not. */
function decide(claims: ProviderClaims, provider: IdentityProvider): ProvidedIdentity | string {
  try {
    return decideIdentity(claims, provider);
  } catch (error) {
    if (error instanceof SignInError) return error.reason;
    throw error;
  }
}

async function confirm(
  {
    claims,
    identity,
    sealed,
  }: {
    readonly claims: ProviderClaims | undefined;
    readonly identity: ProvidedIdentity | undefined;
    readonly sealed: Buffer | null;
  },
  leased: LeasedPresence,
  options: SettleOptions,
): Promise<{ readonly stored: boolean; readonly kind: AnswerKind }> {
  const { presence, lease, provider, at } = leased;
  const { userId } = presence;
  const outcome = await options.store.transaction(async (tx) => {
    if (identity !== undefined && !(await storeIdentity(identity, leased, tx))) return "other" as const;
    if (!(await tx.presences.confirm({ userId, lease, refreshToken: sealed, at }))) return "lost" as const;
    if (claims !== undefined) await storeGroups(claims, leased, tx);
    await resumePerson(userId, causeOf(pauseEvents.unanswered, leased), workOf(leased, tx));
    const wavesBefore = new Date(at.getTime() - waveSeconds * 1000);
    const ended = await tx.presences.endAlarm({ providerId: provider.id, wavesBefore });
    if (ended !== undefined) await recordAlarm("presence.alarm_ended", ended.reason, leased, tx);
    return "stored" as const;
  });
  // The provider gave the address to an account that is disabled here: a sign-in would end there, too.
  if (outcome === "other") return await refuse({ error: "user_disabled", sealed }, leased, options);
  return { stored: outcome === "stored", kind: "confirmed" };
}

/** Stores name and address as a sign-in would. Returns `false` when that would have been refused. */
async function storeIdentity(
  { subject, email, name }: ProvidedIdentity,
  { presence, provider, at }: LeasedPresence,
  tx: Store,
): Promise<boolean> {
  const account = { providerId: provider.id, subject, email, ...(name !== undefined && { name }), at };
  const changed = await tx.users.confirm(account, presence.userId);
  if (changed === undefined) return false;
  if (changed.length === 0) return true;
  await recordAudit(tx, {
    type: "presence.identity_changed",
    outcome: "success",
    actor: { type: "system" },
    at,
    subject: presence.userId,
    data: { provider: provider.key, fields: changed },
  });
  return true;
}

/** A claim that is absent keeps the groups; the provider says so when there are too many for it. */
async function storeGroups(
  claims: ProviderClaims,
  { presence: { userId }, provider, at: now }: LeasedPresence,
  store: Store,
): Promise<void> {
  if (claims.groups === undefined && !hasGroupOverage(claims)) return;
  const groupProvider = await store.groupProviders.findByIdentityProvider(provider.id);
  if (groupProvider?.enabled !== true || !(await store.groupProviders.hold(groupProvider.id))) return;
  const claimed = { groupProvider, groups: groupsOf(claims) };
  await storeClaimedGroups(claimed, { userId, requestId: undefined, store, now });
}

/** The provider, or what it says of the person, refuses them: they are paused, unless it refuses too many at once. */
async function refuse(
  { error, sealed }: { readonly error: string; readonly sealed: Buffer | null },
  leased: LeasedPresence,
  { store, log }: SettleOptions,
): Promise<{ readonly stored: boolean; readonly kind: AnswerKind }> {
  const { presence, lease, provider, at } = leased;
  const { userId } = presence;
  const { id: providerId, key } = provider;
  const since = new Date(at.getTime() - waveSeconds * 1000);
  const result = await store.transaction(async (tx) => {
    await tx.presences.lockProvider(providerId);
    const released = { userId, lease, dueAt: null, refused: true, now: at };
    if (!(await tx.presences.release({ ...released, refreshToken: sealed ?? undefined }))) return undefined;
    const counts = await tx.presences.countAnswers({ providerId, since });
    if (!isWave(counts)) {
      const paused = await pausePerson(userId, causeOf(pauseEvents.refused, leased), workOf(leased, tx));
      // The administrator whom no provider can pause is asked about no more before the next sign-in.
      return paused ? { kind: "paused" as const, ...counts } : { kind: "exempt" as const, ...counts };
    }
    // Only those who were paused before it was a wave, so that the work does not grow with its square.
    const wronged = await tx.presences.listRefused({ providerId, since, pauseReason: pauseEvents.refused });
    for (const refused of new Set([...wronged, userId])) {
      await resumePerson(refused, causeOf(pauseEvents.refused, leased), workOf(leased, tx));
      await stayAway({ userId: refused, reason: "refused_wave" }, leased, tx);
    }
    await raiseAlarm("refused_wave", leased, tx);
    return { kind: "wave" as const, ...counts };
  });
  if (result?.kind === "paused")
    log.info(
      { code: "PERSON_PAUSED", provider: key, userId, error },
      "A provider no longer confirms a person, who is paused until the next sign-in.",
    );
  if (result?.kind === "wave") {
    const { asked, refused } = result;
    log.error(
      { code: "PRESENCE_REFUSALS", provider: key, asked, refused, error },
      "A provider refuses so many people at once that its answers do not count. Nobody is paused because of them for the time of grace.",
    );
  }
  return { stored: result !== undefined, kind: "refused" };
}

async function storeFailure(
  {
    reason,
    detail,
    refreshToken,
  }: {
    readonly reason: Extract<Confirmation, { kind: "failed" }>["reason"];
    readonly detail: string;
    readonly refreshToken: Buffer | null | undefined;
  },
  leased: LeasedPresence,
  { store, log }: SettleOptions,
): Promise<boolean> {
  const { presence, lease, provider, at } = leased;
  const { userId } = presence;
  const isLost = refreshToken === null;
  const result = await store.transaction(async (tx) => {
    const released = { userId, lease, dueAt: at, refused: false, refreshToken, now: at };
    if (!(await tx.presences.release(released))) return undefined;
    await stayAway({ userId, reason: isLost ? "answer_lost" : reason }, leased, tx);
    return { isNew: await raiseAlarm(reason, leased, tx) };
  });
  const fields = { provider: provider.key, userId, reason, detail, lost: isLost };
  const isOurs = reason === "client_refused" || reason === "scope_refused";
  if (isOurs && result?.isNew === true) {
    log.error(
      { code: "PRESENCE_CLIENT_REFUSED", ...fields },
      "A provider does not accept this server's client when it is asked about people. Test the sign-in in the console.",
    );
  } else {
    log.warn(
      { code: "PRESENCE_UNANSWERED", ...fields },
      "A provider gave no answer that counts about a person.",
    );
  }
  return result !== undefined;
}

/**
 * Stores that there is no answer that counts. The person goes on for the time of grace, and is paused then; a provider that can still be
 * asked is asked again before.
 */
export async function stayAway(
  { userId, reason }: { readonly userId: string; readonly reason: AwayReason },
  leased: Pick<LeasedPresence, "provider" | "at">,
  tx: Store,
): Promise<void> {
  const { provider, at } = leased;
  const isNew = await tx.presences.markAway({ userId, reason, dueAt: at, now: at });
  const state = await tx.presences.find(userId);
  const until = state && pausedAt(state);
  if (state === undefined || until === undefined || until === null) return;
  const retryAt = canAsk(state) ? new Date(at.getTime() + retrySeconds * 1000) : null;
  if (until <= at) {
    await tx.presences.makeDue(userId, retryAt);
    await pausePerson(userId, causeOf(pauseEvents.unanswered, leased), workOf(leased, tx));
    return;
  }
  await tx.presences.makeDue(userId, retryAt !== null && retryAt < until ? retryAt : until);
  if (!isNew) return;
  await recordAudit(tx, {
    type: "presence.unanswered",
    outcome: "failed",
    actor: { type: "system" },
    at,
    subject: userId,
    data: { provider: provider.key, reason, until: until.toISOString() },
  });
}

/** Pauses a person whose latest sign-in is too long ago. */
export async function demandSignIn(
  userId: string,
  leased: Pick<LeasedPresence, "provider" | "at">,
  tx: Store,
): Promise<void> {
  await tx.presences.makeDue(userId, null);
  await pausePerson(userId, causeOf(pauseEvents.signInDue, leased), workOf(leased, tx));
}

/** Raises the alarm of the provider, with an event and, where somebody has to act, a notification for the first failure. */
async function raiseAlarm(reason: AwayReason, leased: LeasedPresence, tx: Store): Promise<boolean> {
  const { provider, at } = leased;
  if (!(await tx.presences.raiseAlarm({ providerId: provider.id, reason, at }))) return false;
  await recordAlarm("presence.alarm_raised", reason, leased, tx);
  if (reason !== "provider_unreachable" && reason !== "invalid_response")
    await tx.notifications.record([{ type: "presence.alarm_raised", provider: provider.key, reason }]);
  return true;
}

async function recordAlarm(
  type: "presence.alarm_raised" | "presence.alarm_ended",
  reason: AwayReason,
  { provider, at }: LeasedPresence,
  tx: Store,
): Promise<void> {
  await recordAudit(tx, {
    type,
    outcome: type === "presence.alarm_ended" ? "success" : "failed",
    actor: { type: "system" },
    at,
    data: { provider: provider.key, reason },
  });
}

function causeOf(event: string, { provider }: Pick<LeasedPresence, "provider">): EndCause {
  return { by: "presence", provider: provider.key, event };
}

function workOf({ at }: Pick<LeasedPresence, "at">, store: Store) {
  return { store, actor: { type: "system" }, at } as const;
}
