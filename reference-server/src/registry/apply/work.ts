import type { AuditEvent } from "../../audit/events.js";
import { type CredentialVault, CredentialUnreadableError } from "../../platform/vault/credential-vault.js";
import type { Store } from "../../store/store.js";

/** One change that was made, as it stands in the audit trail. */
export type RegistryChange = Pick<AuditEvent, "type" | "data">;

/** What every section of the file is applied with: the transaction, and how a change is recorded in it. */
export interface Work {
  readonly store: Store;
  readonly credentials: CredentialVault;
  readonly at: Date;
  readonly audit: (change: RegistryChange) => Promise<void>;
}

/**
 * The sealed form of a secret: the stored one when it is the same secret still, else a new one.
 *
 * A stored secret that no longer opens counts as changed: giving it again is the way to repair it.
 */
export function sealSecret(
  { secret, row, stored }: { readonly secret: string; readonly row: string; readonly stored: Buffer | null },
  credentials: CredentialVault,
): Buffer {
  return stored !== null && opensTo(secret, () => credentials.open(stored, row))
    ? stored
    : credentials.seal(secret, row);
}

function opensTo(secret: string, open: () => string): boolean {
  try {
    return open() === secret;
  } catch (error) {
    if (error instanceof CredentialUnreadableError) return false;
    throw error;
  }
}
