import { recordAudit } from "../../audit/record.js";
import type { Store } from "../../store/store.js";
import { type ChangeOptions, activatableFrom, activateKey, authored, unknownKey } from "./rotate-keys.js";
import { SigningKeyError } from "./signing-key-error.js";

/**
 * Says when a staged key begins to sign by itself. Returns that time.
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
    // oxlint-disable-next-line no-await-in-loop -- each of them retires the one before it
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
    // Another process was faster, or somebody has withdrawn the key.
    if (error instanceof SigningKeyError) return false;
    throw error;
  }
}
