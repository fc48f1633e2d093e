import { recordAudit } from "../audit/record.js";
import type { Vault } from "../platform/vault/vault.js";
import { activateKey, retireKey, stageKey } from "../oauth/keys/rotate-keys.js";
import { type RestoredKind, restoredKinds } from "../store/restored-records.js";
import type { Store } from "../store/store.js";

/** Rows in one statement: each is short, whatever has been restored. */
const batchSize = 2_000;

/** The command cannot do what it is asked for. The message says why and what to do. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}

export interface EndedRecords {
  /** Everything from before this moment is over. */
  readonly before: Date;
  readonly ended: Readonly<Record<RestoredKind, number>>;
  /** Keys that sign no more and have left the key set. */
  readonly retiredKeys: readonly string[];
  /** The key that signs instead; `undefined`: the one that signed goes on. */
  readonly newKey: string | undefined;
}

/**
 * Ends everything that a backup may bring back although somebody used or ended it afterwards, and replaces the signing
 * keys that were there before. One transaction: all of it, with its audit event, or nothing.
 *
 * Nobody can tell what of it was used or revoked after the backup, so all that was issued before the moment ends. What
 * was made since, out of something from before, ends as well. A second run finds nothing more to do.
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
      // oxlint-disable-next-line no-await-in-loop -- each batch begins where the one before ended
      const { count, next } = await store.restoredRecords.end(kind, batch);
      ended[kind] += count;
      after = next;
    } while (after !== undefined);
  }
  return ended;
}

/** A key that had been retired signs again, and one that was withdrawn may: neither is told from the others. */
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
    // oxlint-disable-next-line no-await-in-loop -- a key or two
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
