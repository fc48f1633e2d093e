import type { AuditActor } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import type { SealedSecret } from "../../store/sealed-secrets.js";
import type { Store } from "../../store/store.js";
import type { CredentialVault } from "../../platform/vault/credential-vault.js";

/** Secrets in one transaction. */
const batchSize = 100;

interface CredentialKeyUse {
  readonly keyId: string;
  /** New secrets are sealed with it. */
  readonly active: boolean;
  readonly secrets: number;
}

export interface CredentialKeysDescription {
  readonly activeKeyId: string;
  /** The active one first. */
  readonly keys: readonly CredentialKeyUse[];
  /** Rows that no configured key opens. */
  readonly unreadable: readonly string[];
}

export interface CredentialKeyContext {
  readonly store: Store;
  readonly credentials: CredentialVault;
}

/** Says which key has sealed how much. Opens every secret: an installation has some dozens. */
export async function describeCredentialKeys(
  context: CredentialKeyContext,
): Promise<CredentialKeysDescription> {
  const { activeKeyId } = context.credentials;
  const counts = new Map([[activeKeyId, 0]]);
  const unreadable: string[] = [];
  for await (const batch of readSecrets(context)) {
    for (const { row, keyId } of batch) {
      if (keyId === undefined) unreadable.push(row);
      else counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  const keys = [...counts].map(([keyId, secrets]) => ({ keyId, active: keyId === activeKeyId, secrets }));
  return { activeKeyId, keys, unreadable };
}

/**
 * Seals with the active key what another one has sealed, batch by batch, each with its audit event. What somebody else
 * stored meanwhile stays: it is sealed with that process's active key. Killed in the middle it has done a part.
 *
 * @returns how many were sealed again
 */
export async function resealCredentials(
  context: CredentialKeyContext,
  { actor, clock }: { readonly actor: AuditActor; readonly clock: () => number },
): Promise<number> {
  const { store, credentials } = context;
  const { activeKeyId: keyId } = credentials;
  let resealed = 0;
  for await (const batch of readSecrets(context)) {
    const changes = batch
      .filter((secret) => secret.keyId !== undefined && secret.keyId !== keyId)
      .map(({ row, sealed: from }) => ({
        row,
        from,
        to: credentials.seal(credentials.open(from, row), row),
      }));
    if (changes.length === 0) continue;
    resealed += await store.transaction(async (tx) => {
      const secrets = await tx.sealedSecrets.replace(changes);
      const at = new Date(clock());
      const data = { keyId, secrets };
      await recordAudit(tx, { type: "credential_key.resealed", outcome: "success", actor, at, data });
      return secrets;
    });
  }
  return resealed;
}

interface ReadSecret extends SealedSecret {
  readonly keyId: string | undefined;
}

async function* readSecrets({ store, credentials }: CredentialKeyContext): AsyncGenerator<ReadSecret[]> {
  let after = "";
  for (;;) {
    const batch = await store.sealedSecrets.list({ after, limit: batchSize });
    yield batch.map((secret) => ({ ...secret, keyId: credentials.keyIdOf(secret.sealed, secret.row) }));
    const last = batch.at(-1);
    if (last === undefined || batch.length < batchSize) return;
    after = last.row;
  }
}
