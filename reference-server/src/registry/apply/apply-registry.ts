import { randomUUID } from "node:crypto";
import type { AuditEvent } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import type { EnvelopeVault } from "../../platform/vault/envelope.js";
import type { CredentialVault } from "../../platform/vault/credential-vault.js";
import { keepAdministrator, LastAdministratorError } from "../../permissions/keep-administrator.js";
import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import { applyAssignment } from "./apply-assignment.js";
import { applyClients } from "./apply-clients.js";
import { keepUsableProvider } from "./keep-provider.js";
import { applyGroupProvider, applyProvider } from "./apply-providers.js";
import { applyConnector, type PreparedConnector, prepareConnectors } from "./apply-connectors.js";
import { applySkills } from "./apply-skills.js";
import { changedFields } from "./changed-fields.js";
import { findResourceConflicts } from "./resource-conflicts.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";
import type { RegistryChange, Work } from "./work.js";

export type { RegistryChange } from "./work.js";

export interface ApplyRegistryOptions {
  readonly store: Store;
  readonly credentials: CredentialVault;
  /** Seals the secrets of connectors. */
  readonly connectorVault: EnvelopeVault;
  readonly at: Date;
}

/**
 * Brings the registry to what the file says and returns what changed: nothing the second time.
 *
 * Everything happens in one transaction. What the file lists is set completely: a resource's scopes, the
 * assignments of a person or group. What it does not list stays.
 *
 * @throws {RegistryError} The file refers to something that does not exist.
 */
export async function applyRegistry(
  file: RegistryFile,
  { store, credentials, connectorVault, at }: ApplyRegistryOptions,
): Promise<readonly RegistryChange[]> {
  const connectors = await prepareConnectors(file.connectors, { store, vault: connectorVault });
  const changes: RegistryChange[] = [];
  await store.transaction(async (tx) => {
    const audit = async (change: RegistryChange) => {
      const event = { outcome: "success", actor: { type: "operator" }, at, ...change } as AuditEvent;
      await recordAudit(tx, event);
      changes.push(change);
    };
    const work: Work = { store: tx, credentials, at, audit };
    await keepAdministratorOf({ store: tx, now: at }, () => applySections(file, connectors, work));
    if (await tx.installation.completeIfConfigured(at)) {
      await audit({ type: "installation.completed", data: { by: "registry" } });
    }
  });
  return changes;
}

async function applySections(
  file: RegistryFile,
  connectors: readonly PreparedConnector[],
  work: Work,
): Promise<void> {
  await applyInstallation(file, work);
  const providers = await work.store.providers.listEnabled();
  for (const provider of file.providers) await applyProvider(provider, work);
  await keepUsableProvider(providers, work);
  for (const provider of file.groupProviders) await applyGroupProvider(provider, work);
  await applyScopes(file, work);
  await requireKnownScopes(file, work);
  for (const resource of file.resources) await applyResource(resource, work);
  await applyClients(file, work);
  for (const connector of connectors) await applyConnector(connector, work);
  await applySkills(file.skills, work);
  for (const assignment of file.assignments) await applyAssignment(assignment, work);
}

/** @throws {RegistryError} The file takes the last administrator away. */
async function keepAdministratorOf(
  transaction: { readonly store: Store; readonly now: Date },
  change: () => Promise<void>,
): Promise<void> {
  try {
    await keepAdministrator(transaction, change);
  } catch (error) {
    if (!(error instanceof LastAdministratorError)) throw error;
    throw new RegistryError([`assignments: ${error.message}`]);
  }
}

async function applyInstallation({ installation }: RegistryFile, { store, at, audit }: Work): Promise<void> {
  if (installation === undefined) return;
  const { installationName } = await store.settings.get();
  if (installationName === installation.name) return;
  await store.settings.save({ installationName: installation.name }, at);
  await audit({
    type: "installation.changed",
    data: { name: { from: installationName, to: installation.name } },
  });
}

async function applyScopes(file: RegistryFile, { store, at, audit }: Work): Promise<void> {
  const found = new Map(
    (await store.scopes.findAll(file.scopes.map(({ key }) => key))).map((scope) => [scope.key, scope]),
  );
  const system = file.scopes.filter(({ key }) => found.get(key)?.system === true);
  if (system.length > 0) {
    throw new RegistryError(
      system.map(({ key }) => `scopes: "${key}" is a system scope and cannot be changed`),
    );
  }
  for (const { key, description } of file.scopes) {
    const scope = { key, description, system: false };
    const before = found.get(key);
    if (before === undefined) {
      await store.scopes.save(scope, at);
      await audit({ type: "scope.created", data: { key } });
    } else if (before.description !== description) {
      await store.scopes.save(scope, at);
      await audit({ type: "scope.changed", data: { key, fields: ["description"] } });
    }
  }
}

async function requireKnownScopes(file: RegistryFile, { store }: Work): Promise<void> {
  const uses = [
    ...file.resources.map(({ scopes }, index) => ({ place: `resources[${index}].scopes`, scopes })),
    ...file.connectors.map(({ requiredScopes: scopes }, index) => ({
      place: `connectors[${index}].requiredScopes`,
      scopes,
    })),
    ...file.skills.map(({ requiredScopes: scopes }, index) => ({
      place: `skills[${index}].requiredScopes`,
      scopes,
    })),
    ...file.machineClients.map(({ machineScopes: scopes }, index) => ({
      place: `machineClients[${index}].scopes`,
      scopes,
    })),
    ...file.assignments.map(({ scopes }, index) => ({ place: `assignments[${index}].scopes`, scopes })),
  ];
  const wanted = [...new Set(uses.flatMap(({ scopes }) => scopes))];
  const known = new Set((await store.scopes.findAll(wanted)).map(({ key }) => key));
  const problems = uses.flatMap(({ place, scopes }) =>
    scopes.filter((scope) => !known.has(scope)).map((scope) => `${place}: "${scope}" is not a known scope`),
  );
  if (problems.length > 0) throw new RegistryError(problems);
}

async function applyResource(
  { scopes, ...wanted }: RegistryFile["resources"][number],
  { store, at, audit }: Work,
): Promise<void> {
  const found = await store.resources.findByKey(wanted.key);
  const conflicts = await findResourceConflicts(wanted, store);
  if (conflicts.length > 0) throw new RegistryError(conflicts.map(({ message }) => `resources: ${message}`));
  const supportedScopes = [...new Set(scopes)].sort();
  const resource: Resource = { ...wanted, id: found?.id ?? randomUUID(), supportedScopes };
  if (found === undefined) {
    await store.resources.save(resource, at);
    return await audit({ type: "resource.created", data: { key: wanted.key, resource: wanted.resource } });
  }
  const fields = changedFields(found, resource);
  if (fields.length === 0) return;
  await store.resources.save(resource, at);
  await audit({ type: "resource.changed", data: { key: wanted.key, fields } });
}
