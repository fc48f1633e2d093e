import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { VaultError } from "../../platform/vault/key-ring.js";
import { presenceRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import { createSemaphores } from "../../platform/semaphores.js";
import { createSecret } from "../../protocol/secrets.js";
import type { Confirmation } from "../../sign-in/confirm-person.js";
import type { RelyingParty } from "../../sign-in/relying-party.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { Presence as StoredPresence, PresenceState } from "../../store/presences.js";
import type { Store } from "../../store/store.js";
import { decideStep, pausedAt } from "./decide.js";
import { type AnswerKind, demandSignIn, type LeasedPresence, settleAnswer, stayAway } from "./settle.js";

/**
 * The result of a check. `current`: nothing was due. `settled`: something was stored, so decide again. `unanswered`: the answer is not here
 * yet, and the person goes on. `overdue`: nor is it, and the time of grace is over.
 */
type PresenceResult = "current" | "settled" | "unanswered" | "overdue";

/** Whether people are still there, according to the provider of their latest sign-in. */
export interface Presence {
  /**
   * Asks the provider about a person if that is due, and waits for its answer, three seconds at most. The exchange is one at a time for each
   * person over all processes, and goes on when nobody waits any more.
   *
   * @param dueAt - as it was loaded with the person, in epoch seconds: what is not due costs nothing
   */
  check(userId: string, dueAt: number | null): Promise<PresenceResult>;
  /** By kind, since the start of this process. */
  answers(): Readonly<Record<AnswerKind, number>>;
  /** Waits for the exchanges under way: an answer that rotates a refresh token exists once. */
  close(): Promise<void>;
}

export interface PresenceOptions {
  readonly store: Store;
  readonly credentials: Vault;
  readonly relyingParty: Pick<RelyingParty, "confirm" | "revoke">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long an issuance waits for an answer. */
const maximumWaitSeconds = 3;
/** Between two looks for an answer that another process waits for, or for a free exchange; doubled each time, up to the longest. */
const pollMilliseconds = 50;
const longestPollMilliseconds = 400;
/** How long a killed process blocks the others: the longest exchange, with keys and userinfo, and some. */
const leaseSeconds = 45;
/** Exchanges of this process with one provider at a time. */
const maximumExchanges = 32;
/** Storing an answer is retried: the provider may have revoked the refresh token that it replaces. */
const storeAttempts = 5;
const storePauseMilliseconds = 500;

/** One for each process: requests of one process share an exchange. */
export function createPresence(options: PresenceOptions): Presence {
  const { store, clock, log } = options;
  const running = new Map<string, Promise<boolean>>();
  const acquire = createSemaphores(maximumExchanges);
  const counts: Record<AnswerKind, number> = { confirmed: 0, refused: 0, failed: 0, lost: 0 };

  /** Starts the exchange about a due person, or joins it; `undefined`: too many are under way. Resolves to whether anything was stored. */
  function begin(state: PresenceState): Promise<boolean> | undefined {
    const { userId, providerId } = state;
    const known = running.get(userId);
    if (known !== undefined) return known;
    const release = acquire(providerId);
    if (release === undefined) return undefined;
    // Before anything is awaited, so that two requests never both begin.
    const exchange = askOnce(state, options)
      .then((kind) => {
        if (kind !== undefined) counts[kind] += 1;
        return kind !== undefined;
      })
      .catch((err: unknown) => {
        log.error(
          { code: "PRESENCE_NOT_STORED", err, userId },
          "A provider could not be asked about a person, or its answer not be stored.",
        );
        return false;
      })
      .finally(() => {
        running.delete(userId);
        release();
      });
    running.set(userId, exchange);
    return exchange;
  }

  async function settle(userId: string): Promise<PresenceResult> {
    const giveUpAt = performance.now() + maximumWaitSeconds * 1000;
    for (let poll = pollMilliseconds; ; poll = Math.min(2 * poll, longestPollMilliseconds)) {
      const state = await store.presences.find(userId);
      if (state === undefined) return "current";
      const now = new Date(clock());
      const step = decideStep(state, now);
      if (step.kind === "none") return "settled";
      const left = giveUpAt - performance.now();
      if (left <= 0) return isOverdue(state, now) ? "overdue" : "unanswered";
      if (step.kind === "forget") {
        if (await store.presences.forgetLost(userId, now))
          return await stop(state, { kind: "away", reason: "answer_lost" }, now);
      } else if (step.kind === "away" || step.kind === "sign-in") return await stop(state, step, now);
      else {
        const exchange = step.kind === "ask" ? begin(state) : undefined;
        if (!(await isDone(exchange, left))) await delay(Math.min(poll, left));
      }
    }
  }

  async function stop(
    state: PresenceState,
    step: Extract<ReturnType<typeof decideStep>, { kind: "away" | "sign-in" }>,
    at: Date,
  ): Promise<PresenceResult> {
    const { userId } = state;
    await store.transaction(async (tx) => {
      const provider = await tx.identityProviders.find(state.providerId);
      if (provider === undefined) return;
      if (step.kind === "sign-in") await demandSignIn(userId, { provider, at }, tx);
      else await stayAway({ userId, reason: step.reason }, { provider, at }, tx);
    });
    return "settled";
  }

  return {
    async check(userId, dueAt) {
      if (dueAt === null || dueAt * 1000 > clock()) return "current";
      return await settle(userId);
    },
    answers: () => ({ ...counts }),
    async close() {
      await Promise.allSettled(running.values());
    },
  };
}

function isOverdue(state: PresenceState, now: Date): boolean {
  const until = pausedAt(state);
  return until !== null && until <= now;
}

/** Waits for an exchange, at most so long. Resolves to whether it has stored anything by then. */
async function isDone(exchange: Promise<boolean> | undefined, milliseconds: number): Promise<boolean> {
  if (exchange === undefined) return false;
  const stopped = new AbortController();
  const { signal } = stopped;
  const timeout = delay(milliseconds, false, { signal }).catch(() => false);
  const isStored = await Promise.race([exchange, timeout]);
  stopped.abort();
  return isStored;
}

/** Asks the provider about a person, if this process gets the lease, and stores the answer. */
async function askOnce(state: PresenceState, options: PresenceOptions): Promise<AnswerKind | undefined> {
  const { store, credentials, relyingParty, clock } = options;
  const { userId } = state;
  const provider = await store.identityProviders.find(state.providerId);
  if (provider === undefined) return undefined;
  // A new refresh token exists once, so that it can be sealed is known before it is requested.
  const envelope = await credentials.prepare(presenceRow(state));
  const lease = createSecret();
  const now = new Date(clock());
  const until = new Date(now.getTime() + leaseSeconds * 1000);
  const presence = await store.presences.begin({ userId, lease, now, until });
  if (presence === undefined) {
    envelope.discard();
    return undefined;
  }
  const answer = await ask(presence, { provider, ...options });
  const next = answer.kind === "refused" ? undefined : answer.refreshToken;
  const sealed = next === undefined ? null : envelope.seal(next);
  if (next === undefined) envelope.discard();
  const leased = { presence, lease, provider, at: new Date(clock()) };
  const { stored, kind } = await storeAnswer({ answer, sealed }, leased, options);
  // The person was ended, or signed in anew: what came too late must not stay behind at the provider.
  if (!stored && next !== undefined) await relyingParty.revoke(provider, next);
  return kind;
}

async function ask(
  presence: StoredPresence,
  { provider, credentials, relyingParty, store }: PresenceOptions & Pick<LeasedPresence, "provider">,
): Promise<Confirmation> {
  const { refreshToken: sealed, subject } = presence;
  if (sealed === null) throw new TypeError("A lease is only taken on a refresh token.");
  const groups = await store.groupProviders.findByIdentityProvider(provider.id);
  try {
    const refreshToken = await credentials.open(sealed, presenceRow(presence));
    return await relyingParty.confirm(provider, {
      refreshToken,
      subject,
      wantsGroups: groups?.type === "claim" && groups.enabled,
    });
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    // Nothing was sent. With a key that is gone only a sign-in helps.
    const isLost = error.reason === "unreadable" || error.reason === "unknown_key";
    return { kind: "failed", reason: "provider_unreachable", isLost, detail: error.reason };
  }
}

async function storeAnswer(
  answer: Parameters<typeof settleAnswer>[0],
  leased: LeasedPresence,
  options: PresenceOptions,
): Promise<Awaited<ReturnType<typeof settleAnswer>>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settleAnswer(answer, leased, options);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || attempt === storeAttempts) throw error;
      await delay(storePauseMilliseconds);
    }
  }
}
