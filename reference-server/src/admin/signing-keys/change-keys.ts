import { reloadKeys } from "../../oauth/keys/keys.js";
import {
  activatableFrom,
  activateKey,
  type KeyChange,
  retireKey,
  type RotationOptions,
  scheduleKey,
  SigningKeyError,
  stageKey,
} from "../../oauth/keys/rotate-keys.js";
import type { Store } from "../../store/store.js";
import { inUse, notFound } from "../../registry/refusal.js";
import type { AdminCall } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";
import type { AdminSigningKey, KeyActivation } from "./schemas.js";
import { loadSigningKeys } from "./show-key.js";

/** Generates a key that is in the key set from now on and signs nothing yet. */
export async function stageNext(call: AdminCall): Promise<AdminSigningKey> {
  const { change, actor, requestId, context, store, now } = call;
  const { kid } = await change((work) => stageKey({ ...work, by: { actor, requestId } }));
  await reloadKeys(context);
  return await findKey(kid, { store, now });
}

/** @throws {Refusal} `not_found`, `in_use` */
export async function schedule(
  { kid, activatesAt }: { readonly kid: string; readonly activatesAt: string | null | undefined },
  { change, actor, requestId, store, now }: AdminCall,
): Promise<AdminSigningKey> {
  const time = activatesAt === null ? null : activatesAt === undefined ? "when_ready" : new Date(activatesAt);
  await change(
    async (work) =>
      await scheduleKey({ kid, activatesAt: time }, { ...work, by: { actor, requestId } }).catch(
        (error: unknown) => refuse(error, kid, work.store),
      ),
  );
  return await findKey(kid, { store, now });
}

async function findKey(
  kid: string,
  { store, now }: Pick<AdminCall, "store" | "now">,
): Promise<AdminSigningKey> {
  const key = (await loadSigningKeys(store, now)).find((one) => one.kid === kid);
  if (key === undefined) throw notFound("signingKey", { kid });
  return key;
}

/** @throws {Refusal} `not_found`, `in_use` */
export async function activate(change: KeyChange, call: AdminCall): Promise<KeyActivation> {
  const { retired, publishedUntil } = await rotate(change.kid, call, (author) => activateKey(change, author));
  return {
    kid: change.kid,
    retired,
    retiredPublishedUntil: retired === null ? null : isoTime(publishedUntil),
  };
}

/** @throws {Refusal} `not_found`, `in_use` */
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
async function describeKeySet(store: Pick<Store, "signingKeys">, now: Date): Promise<readonly Message[]> {
  return (await store.signingKeys.listPublished(now)).map(({ kid, state, publishedUntil }): Message => {
    if (state === "active") return note("keySigns", { kid });
    if (state === "staged") return note("keyStaysStaged", { kid });
    const until = publishedUntil === null ? "" : isoTime(publishedUntil);
    return note("keyRetires", { kid, until });
  });
}

/** The refusals of a rotation in the words of the console. */
async function refuse(error: unknown, kid: string, store: Pick<Store, "signingKeys">): Promise<never> {
  if (!(error instanceof SigningKeyError)) throw error;
  const key = await store.signingKeys.find(kid);
  switch (error.reason) {
    case "unknown_key":
      throw notFound("signingKey", { kid });
    case "too_early":
      throw inUse("signingKey.tooEarly", { from: key === undefined ? "" : isoTime(activatableFrom(key)) });
    case "not_staged":
      throw inUse(key?.state === "active" ? "signingKey.activeAlready" : "signingKey.retiredForGood");
    case "still_active":
      throw inUse("signingKey.stillActive");
    case "already_retired":
      if (!key?.publishedUntil) throw inUse("signingKey.retiredAlready");
      throw inUse("signingKey.retiredUntil", { until: isoTime(key.publishedUntil) });
    case "kid_taken":
    case "no_active_key":
      throw error;
  }
}
