import type { AuditEvent } from "../audit/events.js";
import { type CredentialVault, CredentialUnreadableError } from "../platform/vault/credential-vault.js";
import type { Store } from "../store/store.js";

export { changedFields } from "../audit/changed-fields.js";

/** One change as it stands in the audit trail; actor, time and request are filled in. */
export type RegistryChange = Pick<AuditEvent, "type" | "data"> & {
  /** The user that it is about. */
  readonly subject?: string;
  readonly clientId?: string;
};

/** A running transaction: what the registry saves with, whoever asks. */
export interface Work {
  readonly store: Store;
  readonly credentials: CredentialVault;
  readonly at: Date;
  readonly audit: (change: RegistryChange) => Promise<void>;
  /** Records many changes with one statement. */
  readonly auditAll: (changes: readonly RegistryChange[]) => Promise<void>;
}

/** An object as it is, if there is one, and as it shall be. */
export interface Saving<Before, After> {
  readonly before: Before | undefined;
  readonly after: After;
}

/** What is given of a change: what is absent stays as it is. */
export function given<Fields extends object>(
  change: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
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
