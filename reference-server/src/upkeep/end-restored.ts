import { recordAudit } from "../audit/record.js";
import type { Vault } from "../platform/vault/vault.js";
import { activateKey, retireKey, stageKey } from "../oauth/keys/rotate-keys.js";
import { type RestoredKind, restoredKinds } from "../store/restored-records.js";
import type { Store } from "../store/store.js";

/** Rows per statement, so that each is short. */
const batchSize = 2_000;

/** The command cannot run. The message has the cause and the remedy. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}

export interface EndedRecords {
  /** Everything issued before this moment has ended. */
  readonly before: Date;
  readonly ended: Readonly<Record<RestoredKind, number>>;
  /** Keys that no longer sign and have left the key set. */
  readonly retiredKeys: readonly string[];
  /** The key that signs instead; `undefined`: the active key stays. */
  readonly newKey: string | undefined;
}

/**
 * Ends everything that a backup may bring back although it was used or ended afterwards, and replaces the signing keys of that time. One
 * transaction: all of it, with its audit event, or nothing.
 *
 * What was used or revoked after the backup is unknown, so everything issued before the moment ends, and with it what was made from it
 * since. A second run finds nothing to do.
 *
 * @throws {RestoreError} The moment is in the future.
 */
export async function endRestored(
  moment: Date | "now",
  { store, credentials }: { readonly store: Store; readonly credentials: Vault },
): Promise<EndedRecords> {
  return await store.transaction(async (tx) => {
    const at = await tx.restoredRecords.lock();
    const before = moment === "now" ? at : moment;
    if (before > at) throw inTheFuture(before, at);
    const ended = await endRecords(tx, { before, at });
    const { retiredKeys, newKey } = await replaceKeys({ before, at }, { store: tx, credentials });
    if (retiredKeys.length > 0 || Object.values(ended).some((count) => count > 0)) {
      await recordAudit(tx, {
        type: "installation.restored",
        outcome: "success",
        actor: { type: "operator" },
        at,
        data: { before: before.toISOString(), ended, retiredKeys },
      });
    }
    return { before, ended, retiredKeys, newKey };
  });
}

interface Moments {
  readonly before: Date;
  readonly at: Date;
}

async function endRecords(store: Store, { before, at }: Moments): Promise<Record<RestoredKind, number>> {
  const ended = Object.fromEntries(restoredKinds.map((kind) => [kind, 0])) as Record<RestoredKind, number>;
  for (const kind of restoredKinds) {
    let after: string | undefined;
    do {
      const batch = { before, at, after, limit: batchSize };
      const { count, next } = await store.restoredRecords.end(kind, batch);
      ended[kind] += count;
      after = next;
    } while (after !== undefined);
  }
  return ended;
}

/** All of them: the backup may have revived keys that were retired or withdrawn since. */
async function replaceKeys(
  { before, at }: Moments,
  { store, credentials }: { readonly store: Store; readonly credentials: Vault },
): Promise<Pick<EndedRecords, "retiredKeys" | "newKey">> {
  const published = await store.signingKeys.listPublished(at);
  const old = published.filter(({ stagedAt }) => stagedAt < before);
  let newKey: string | undefined;
  if (old.some(({ state }) => state === "active")) {
    ({ kid: newKey } = await stageKey({ store, credentials, at }));
    await activateKey({ kid: newKey, emergency: true }, { store, at });
  }
  for (const { kid } of old) {
    await retireKey({ kid, emergency: true }, { store, at });
  }
  return { retiredKeys: old.map(({ kid }) => kid), newKey };
}

function inTheFuture(before: Date, at: Date): RestoreError {
  return new RestoreError(
    `${before.toISOString()} is in the future: the database says ${at.toISOString()}. ` +
      'Name a moment that has passed, or "now". Nothing was changed.',
  );
}
