import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import type { AuditActor } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import { signingKeyRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { SigningKeyRecord } from "../../store/signing-keys.js";
import type { Store } from "../../store/store.js";
import { SigningKeyError } from "./signing-key-error.js";
import { publicationSeconds, retentionSeconds } from "./timing.js";

export interface RotationOptions {
  readonly store: Store;
  readonly credentials: Vault;
  readonly at: Date;
  /** Who does it; an operator at the command line unless somebody else is named. */
  readonly by?: RotationAuthor;
}

/** Who rotates the keys, and in which request. */
export interface RotationAuthor {
  readonly actor: AuditActor;
  readonly requestId?: string;
}

/** What changes a key that is there. */
export type ChangeOptions = Pick<RotationOptions, "store" | "at" | "by">;

/** What an operator asks for. `emergency` skips the waiting times: assertions may then be refused for some minutes. */
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

export function unknownKey(kid: string): SigningKeyError {
  return new SigningKeyError("unknown_key", `There is no key ${kid}. See: authz-server keys list`);
}

/** What every event of a rotation says. */
export function authored(at: Date, by: RotationAuthor = { actor: { type: "operator" } }) {
  return { outcome: "success", at, ...by } as const;
}

function later(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}
