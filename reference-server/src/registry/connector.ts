import { randomUUID } from "node:crypto";
import { VaultError, type VaultProblem } from "../platform/vault/key-ring.js";
import { connectorRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import type { ConnectorTest } from "../store/connector-tests.js";
import type { Connector, ConnectorFields, ListedConnector } from "../store/connectors.js";
import type { Owner } from "../store/owners.js";
import type { Store } from "../store/store.js";
import type { Message } from "../text/message.js";
import { findSecretFaults } from "../objects/fields.js";
import type { ConnectorDefinition } from "./connector-fields.js";
import { fault } from "../objects/check.js";
import { requireKnownInRules, rulesChange } from "./call-rules.js";
import { full, inUse, invalid, notFound, Refusal, requireNone, taken } from "./refusal.js";
import { findUnknownOwners, saveOwners } from "./owners.js";
import { findUnknownScopes } from "./scope.js";
import { changedFields, type Saving, sealSecret, type Work } from "./work.js";

/** As many as a registry file can have. */
const maximumConnectors = 100;

/** A connector as it shall be; its secret is sealed beside it. */
export type WantedConnector = Omit<ConnectorDefinition, "clientSecret">;

type RegisteredConnector = Connector & { readonly owners: readonly Owner[] };

/** What a connector keeps secret, sealed for its row. */
export interface SealedConnector {
  /** Of the row, which is new or has this key already. */
  readonly id: string;
  /** The row was there when the secret was sealed. */
  readonly known: boolean;
  /** A secret was given, even if it is the one that is stored. */
  readonly given: boolean;
  /** `undefined`: the stored one stays. `null`: there shall be none. */
  readonly clientSecret: Buffer | null | undefined;
}

/**
 * Seals the secret of a connector. The key may be at another server, so this comes before the transaction.
 *
 * @param connector - `clientSecret` is absent when the stored one stays, `null` when there shall be none
 * @throws {Refusal} `connector_key_unavailable`: nothing can be sealed now. A new connector without a secret is refused as
 *   well: the tokens of its connections could not be stored.
 */
export async function sealConnector(
  { key, clientSecret: secret }: { readonly key: string; readonly clientSecret?: string | null | undefined },
  { store, vault }: { readonly store: Pick<Store, "connectors">; readonly vault: Vault },
): Promise<SealedConnector> {
  const found = await store.connectors.findByKey(key);
  const row = { id: found?.id ?? randomUUID(), known: found !== undefined };
  return await needingConnectorKey(async () => {
    if (!row.known) await requireConnectorKey(vault);
    if (typeof secret !== "string") return { ...row, given: false, clientSecret: secret };
    const stored = found?.clientSecret ?? null;
    const sealed = await sealSecret({ secret, row: connectorRow(row.id), stored }, vault);
    return { ...row, given: true, clientSecret: sealed === stored ? undefined : sealed };
  });
}

async function requireConnectorKey(vault: Vault): Promise<void> {
  const { state, problem = "" } = await vault.state();
  if (state !== "ready") throw new VaultError(state, problem);
}

/** Says that a secret cannot be sealed now, and what to do. @throws {Refusal} `connector_key_unavailable` */
export async function needingConnectorKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const { reason, message: problem } = error;
    throw new Refusal("connector_key_unavailable", keyProblem(reason, problem));
  }
}

/** What is wrong with the key of connectors, and what to do. */
export function keyProblem(reason: VaultProblem, problem: string): Message {
  const values = reason === "not_configured" ? {} : { problem };
  return { key: `administration.refusals.connectorKey.${reason}`, values };
}

/**
 * Stores a connector as it shall be. Tokens belong to the client that they were given to, so with another client everybody
 * has to connect again.
 *
 * @param before - `undefined`: the connector shall be new
 * @throws {Refusal} `already_exists`, `not_found`, `invalid_request`
 */
export async function saveConnector(
  {
    before,
    after: wanted,
    sealed,
  }: Saving<RegisteredConnector, WantedConnector> & { readonly sealed: SealedConnector },
  work: Work,
): Promise<void> {
  const { store } = work;
  const { key } = wanted;
  if (before === undefined) {
    if (sealed.known || (await store.connectors.findByKey(key)) !== undefined)
      throw taken("connector", { key }, "key");
    if ((await store.connectors.count()) >= maximumConnectors) throw full("connectors", maximumConnectors);
  } else if (before.id !== sealed.id) {
    // Removed and created again since its secret was sealed, it is another row.
    throw notFound("connector", { key });
  } else if (before.kind !== wanted.kind) {
    const values = { key, kind: before.kind };
    throw new Refusal("already_exists", { key: "administration.refusals.otherConnectorKind", values });
  }
  const former = before?.owners ?? [];
  const { owners = former, ...fields } = wanted;
  const after = complete(before, { wanted: fields, sealed });
  const placeOf = (index: number) => `requiredScopes.${index}`;
  requireNone([
    ...(await findUnknownScopes([{ scopes: wanted.requiredScopes, placeOf }], store)),
    ...(await findUnknownOwners(owners, store)),
  ]);
  await requireKnownInRules(wanted.rules, [], store);
  if (before === undefined) {
    await store.connectors.save(after, work.at);
    await work.audit({ type: "connector.created", data: { key, kind: wanted.kind } });
    await work.auditAll(rulesChange({ connector: key }, [], wanted.rules));
  } else {
    await replaceConnector({ before, after, owners }, work);
  }
  await saveOwners({ kind: "connector", id: after.id, key }, { before: former, after: owners }, work);
}

/** @throws {Refusal} `invalid_request`: it needs its secret again, or none. */
function complete(
  before: Connector | undefined,
  { wanted, sealed }: { readonly wanted: Omit<WantedConnector, "owners">; readonly sealed: SealedConnector },
): ConnectorFields {
  const { id, clientSecret, given } = sealed;
  const method = wanted.tokenEndpointAuthMethod;
  const stored = before?.clientSecret ?? null;
  const keepsSecret = clientSecret === undefined && stored !== null && method !== "none";
  const hasSecret = given || keepsSecret;
  requireNone(findSecretFaults({ hasSecret, method }).map(({ path, code }) => fault(path.join("."), code)));
  if (!hasSecret) return { ...wanted, id, clientSecret: null };
  if (!given && before !== undefined) requireSameUse(before, wanted);
  return { ...wanted, id, ...(clientSecret !== undefined && { clientSecret }) };
}

/**
 * A stored secret stays with the addresses that it was given for, and goes there in the same way. The account endpoint
 * does not get it, and receives tokens that cannot be obtained without it.
 */
function requireSameUse(before: Connector, after: WantedConnector): void {
  const { tokenEndpoint, revocationEndpoint, accountEndpoint } = after;
  const moved =
    tokenEndpoint !== before.tokenEndpoint ||
    (revocationEndpoint !== null && revocationEndpoint !== before.revocationEndpoint) ||
    (accountEndpoint !== null && accountEndpoint !== before.accountEndpoint);
  if (moved) throw invalid(fault("clientSecret", "secretAgain"));
  if (after.tokenEndpointAuthMethod !== before.tokenEndpointAuthMethod) {
    throw invalid(fault("clientSecret", "secretAgainMethod"));
  }
}

async function replaceConnector(
  {
    before,
    after,
    owners,
  }: {
    readonly before: RegisteredConnector;
    readonly after: ConnectorFields;
    readonly owners: readonly Owner[];
  },
  { store, at, audit, auditAll }: Work,
): Promise<void> {
  const fields = changedFields<Partial<RegisteredConnector>>(before, { ...after, owners });
  if (fields.length === 0) return;
  const { id, key } = after;
  // A concurrent connect ends before this, or reads the changed connector.
  await store.connectors.lock(id);
  await store.connectors.save(after, at);
  if (fields.some((name) => credentialFields.has(name))) await store.connectorTests.remove(id);
  const reconnect = isOtherClient(before, after)
    ? await store.connections.requireReconnectOfAll({ connectorId: id, reason: "client_changed" })
    : 0;
  await audit({ type: "connector.changed", data: { key, fields, ...(reconnect > 0 && { reconnect }) } });
  await auditAll(rulesChange({ connector: key }, before.rules, after.rules));
}

/** What the third party was asked about when the credentials were tested. */
const credentialFields: ReadonlySet<string> = new Set([
  "clientId",
  "clientSecret",
  "tokenEndpoint",
  "tokenEndpointAuthMethod",
]);

type ClientFacts = Pick<ConnectorFields, "clientId" | "tokenEndpoint">;

/** Whether a change makes stored tokens useless: they belong to the former client or party. */
export function isOtherClient(before: ClientFacts, after: ClientFacts): boolean {
  return before.clientId !== after.clientId || before.tokenEndpoint !== after.tokenEndpoint;
}

/**
 * Keeps what the third party said of a connector's credentials.
 *
 * @param connector - as it was tested
 * @throws {Refusal} `not_found`, or `version_conflict`: it was changed meanwhile, so the result says nothing about it.
 */
export async function saveConnectorTest(
  connector: Pick<Connector, "key" | "version">,
  test: ConnectorTest,
  { store, audit }: Work,
): Promise<void> {
  const { key, version } = connector;
  const current = await findConnector(store, key);
  const isSame = current.version === version && (await store.connectorTests.save(current, test));
  if (!isSame) throw new Refusal("version_conflict", { key: "administration.refusals.outdated" });
  const { verdict, reason: answer } = test;
  await audit({ type: "connector.tested", data: { key, verdict, answer } });
}

/** Connections hold tokens that have to be revoked first. @throws {Refusal} `in_use` while it has connections */
export async function removeConnector(
  { id, key, kind }: Pick<Connector, "id" | "key" | "kind">,
  { store, audit }: Work,
): Promise<void> {
  // The lock ends concurrent connects: they are done before it, or find no connector.
  await store.connectors.lock(id);
  const { connected, reconnectRequired, disconnecting } = await store.connections.countByState(id);
  const people = connected + reconnectRequired;
  if (people > 0) throw inUse("connectorInUse", { key, people });
  if (disconnecting > 0) throw inUse("connectorDisconnecting", { key, accounts: disconnecting });
  await store.connectors.remove(id);
  await audit({ type: "connector.removed", data: { key, kind } });
}

/** Blocks all connections. They are revoked and deleted in the background. */
export async function disconnectEverybody(
  { id, key }: Pick<Connector, "id" | "key">,
  { store, at, audit }: Work,
): Promise<{ connections: number }> {
  const connections = await store.connections.blockAll({ connectorId: id, now: at });
  if (connections > 0) await audit({ type: "connector.disconnected", data: { key, connections } });
  return { connections };
}

/** @throws {Refusal} `not_found` */
export async function findConnector(store: Pick<Store, "connectors">, key: string): Promise<ListedConnector> {
  const connector = await store.connectors.describe(key);
  if (connector === undefined) throw notFound("connector", { key });
  return connector;
}
