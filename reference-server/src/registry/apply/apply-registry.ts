import type { AuditEvent } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import { keepAdministrator, LastAdministratorError } from "../../permissions/keep-administrator.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Store } from "../../store/store.js";
import { renderMessage } from "../../text/message.js";
import { textsIn } from "../../text/texts.js";
import { saveAppHost } from "../app-host.js";
import { setAssignments } from "../assignment.js";
import { saveClient } from "../client.js";
import { saveConnector, sealConnector, type SealedConnector } from "../connector.js";
import { saveGroupProvider } from "../group-provider.js";
import { keepUsableProvider, saveIdentityProvider } from "../identity-provider.js";
import { Refusal } from "../refusal.js";
import { saveAgents, saveResource } from "../resource.js";
import { findUnknownScopes, saveScope } from "../scope.js";
import { saveSettings } from "../settings.js";
import { saveSkill } from "../skill.js";
import { given, type RegistryChange, type Work } from "../work.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";

export type { RegistryChange } from "../work.js";

export interface ApplyRegistryOptions {
  readonly store: Store;
  readonly credentials: Vault;
  /** Seals the secrets of connectors. */
  readonly connectorVault: Vault;
  readonly at: Date;
}

/**
 * Brings the registry to what the file says and returns what changed: nothing the second time.
 *
 * Everything happens in one transaction. What the file lists is set completely: a resource's scopes, the
 * assignments of a person or group. What it does not list stays.
 *
 * @throws {RegistryError} The registry refuses something in it; the problem names its place in the file.
 */
export async function applyRegistry(
  file: RegistryFile,
  { store, credentials, connectorVault, at }: ApplyRegistryOptions,
): Promise<readonly RegistryChange[]> {
  const sealed: SealedConnector[] = [];
  await each(file, "connectors", async ({ key, clientSecret = null }) => {
    sealed.push(await sealConnector({ key, clientSecret }, { store, vault: connectorVault }));
  });
  const changes: RegistryChange[] = [];
  await store.transaction(async (tx) => {
    const audit = async (change: RegistryChange) => {
      const event = { outcome: "success", actor: { type: "operator" }, at, ...change } as AuditEvent;
      await recordAudit(tx, event);
      changes.push(change);
    };
    const auditAll = async (all: readonly RegistryChange[]) => {
      for (const change of all) await audit(change);
    };
    const work: Work = { store: tx, credentials, at, audit, auditAll };
    await keepAdministratorOf({ store: tx, now: at }, () => applySections(file, { sealed, work }));
    if (await tx.installation.completeIfConfigured(at)) {
      await audit({ type: "installation.completed", data: { by: "registry" } });
    }
  });
  return changes;
}

async function applySections(
  file: RegistryFile,
  { sealed, work }: { readonly sealed: readonly SealedConnector[]; readonly work: Work },
): Promise<void> {
  const { store } = work;
  if (file.installation !== undefined) await saveSettings({ installationName: file.installation.name }, work);
  if (file.apps !== undefined) {
    const { trust, dynamicRegistration } = file.apps;
    await saveSettings(given({ appTrust: trust, dynamicRegistration }), work);
  }
  const { agents } = file;
  if (agents !== undefined) await inSection("agents", () => saveAgents(agents, work));
  const providers = await store.identityProviders.listEnabled();
  await each(file, "providers", async ({ clientSecret = null, ...provider }) => {
    const before = await store.identityProviders.findByKey(provider.key);
    // No sign-in can happen while a file is applied, so the operator vouches for the provider.
    await saveIdentityProvider({ before, after: { ...provider, clientSecret }, assurance: "vouched" }, work);
  });
  await inSection("providers", () => keepUsableProvider(providers, work));
  await each(file, "groupProviders", async (after) => {
    await saveGroupProvider({ before: await store.groupProviders.findByKey(after.key), after }, work);
  });
  const scopes = await store.scopes.findAll(file.scopes.map(({ key }) => key));
  const scopesByKey = new Map(scopes.map((scope) => [scope.key, scope]));
  await each(file, "scopes", (after) => saveScope({ before: scopesByKey.get(after.key), after }, work));
  await requireKnownScopes(file, work);
  await each(file, "resources", async ({ scopes: supportedScopes, ...resource }) => {
    const before = await store.resources.describe(resource.key);
    await saveResource({ before, after: { ...resource, supportedScopes } }, work);
  });
  for (const section of ["clients", "machineClients"] as const) {
    await each(file, section, async (after) => {
      await saveClient({ before: await store.clients.find(after.client.id), after }, work);
    });
  }
  await each(file, "appHosts", async (after) => {
    await saveAppHost({ before: await store.appHosts.describe(after.host), after }, work);
  });
  await each(file, "connectors", async ({ clientSecret: _sealed, ...after }, index) => {
    const before = await store.connectors.describe(after.key);
    await saveConnector({ before, after, sealed: sealed[index] as SealedConnector }, work);
  });
  await each(file, "skills", async (skill) => {
    // What a file names is meant to be there: applying it publishes a draft.
    await saveSkill(
      { before: await store.ownSkills.findStored(skill.id), after: { skill, published: true } },
      work,
    );
  });
  await each(file, "assignments", ({ scopes: wanted, expiresAt, ...assignee }) =>
    setAssignments({ assignee, scopes: wanted, expiresAt }, work),
  );
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

/** Every unknown scope of the file at once, before anything that names one is saved. */
async function requireKnownScopes(file: RegistryFile, { store }: Work): Promise<void> {
  const sections = [
    ...placesOf("resources", file.resources, ({ scopes }) => scopes),
    ...placesOf("connectors", file.connectors, ({ requiredScopes }) => requiredScopes, "requiredScopes"),
    ...placesOf("skills", file.skills, ({ requiredScopes }) => requiredScopes, "requiredScopes"),
    ...placesOf("clients", file.clients, ({ client }) => client.ceiling, "ceiling"),
    ...placesOf("machineClients", file.machineClients, ({ machineScopes }) => machineScopes),
    ...placesOf("assignments", file.assignments, ({ scopes }) => scopes),
  ];
  const unknown = await findUnknownScopes(sections, store);
  if (unknown.length > 0)
    throw new RegistryError(unknown.map(({ path, message }) => `${path}: ${say(message)}`));
}

function placesOf<Item>(
  section: string,
  items: readonly Item[],
  scopesOf: (item: Item) => readonly string[],
  member = "scopes",
) {
  return items.map((item, index) => ({
    scopes: scopesOf(item),
    placeOf: () => `${section}[${index}].${member}`,
  }));
}

type Section = Exclude<keyof RegistryFile, "installation" | "apps" | "agents">;

/** Does something with every item of a section, and says of a refusal where in the file it belongs. */
async function each<Name extends Section>(
  file: RegistryFile,
  section: Name,
  work: (item: RegistryFile[Name][number], index: number) => Promise<void>,
): Promise<void> {
  for (const [index, item] of file[section].entries()) {
    await inSection(`${section}[${index}]`, () => work(item, index));
  }
}

async function inSection(place: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { fields, message } = error;
    if (fields === undefined) throw new RegistryError([`${place}: ${message}`]);
    throw new RegistryError(fields.map(({ path, message: what }) => `${place}${inside(path)}: ${say(what)}`));
  }
}

function inside(path: string): string {
  return path === "" ? "" : `.${path}`.replaceAll(/\.(\d+)/g, "[$1]");
}

function say(message: Parameters<typeof renderMessage>[0]): string {
  return renderMessage(message, textsIn("en"));
}
