import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import type { AuditActor } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import { signingKeyRow } from "../../platform/vault/rows.js";
import { dayMs } from "../../platform/durations.js";
import type { Vault } from "../../platform/vault/vault.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { SigningKeyRecord } from "../../store/signing-keys.js";
import type { Store } from "../../store/store.js";

export interface RotationOptions {
  readonly store: Store;
  readonly credentials: Vault;
  readonly at: Date;
  /** Default: an operator at the command line. */
  readonly by?: RotationAuthor;
}

/** The author of a rotation, and their request. */
interface RotationAuthor {
  readonly actor: AuditActor;
  readonly requestId?: string;
}

/** Options of a change to an existing key. */
type ChangeOptions = Pick<RotationOptions, "store" | "at" | "by">;

/** A change to a key. `emergency` skips the waiting times: services may then refuse tokens for some minutes. */
export interface KeyChange {
  readonly kid: string;
  readonly emergency: boolean;
}

/** When a staged key may become the active one. */
export function activatableFrom({ stagedAt }: Pick<SigningKeyRecord, "stagedAt">): Date {
  return new Date(stagedAt.getTime() + publicationSeconds * 1000);
}

/** Generates a key that is in the key set from now on and signs nothing yet. */
export async function stageKey({ store, credentials, at, by }: RotationOptions): Promise<SigningKeyRecord> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const kid = randomUUID();
  const key: SigningKeyRecord = {
    kid,
    publicJwk,
    privateJwk: await credentials.seal(JSON.stringify(privateJwk), signingKeyRow(kid)),
    source: "generated",
    state: "staged",
    stagedAt: at,
    activatedAt: null,
    retiredAt: null,
    publishedUntil: null,
  };
  await store.transaction(async (tx) => {
    await tx.signingKeys.insertMissing(key);
    await recordAudit(tx, {
      ...authored(at, by),
      type: "signing_key.staged",
      data: { kid, source: "generated" },
    });
  });
  return key;
}

/**
 * Makes a staged key the one that signs, and retires the one before it. Returns the retired key and how long it
 * stays in the key set.
 *
 * @throws {SigningKeyError} The key is not staged, or not long enough for every service to know it.
 */
export async function activateKey(
  { kid, emergency }: KeyChange,
  { store, at, by }: ChangeOptions,
): Promise<{ readonly retired: string | null; readonly publishedUntil: Date }> {
  const publishedUntil = later(at, retentionSeconds);
  const stagedBefore = emergency ? later(at, publicationSeconds) : later(at, -publicationSeconds);
  return await store.transaction(async (tx) => {
    // Two keys activated at the same moment would both retire the one before them.
    await tx.settings.lock();
    const done = await tx.signingKeys.activate({ kid, stagedBefore, at, publishedUntil });
    if (done === undefined) throw activationRefused(kid, await tx.signingKeys.find(kid), at);
    const { retired } = done;
    const data = { kid, replaced: retired, emergency };
    await recordAudit(tx, { ...authored(at, by), type: "signing_key.activated", data });
    if (retired !== null) {
      const end = { kid: retired, publishedUntil: publishedUntil.toISOString(), emergency: false };
      await recordAudit(tx, { ...authored(at, by), type: "signing_key.retired", data: end });
    }
    return { retired, publishedUntil };
  });
}

/**
 * Retires a staged key, which signed nothing and leaves the key set at once. In an emergency, takes a key that was
 * retired by an activation out of the key set before what it signed has expired.
 *
 * @throws {SigningKeyError} The key is the active one, unknown, or retired already.
 */
export async function retireKey(
  { kid, emergency }: KeyChange,
  { store, at, by }: ChangeOptions,
): Promise<void> {
  await store.transaction(async (tx) => {
    const changed =
      (await tx.signingKeys.withdraw({ kid, at })) ||
      (emergency && (await tx.signingKeys.unpublish({ kid, at })));
    if (!changed) throw retirementRefused(kid, await tx.signingKeys.find(kid), at);
    const data = { kid, publishedUntil: at.toISOString(), emergency };
    await recordAudit(tx, { ...authored(at, by), type: "signing_key.retired", data });
  });
}

function activationRefused(kid: string, key: SigningKeyRecord | undefined, at: Date): SigningKeyError {
  if (key === undefined) return unknownKey(kid);
  if (key.state !== "staged") {
    const message = `${kid} is ${key.state === "active" ? "already the active key" : "retired, and a retired key never signs again"}. Stage a new one: authz-server keys stage`;
    return new SigningKeyError("not_staged", message);
  }
  const from = activatableFrom(key);
  const minutes = Math.ceil((from.getTime() - at.getTime()) / 60_000);
  const message =
    `${kid} may sign from ${from.toISOString()}, in ${minutes === 1 ? "one minute" : `${minutes} minutes`}: ` +
    "until then some services may not have seen it in the key set and would refuse what it signs. Try again then. " +
    "If the active key is in the wrong hands, do not wait: --emergency";
  return new SigningKeyError("too_early", message);
}

function retirementRefused(kid: string, key: SigningKeyRecord | undefined, at: Date): SigningKeyError {
  if (key === undefined) return unknownKey(kid);
  if (key.state === "active") {
    const message = `${kid} is the active key. Activate another one; that retires this one: authz-server keys activate KID`;
    return new SigningKeyError("still_active", message);
  }
  const until = key.publishedUntil ?? at;
  const message =
    until > at
      ? `${kid} is already retired. It stays in the key set until ${until.toISOString()}, when what it signed has expired. If it is in the wrong hands, take it out now: --emergency`
      : `${kid} is retired and no longer in the key set.`;
  return new SigningKeyError("already_retired", message);
}

function unknownKey(kid: string): SigningKeyError {
  return new SigningKeyError("unknown_key", `There is no key ${kid}. See: authz-server keys list`);
}

/** The common part of all events of a rotation. */
function authored(at: Date, by: RotationAuthor = { actor: { type: "operator" } }) {
  return { outcome: "success", at, ...by } as const;
}

function later(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}

/**
 * Schedules the activation of a staged key. Returns its time.
 *
 * @param activatesAt - `"when_ready"`: as soon as every service knows it; `null`: not by itself
 * @throws {SigningKeyError} The key is not staged, or services may not know it at that time.
 */
export async function scheduleKey(
  { kid, activatesAt: wanted }: { readonly kid: string; readonly activatesAt: Date | "when_ready" | null },
  { store, at, by }: ChangeOptions,
): Promise<Date | null> {
  return await store.transaction(async (tx) => {
    await tx.settings.lock();
    const key = await tx.signingKeys.find(kid);
    if (key === undefined) throw unknownKey(kid);
    if (key.state !== "staged") {
      throw new SigningKeyError(
        "not_staged",
        `${kid} is ${key.state}, and only a staged key can begin to sign.`,
      );
    }
    const from = activatableFrom(key);
    const activatesAt = wanted === "when_ready" ? from : wanted;
    if (activatesAt !== null && activatesAt < from) {
      throw new SigningKeyError("too_early", `${kid} may sign from ${from.toISOString()} on.`);
    }
    if (await tx.signingKeys.schedule({ kid, activatesAt })) {
      const data = { kid, activatesAt: activatesAt?.toISOString() ?? null };
      await recordAudit(tx, { ...authored(at, by), type: "signing_key.scheduled", data });
    }
    return activatesAt;
  });
}

/** Activates the keys whose time has come. Processes may all do it. Returns whether this one changed anything. */
export async function activateDueKeys({
  store,
  at,
}: {
  readonly store: Store;
  readonly at: Date;
}): Promise<boolean> {
  let changed = false;
  for (const kid of await store.signingKeys.listDue(at)) {
    if (await activateDue(kid, { store, at })) changed = true;
  }
  return changed;
}

async function activateDue(
  kid: string,
  { store, at }: { readonly store: Store; readonly at: Date },
): Promise<boolean> {
  try {
    await activateKey({ kid, emergency: false }, { store, at, by: { actor: { type: "system" } } });
    return true;
  } catch (error) {
    // Another process activated the key first, or it was withdrawn.
    if (error instanceof SigningKeyError) return false;
    throw error;
  }
}

type SigningKeyErrorReason =
  | "unknown_key"
  | "too_early"
  | "not_staged"
  | "still_active"
  | "already_retired"
  | "kid_taken"
  | "no_active_key";

/** A change of the signing keys is refused. The message says why and what to do. */
export class SigningKeyError extends Error {
  override readonly name = "SigningKeyError";
  readonly reason: SigningKeyErrorReason;
  constructor(reason: SigningKeyErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Interval at which a process reloads the keys. */
export const reloadSeconds = 10;

/** A process that could not reload the keys for this long stops signing: another key may be active. */
export const staleSeconds = 300;

/**
 * How long a staged key is in the key set before it may sign.
 *
 * The sum of all caches: a process reloads the keys (10 s), a cache in between keeps the key set for its `max-age` (300 s), a service
 * that uses the SDK for 300 s more, with 30 s between two fetches. The rest is margin.
 */
export const publicationSeconds = 15 * 60;

/** The longest lifetime of anything signed; a test goes through all `lifetimes`. */
const longestSignedSeconds = Math.max(lifetimes.accessToken, lifetimes.idToken, lifetimes.identityAssertion);

/**
 * How long a retired key stays in the key set: until the last thing it signed has expired.
 *
 * A process that missed the change signs with it for at most `staleSeconds`; the rest allows for clocks that differ.
 */
export const retentionSeconds = longestSignedSeconds + staleSeconds + 5 * 60;

/** A key that signed for longer is overdue: rare enough to be no burden, often enough to stay a routine. */
export const rotationDays = 180;
/** Notice before the next key is due. */
const noticeDays = 30;

export type RotationAdvice =
  | "stage_next"
  | "activate_when_ready"
  | "activate_now"
  | "activates_itself"
  | "rotation_overdue";

/** Whole days since a key began to sign; `null` for one that never did. */
export function keyAgeDays({ activatedAt }: Pick<SigningKeyRecord, "activatedAt">, now: Date): number | null {
  return activatedAt && Math.floor((now.getTime() - activatedAt.getTime()) / dayMs);
}

/** The advice about a key, if any. */
export function adviseOnKey(
  key: SigningKeyRecord,
  { keys, now }: { readonly keys: readonly SigningKeyRecord[]; readonly now: Date },
): RotationAdvice | undefined {
  if (key.state === "retired") return undefined;
  if (key.state === "staged") {
    if (key.activatesAt) return "activates_itself";
    return activatableFrom(key) > now ? "activate_when_ready" : "activate_now";
  }
  const age = keyAgeDays(key, now) ?? 0;
  if (age >= rotationDays) return "rotation_overdue";
  const isNextThere = keys.some(({ state }) => state === "staged");
  return age >= rotationDays - noticeDays && !isNextThere ? "stage_next" : undefined;
}
