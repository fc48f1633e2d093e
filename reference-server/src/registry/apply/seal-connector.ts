import { randomUUID } from "node:crypto";
import { connectorRow, type Envelope, type EnvelopeVault } from "../../platform/vault/envelope.js";
import { ConnectorKeyError } from "../../platform/vault/key-ring.js";
import type { Store } from "../../store/store.js";
import type { ConnectorDefinition } from "./connector-definition.js";

/** The id and the sealed secret that a connector gets. The key may be at another server, so this comes before the transaction. */
export interface SealedConnector {
  readonly id: string;
  /** The row was there when the secret was sealed. */
  readonly known: boolean;
  /** `undefined`: the stored one is the same secret and stays. `null`: a client without one. */
  readonly clientSecret: Envelope | null | undefined;
}

/**
 * Seals the secret of a connector for its row, which is new or has this key already.
 *
 * @throws {ConnectorKeyError} Nothing can be sealed now. A new connector without a secret is refused as well: the tokens
 *   of its connections could not be stored.
 */
export async function sealConnector(
  { key, clientSecret: secret }: Pick<ConnectorDefinition, "key" | "clientSecret">,
  { store, vault }: { readonly store: Pick<Store, "connectors">; readonly vault: EnvelopeVault },
): Promise<SealedConnector> {
  const found = await store.connectors.findByKey(key);
  const known = found !== undefined;
  const id = found?.id ?? randomUUID();
  if (!known) await requireConnectorKey(vault);
  if (secret === undefined) return { id, known, clientSecret: null };
  const stored = found?.clientSecret ?? null;
  return { id, known, clientSecret: await sealConnectorSecret({ secret, id, stored }, vault) };
}

/**
 * The sealed form of a connector's secret; `undefined` when the stored one is the same secret.
 *
 * A stored secret that does not open counts as another one: giving it again is the way to repair it.
 *
 * @throws {ConnectorKeyError}
 */
export async function sealConnectorSecret(
  { secret, id, stored }: { readonly secret: string; readonly id: string; readonly stored: Envelope | null },
  vault: EnvelopeVault,
): Promise<Envelope | undefined> {
  const row = connectorRow(id);
  if (stored !== null && (await opensTo(secret, () => vault.open(stored, row)))) return undefined;
  return await vault.seal(secret, row);
}

async function opensTo(secret: string, open: () => Promise<string>): Promise<boolean> {
  try {
    return (await open()) === secret;
  } catch (error) {
    if (error instanceof ConnectorKeyError) return false;
    throw error;
  }
}

async function requireConnectorKey(vault: EnvelopeVault): Promise<void> {
  const { state, problem = "" } = await vault.state();
  if (state !== "ready") throw new ConnectorKeyError(state, problem);
}
