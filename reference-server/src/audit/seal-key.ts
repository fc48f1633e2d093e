import { randomBytes } from "node:crypto";
import type { Config } from "../config/config.js";
import { sealKeyRow, signingKeyRow } from "../platform/vault/rows.js";
import {
  CredentialUnreadableError,
  type CredentialVault,
  credentialKeyId,
} from "../platform/vault/credential-vault.js";
import type { Store } from "../store/store.js";
import { deriveSealKey, isMacOf } from "./seal.js";

/** Opens the key of the seals. It is read once. */
export type OpenSealKey = () => Promise<Buffer>;

export interface SealKeyContext {
  readonly store: Store;
  readonly credentials: CredentialVault;
  readonly config: Pick<Config, "credentialEncryptionKey" | "previousCredentialKeys">;
}

const name = "audit-seal";

/** Creates what opens the stored key. An installation that was not started since keys are stored derives it. */
export function createOpenSealKey(context: SealKeyContext): OpenSealKey {
  let known: Buffer | undefined;
  return async () => {
    known ??= await readSealKey(context);
    return known ?? (await deriveFormerKey(context)).key;
  };
}

/** @throws {CredentialUnreadableError} The encryption key is not this installation's. */
export async function requireSealKey(context: SealKeyContext): Promise<void> {
  await readSealKey(context);
}

/**
 * Stores the key of the seals unless it is there: a random one in a new installation, else the one that the seals were
 * made with until now. So the encryption key can be replaced, and every seal still verifies.
 *
 * @throws {CredentialUnreadableError} The encryption key is not this installation's. Nothing was stored.
 */
export async function keepSealKey(context: SealKeyContext): Promise<void> {
  const { store, credentials } = context;
  if ((await readSealKey(context)) !== undefined) return;
  const former = await deriveFormerKey(context);
  if (former.isForeign) throw foreign();
  const key = former.isNew ? randomBytes(32) : former.key;
  await store.sealedSecrets.insertMissing(name, credentials.seal(key.toString("base64"), sealKeyRow));
}

async function readSealKey({ store, credentials }: SealKeyContext): Promise<Buffer | undefined> {
  const sealed = await store.sealedSecrets.find(name);
  if (sealed === undefined) return undefined;
  try {
    return Buffer.from(credentials.open(sealed, sealKeyRow), "base64");
  } catch (cause) {
    throw cause instanceof CredentialUnreadableError ? foreign(cause) : cause;
  }
}

/**
 * The key that seals had before it was stored: derived from the encryption key that the last seal, or else the active
 * signing key, says it is.
 */
async function deriveFormerKey({
  store,
  credentials,
  config,
}: SealKeyContext): Promise<{ readonly key: Buffer; readonly isNew: boolean; readonly isForeign: boolean }> {
  const candidates = [config.credentialEncryptionKey, ...config.previousCredentialKeys];
  const last = await store.auditSeals.last();
  const sealedBy = last && candidates.find((candidate) => isMacOf(last, deriveSealKey(candidate)));
  if (sealedBy !== undefined) return { key: deriveSealKey(sealedBy), isNew: false, isForeign: false };

  const keys = await store.signingKeys.list({ limit: 100 });
  const stored = keys.find(({ privateJwk }) => privateJwk !== null);
  const keyId =
    stored?.privateJwk == null
      ? undefined
      : credentials.keyIdOf(stored.privateJwk, signingKeyRow(stored.kid));
  const opener = candidates.find((candidate) => credentialKeyId(candidate) === keyId);
  const isNew = last === undefined && stored === undefined;
  const key = deriveSealKey(opener ?? config.credentialEncryptionKey);
  return { key, isNew, isForeign: !isNew && opener === undefined };
}

function foreign(cause?: Error): CredentialUnreadableError {
  return new CredentialUnreadableError(
    "AUTHZ_CREDENTIAL_ENCRYPTION_KEY is not the key of this installation: it opens nothing that is stored. " +
      "Set the key that was used so far, or name it in AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS. Nothing was changed.",
    { cause },
  );
}
