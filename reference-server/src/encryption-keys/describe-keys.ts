import type { Logger } from "pino";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault, VaultState } from "../platform/vault/vault.js";
import type { SealedSecret, SealedTable } from "../store/sealed-secrets.js";
import type { Store } from "../store/store.js";

/** The two keys of an installation, and the tables whose secrets each one seals, in the order of rewrapping. */
export const sealedTables = {
  credentials: [
    "group_providers",
    "identity_providers",
    "presences",
    "provider_tests",
    "sealed_secrets",
    "signal_streams",
    "signing_keys",
  ],
  connectors: ["connectors", "connections"],
} as const satisfies Record<string, readonly SealedTable[]>;

export type KeyPurpose = keyof typeof sealedTables;

/** What the rows of a table are counted as. */
export function countedAs(table: SealedTable): "connectors" | "connections" | "secrets" {
  return table === "connectors" || table === "connections" ? table : "secrets";
}

type SealedCounts = Readonly<Record<ReturnType<typeof countedAs>, number>>;

export interface EncryptionKeyContext {
  readonly store: Store;
  readonly credentials: Vault;
  readonly connectorVault: Vault;
}

export function vaultOf(purpose: KeyPurpose, { credentials, connectorVault }: EncryptionKeyContext): Vault {
  return purpose === "credentials" ? credentials : connectorVault;
}

/** A key encryption key that has sealed something, or will. */
export interface KeyUse extends SealedCounts {
  readonly keyId: string;
  readonly active: boolean;
  /** It is configured here. */
  readonly readable: boolean;
}

export interface KeysDescription {
  readonly state: VaultState["state"];
  readonly problem: string | null;
  readonly activeKeyId: string | null;
  /** The active one first. */
  readonly keys: readonly KeyUse[];
}

/** Describes which keys have sealed how much, and whether this process can read it. */
export async function describeKeys(
  purpose: KeyPurpose,
  context: EncryptionKeyContext,
): Promise<KeysDescription> {
  const { state, problem = null, activeKeyId = null } = await vaultOf(purpose, context).state();
  return { state, problem, activeKeyId, keys: await listKeyUses({ purpose, activeKeyId }, context) };
}

/** Reads only the database. */
async function listKeyUses(
  { purpose, activeKeyId }: { readonly purpose: KeyPurpose; readonly activeKeyId: string | null },
  context: EncryptionKeyContext,
): Promise<readonly KeyUse[]> {
  const none: SealedCounts = { secrets: 0, connectors: 0, connections: 0 };
  const byKey = new Map<string, SealedCounts>(activeKeyId === null ? [] : [[activeKeyId, none]]);
  for (const table of sealedTables[purpose]) {
    const name = countedAs(table);
    for (const { keyId, count } of await context.store.sealedSecrets.countByKey(table)) {
      const counts = byKey.get(keyId) ?? none;
      byKey.set(keyId, { ...counts, [name]: counts[name] + count });
    }
  }
  const [active, others] = [activeKeyId === null ? [] : [activeKeyId], [...byKey.keys()].sort()];
  return [...new Set([...active, ...others])].map((keyId) => ({
    keyId,
    active: keyId === activeKeyId,
    readable: vaultOf(purpose, context).readable(keyId),
    ...(byKey.get(keyId) ?? none),
  }));
}

/**
 * The credentials that do not open. Opens all of them: an installation has some dozens. Not so of presences, one for each person, which
 * the next sign-in replaces.
 */
export async function listUnreadableCredentials({
  store,
  credentials,
}: EncryptionKeyContext): Promise<readonly string[]> {
  const limit = 100;
  const unreadable: string[] = [];
  for (const table of sealedTables.credentials) {
    if (table === "presences") continue;
    const keyIds = await store.sealedSecrets.listKeyIds(table);
    let rows: readonly SealedSecret[] = [];
    do {
      rows = await store.sealedSecrets.list(table, { keyIds, after: rows.at(-1)?.id, limit });
      for (const { row, sealed } of rows) {
        if (!(await opens(sealed, row, credentials))) unreadable.push(row);
      }
    } while (rows.length === limit);
  }
  return unreadable;
}

async function opens(sealed: Buffer, row: string, vault: Vault): Promise<boolean> {
  try {
    await vault.open(sealed, row);
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

/** Warns which keys of connectors are missing, before a request needs what they have sealed. Reads only the database. */
export async function reportMissingKeys(
  context: EncryptionKeyContext & { readonly log: Pick<Logger, "warn"> },
): Promise<void> {
  const uses = await listKeyUses({ purpose: "connectors", activeKeyId: null }, context);
  for (const { keyId, readable, connectors, connections } of uses) {
    if (readable) continue;
    const message =
      `${connectors} connectors and ${connections} connections are sealed with the key ${keyId}, which is not ` +
      "configured here. They cannot be used until it is.";
    context.log.warn({ code: "CONNECTOR_KEY_MISSING", keyId, connectors, connections }, message);
  }
}
