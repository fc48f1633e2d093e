import {
  activatableFrom,
  adviseOnKey,
  keyAgeDays,
  type RotationAdvice,
  rotationDays,
} from "../../oauth/keys/rotate-keys.js";
import type { SigningKeyRecord } from "../../store/signing-keys.js";
import type { Store } from "../../store/store.js";
import { isoTime } from "../door/list-query.js";
import { showAs } from "../door/show.js";
import { type AdminSigningKey, signingKeySchema } from "./schemas.js";

/** The newest keys, with what to do about each. */
export async function loadSigningKeys(
  store: Pick<Store, "signingKeys">,
  now: Date,
): Promise<readonly AdminSigningKey[]> {
  const keys = await store.signingKeys.list({ limit: 100 });
  return keys.map((key) => showKey(key, { keys, now }));
}

/** @param keys - at least those in the key set: what is there already decides what to do next */
export function showKey(
  key: SigningKeyRecord,
  { keys, now }: { readonly keys: readonly SigningKeyRecord[]; readonly now: Date },
): AdminSigningKey {
  const { state, publishedUntil } = key;
  const advice = adviseOnKey(key, { keys, now });
  return showAs(signingKeySchema)({
    ...key,
    inKeySet: publishedUntil === null || publishedUntil > now,
    activatableFrom: state === "staged" ? activatableFrom(key) : null,
    activatesAt: key.activatesAt ?? null,
    ageDays: keyAgeDays(key, now),
    advice: advice === undefined ? null : { code: advice, text: adviceTexts[advice](key) },
  });
}

const adviceTexts: Readonly<Record<RotationAdvice, (key: SigningKeyRecord) => string>> = {
  stage_next: () =>
    `This key will soon have signed for ${rotationDays} days. Stage the next one, and activate it a day later.`,
  rotation_overdue: () =>
    `This key has signed for more than ${rotationDays} days. Stage another one and activate it.`,
  activate_when_ready: (key) =>
    `Services learn of this key now. It may sign from ${isoTime(activatableFrom(key))} on.`,
  activates_itself: (key) =>
    `This key starts signing automatically from ${isoTime(key.activatesAt ?? activatableFrom(key))} on.`,
  activate_now: () => "Every service knows this key by now. Activate it when you like.",
};
