import type { Store } from "../../store/store.js";
import type { EnvelopeVault, VaultState } from "../../platform/vault/envelope.js";

/** A key encryption key that has sealed something, or will. */
export interface ConnectorKeyUse {
  readonly keyId: string;
  readonly active: boolean;
  /** It is configured here. */
  readonly readable: boolean;
  readonly connectors: number;
  readonly connections: number;
}

export interface ConnectorKeysDescription {
  readonly state: VaultState["state"];
  readonly problem: string | null;
  readonly activeKeyId: string | null;
  /** The active one first. */
  readonly keys: readonly ConnectorKeyUse[];
}

export interface ConnectorKeyContext {
  readonly store: Store;
  readonly connectorVault: EnvelopeVault;
}

/** Says which keys have sealed how much, and whether this process can read it. */
export async function describeConnectorKeys(context: ConnectorKeyContext): Promise<ConnectorKeysDescription> {
  const { state, problem = null, activeKeyId = null } = await context.connectorVault.state();
  return { state, problem, activeKeyId, keys: await listKeyUses(context, activeKeyId) };
}

/** Asks only the database. */
export async function listKeyUses(
  { store, connectorVault }: ConnectorKeyContext,
  activeKeyId: string | null,
): Promise<readonly ConnectorKeyUse[]> {
  const connectors = new Map<string, number>();
  const connections = new Map<string, number>();
  for (const { keyId, count } of await store.connectors.countByKey()) connectors.set(keyId, count);
  for (const { keyId, count } of await store.connections.countByKey()) connections.set(keyId, count);
  const others = [...new Set([...connectors.keys(), ...connections.keys()])];
  const keyIds = others.filter((keyId) => keyId !== activeKeyId).sort();
  return [...(activeKeyId === null ? [] : [activeKeyId]), ...keyIds].map((keyId) => ({
    keyId,
    active: keyId === activeKeyId,
    readable: connectorVault.readable(keyId),
    connectors: connectors.get(keyId) ?? 0,
    connections: connections.get(keyId) ?? 0,
  }));
}
