import type { AuditEvent } from "../audit/events.js";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault } from "../platform/vault/vault.js";
import type { Store } from "../store/store.js";

export { changedFields } from "../audit/changed-fields.js";

/** One audited change; actor, time and request are added by the caller. */
export type RegistryChange = Pick<AuditEvent, "type" | "data"> & {
  /** The user that it is about. */
  readonly subject?: string;
  readonly clientId?: string;
};

/** A running transaction of the API, the installer or a registry file. */
export interface Work {
  readonly store: Store;
  readonly credentials: Vault;
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

/** The members of a change that are present. */
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
export async function sealSecret(
  { secret, row, stored }: { readonly secret: string; readonly row: string; readonly stored: Buffer | null },
  vault: Vault,
): Promise<Buffer> {
  return stored !== null && (await opensTo(secret, { sealed: stored, row }, vault))
    ? stored
    : await vault.seal(secret, row);
}

async function opensTo(
  secret: string,
  { sealed, row }: { readonly sealed: Buffer; readonly row: string },
  vault: Vault,
): Promise<boolean> {
  try {
    return (await vault.open(sealed, row)) === secret;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}
