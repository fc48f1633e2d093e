import { type ConnectorDefinition, completeLimits } from "../../registry/apply/connector-definition.js";
import { clientSecretFault } from "../../registry/apply/provider-fields.js";
import { findUnknownScopes } from "../../registry/apply/resource-conflicts.js";
import { insertConnector, replaceConnector } from "../../registry/apply/save-connector.js";
import { type SealedConnector, sealConnectorSecret } from "../../registry/apply/seal-connector.js";
import type { Envelope, EnvelopeVault } from "../../platform/vault/envelope.js";
import type { Connector as StoredConnector, ConnectorFields } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { AdminError, alreadyExists, fieldError, invalidFields, notFound } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { CheckedConnectorPatch, Connector } from "./schemas.js";
import { type ConnectorView, findConnector, showConnector } from "./show-connector.js";

/** As many as a registry file can have. */
const maximumConnectors = 100;

type ConnectorWork = ChangeWork & ConnectorView;

/** @throws {AdminError} `already_exists`, `invalid_request` */
export async function createConnector(
  { definition, sealed }: { readonly definition: ConnectorDefinition; readonly sealed: SealedConnector },
  work: ConnectorWork,
): Promise<Connector> {
  const { store } = work;
  const { key } = definition;
  if (sealed.known || (await store.connectors.findByKey(key)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.connector(key), "key");
  }
  if ((await store.connectors.count()) >= maximumConnectors) {
    throw new AdminError("invalid_request", ({ refusals }) => refusals.full.connectors(maximumConnectors));
  }
  await requireKnownScopes(definition.requiredScopes, store);
  const clientSecret = sealed.clientSecret ?? null;
  await insertConnector({ ...definition, id: sealed.id, clientSecret }, work);
  return showConnector(await findConnector(store, key), work);
}

/** A change, and the secret that came with it, sealed for one row. */
export interface SealedPatch {
  readonly patch: Omit<CheckedConnectorPatch, "clientSecret">;
  /** Absent: none was given, or it is the one that is stored. */
  readonly secret: { readonly id: string; readonly envelope: Envelope | undefined } | undefined;
}

/**
 * Seals the secret of a change. The key may be at another server, so this comes before the transaction.
 *
 * @throws {ConnectorKeyError}
 * @throws {AdminError} `not_found`
 */
export async function sealPatch(
  { key, change }: { readonly key: string; readonly change: CheckedConnectorPatch },
  { store, vault }: { readonly store: Pick<Store, "connectors">; readonly vault: EnvelopeVault },
): Promise<SealedPatch> {
  const { clientSecret: secret, ...patch } = change;
  if (secret === undefined) return { patch, secret: undefined };
  const found = await store.connectors.findByKey(key);
  if (found === undefined) throw notFound(({ things }) => things.connector(key));
  const { id, clientSecret: stored } = found;
  return { patch, secret: { id, envelope: await sealConnectorSecret({ secret, id, stored }, vault) } };
}

/** @throws {AdminError} `not_found`, `version_conflict`, `invalid_request` */
export async function changeConnector(
  { key, change, version }: { readonly key: string; readonly change: SealedPatch; readonly version: number },
  work: ConnectorWork,
): Promise<Connector> {
  const { store } = work;
  const found = await findConnector(store, key);
  requireVersion(showConnector(found, work), version);
  // Removed and created again since its secret was sealed, it is another row.
  if (change.secret !== undefined && change.secret.id !== found.id) {
    throw notFound(({ things }) => things.connector(key));
  }
  const after = merge(found, change);
  await requireKnownScopes(after.requiredScopes, store);
  await replaceConnector({ before: found, after }, work);
  return showConnector(await findConnector(store, key), work);
}

/** The connector as it would be. @throws {AdminError} `invalid_request`: it needs its secret again, or none. */
export function merge(found: StoredConnector, { patch, secret }: SealedPatch): ConnectorFields {
  const {
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    version: _version,
    clientSecret: stored,
    ...before
  } = found;
  const { limits = {}, ...change } = patch;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: Omit<ConnectorFields, "clientSecret"> = {
    ...before,
    ...given,
    limits: completeLimits(limits, before.limits),
  };
  const method = after.tokenEndpointAuthMethod;
  const hasSecret = secret !== undefined || (stored !== null && method !== "none");
  const fault = clientSecretFault({ hasSecret, method });
  if (fault !== undefined) throw fieldError("clientSecret", ({ below }) => below(fault));
  if (!hasSecret) return { ...after, clientSecret: null };
  if (secret === undefined) requireSameUse(before, after);
  return secret?.envelope === undefined ? after : { ...after, clientSecret: secret.envelope };
}

/**
 * A stored secret stays with the addresses that it was given for, and goes there in the same way. The account endpoint
 * does not get it, and gets tokens that nobody has without it.
 */
function requireSameUse(before: Omit<ConnectorFields, "clientSecret">, after: typeof before): void {
  const { tokenEndpoint, revocationEndpoint, accountEndpoint } = after;
  const moved =
    tokenEndpoint !== before.tokenEndpoint ||
    (revocationEndpoint !== null && revocationEndpoint !== before.revocationEndpoint) ||
    (accountEndpoint !== null && accountEndpoint !== before.accountEndpoint);
  if (moved) throw fieldError("clientSecret", ({ fields }) => fields.secretAgain);
  if (after.tokenEndpointAuthMethod !== before.tokenEndpointAuthMethod) {
    throw fieldError("clientSecret", ({ fields }) => fields.secretAgainMethod);
  }
}

async function requireKnownScopes(scopes: readonly string[], store: Store): Promise<void> {
  const unknown = await findUnknownScopes(scopes, store, "requiredScopes");
  if (unknown.length === 0) return;
  throw invalidFields(unknown.map(({ path, message }) => ({ path, message: ({ below }) => below(message) })));
}
