import { reloadKeys } from "../../oauth/keys/load-keys.js";
import {
  activatableFrom,
  activateKey,
  type KeyChange,
  type RotationOptions,
  retireKey,
  stageKey,
} from "../../oauth/keys/rotate-keys.js";
import { SigningKeyError } from "../../oauth/keys/signing-key-error.js";
import type { Store } from "../../store/store.js";
import { inUse, notFound } from "../http/admin-error.js";
import type { AdminCall } from "../http/call.js";
import { isoTime } from "../http/list-query.js";
import type { Sentence } from "../texts/texts.js";
import type { AdminSigningKey, KeyActivation } from "./schemas.js";
import { loadSigningKeys } from "./show-key.js";

/** Generates a key that is in the key set from now on and signs nothing yet. */
export async function stageNext(call: AdminCall): Promise<AdminSigningKey> {
  const { change, actor, requestId, context, store, now } = call;
  const { kid } = await change((work) => stageKey({ ...work, by: { actor, requestId } }));
  await reloadKeys(context);
  const key = (await loadSigningKeys(store, now)).find((one) => one.kid === kid);
  if (key === undefined) throw notFound(({ things }) => things.signingKey(kid));
  return key;
}

/** @throws {AdminError} `not_found`, `in_use` */
export async function activate(change: KeyChange, call: AdminCall): Promise<KeyActivation> {
  const { retired, publishedUntil } = await rotate(change.kid, call, (author) => activateKey(change, author));
  return {
    kid: change.kid,
    retired,
    retiredPublishedUntil: retired === null ? null : isoTime(publishedUntil),
  };
}

/** @throws {AdminError} `not_found`, `in_use` */
export async function retire(change: KeyChange, call: AdminCall): Promise<void> {
  await rotate(change.kid, call, (author) => retireKey(change, author));
}

async function rotate<Result>(
  kid: string,
  { change, actor, requestId, context, now }: AdminCall,
  step: (author: Omit<RotationOptions, "credentials">) => Promise<Result>,
): Promise<Result> {
  const result = await change(
    async ({ store, at }) =>
      await step({ store, at, by: { actor, requestId } }).catch((error: unknown) =>
        refuse(error, kid, store),
      ),
    { notes: (store) => describeKeySet(store, now) },
  );
  await reloadKeys(context);
  return result;
}

/** What a preview says: the keys as they would be. */
async function describeKeySet(store: Pick<Store, "signingKeys">, now: Date): Promise<readonly Sentence[]> {
  return (await store.signingKeys.listPublished(now)).map(({ kid, state, publishedUntil }): Sentence => {
    if (state === "active") return ({ notes }) => notes.keySigns(kid);
    if (state === "staged") return ({ notes }) => notes.keyStaysStaged(kid);
    const until = publishedUntil === null ? "" : isoTime(publishedUntil);
    return ({ notes }) => notes.keyRetires(kid, until);
  });
}

/** The refusals of a rotation in the words of the console. */
async function refuse(error: unknown, kid: string, store: Pick<Store, "signingKeys">): Promise<never> {
  if (!(error instanceof SigningKeyError)) throw error;
  const key = await store.signingKeys.find(kid);
  switch (error.reason) {
    case "unknown_key":
      throw notFound(({ things }) => things.signingKey(kid));
    case "too_early":
      throw inUse(({ refusals: { signingKey } }) =>
        signingKey.tooEarly(key === undefined ? "" : isoTime(activatableFrom(key))),
      );
    case "not_staged":
      throw inUse(({ refusals: { signingKey } }) =>
        key?.state === "active" ? signingKey.activeAlready : signingKey.retiredForGood,
      );
    case "still_active":
      throw inUse(({ refusals }) => refusals.signingKey.stillActive);
    case "already_retired":
      throw inUse(({ refusals: { signingKey } }) =>
        key?.publishedUntil
          ? signingKey.retiredUntil(isoTime(key.publishedUntil))
          : signingKey.retiredAlready,
      );
    case "kid_taken":
    case "no_active_key":
      throw error;
  }
}
