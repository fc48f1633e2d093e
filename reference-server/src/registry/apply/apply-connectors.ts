import type { EnvelopeVault } from "../../platform/vault/envelope.js";
import { ConnectorKeyError } from "../../platform/vault/key-ring.js";
import type { Store } from "../../store/store.js";
import type { ConnectorDefinition } from "./connector-definition.js";
import { RegistryError } from "./registry-error.js";
import { insertConnector, replaceConnector } from "./save-connector.js";
import { type SealedConnector, sealConnector } from "./seal-connector.js";
import type { Work } from "./work.js";

/** A connector of the file, and its secret in sealed form. */
export interface PreparedConnector {
  readonly definition: ConnectorDefinition;
  readonly sealed: SealedConnector;
}

/**
 * Seals what the section `connectors` keeps secret. The key may be at another server, so this comes before the transaction.
 *
 * @throws {RegistryError} Nothing can be sealed.
 */
export async function prepareConnectors(
  definitions: readonly ConnectorDefinition[],
  context: { readonly store: Pick<Store, "connectors">; readonly vault: EnvelopeVault },
): Promise<readonly PreparedConnector[]> {
  const prepared: PreparedConnector[] = [];
  for (const definition of definitions) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a few, and the key's own server is asked for each
      prepared.push({ definition, sealed: await sealConnector(definition, context) });
    } catch (error) {
      if (!(error instanceof ConnectorKeyError)) throw error;
      throw new RegistryError([`connectors: "${definition.key}" cannot be stored: ${error.message}`]);
    }
  }
  return prepared;
}

/** @throws {RegistryError} */
export async function applyConnector({ definition, sealed }: PreparedConnector, work: Work): Promise<void> {
  const { key, kind } = definition;
  const { clientSecret: _given, ...wanted } = definition;
  const { id, known, clientSecret } = sealed;
  const after = { ...wanted, id, ...(clientSecret !== undefined && { clientSecret }) };
  const found = await work.store.connectors.findByKey(key);
  if (found === undefined ? known : found.id !== id) {
    throw new RegistryError([
      `connectors: "${key}" was changed by somebody else meanwhile; apply the file again`,
    ]);
  }
  if (found === undefined) return await insertConnector(after, work);
  if (found.kind !== kind) {
    throw new RegistryError([
      `connectors: "${key}" is of the kind "${found.kind}"; give the new one another key`,
    ]);
  }
  await replaceConnector({ before: found, after }, work);
}
