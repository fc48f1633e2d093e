import { randomBytes } from "node:crypto";
import { VaultError } from "../platform/vault/key-ring.js";
import { sealKeyRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import type { Store } from "../store/store.js";

/** Opens the key of the seals. It is read once. */
export type OpenSealKey = () => Promise<Buffer>;

interface SealKeyContext {
  readonly store: Pick<Store, "sealedSecrets">;
  readonly credentials: Vault;
}

const name = "audit-seal";

/** Creates the function that opens the stored key. */
export function createOpenSealKey(context: SealKeyContext): OpenSealKey {
  let known: Buffer | undefined;
  return async () => {
    known ??= await readSealKey(context);
    if (known === undefined) {
      const message = "The database holds no key for the seals of the audit trail. Start authz-server once.";
      throw new VaultError("unreadable", message);
    }
    return known;
  };
}

/**
 * Reads the key of the seals if one is stored.
 *
 * @throws {VaultError} The encryption key is not this installation's.
 */
export async function readSealKey({ store, credentials }: SealKeyContext): Promise<Buffer | undefined> {
  const sealed = await store.sealedSecrets.find(name);
  if (sealed === undefined) return undefined;
  try {
    return Buffer.from(await credentials.open(sealed, sealKeyRow), "base64");
  } catch (cause) {
    if (!(cause instanceof VaultError)) throw cause;
    throw new VaultError(
      cause.reason,
      "AUTHZ_CREDENTIAL_ENCRYPTION_KEY is not the key of this installation: it opens nothing that is stored. " +
        "Set the key that was used so far, or name it in AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS. Nothing was changed.",
      { cause },
    );
  }
}

/**
 * Stores a random key of the seals unless one is there. It is sealed itself, so the encryption key can be replaced, and
 * every seal still verifies.
 *
 * @throws {VaultError} The encryption key is not this installation's. Nothing was stored.
 */
export async function keepSealKey(context: SealKeyContext): Promise<void> {
  if ((await readSealKey(context)) !== undefined) return;
  const sealed = await context.credentials.seal(randomBytes(32).toString("base64"), sealKeyRow);
  await context.store.sealedSecrets.insertMissing(name, sealed);
}
