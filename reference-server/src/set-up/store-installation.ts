import { randomUUID } from "node:crypto";
import type { AuditActor, AuditEvent } from "../audit/events.js";
import { recordAudit } from "../audit/record.js";
import { providerSecretRow } from "../platform/vault/rows.js";
import type { CredentialVault } from "../platform/vault/credential-vault.js";
import { administerScope, loginScope } from "../store/system-scopes.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import type { Installation, InstallationProvider } from "./installation.js";

export interface StoringInstallation {
  /** Of a transaction: all of it is stored, or nothing. */
  readonly store: Store;
  readonly credentials: CredentialVault;
  readonly by: "browser" | "file";
  readonly at: Date;
  readonly requestId?: string;
}

/** What is stored: the provider that people sign in at, and how the rest is recorded. */
export interface StoredInstallation {
  readonly provider: IdentityProvider;
  /** Records that the installation is complete, and by whom. Call it last, in the same transaction. */
  readonly record: (actor: AuditActor) => Promise<void>;
}

/**
 * Stores an installation, and closes the set-up. `undefined` when it is closed already: among any number of calls one
 * gets through.
 */
export async function storeInstallation(
  installation: Installation,
  { store, credentials, by, at, requestId }: StoringInstallation,
): Promise<StoredInstallation | undefined> {
  // First, because it makes the others wait.
  if (!(await store.installation.complete(at))) return undefined;
  const { installationName, administratorEmail: email } = installation;
  const { installationName: before } = await store.settings.get();
  await store.settings.save({ installationName }, at);
  const provider = await toProvider(installation.provider, { store, credentials });
  await store.identityProviders.save(provider, at);
  const scopes = [administerScope, loginScope];
  const given = await Promise.all(
    scopes.map((scope) => store.assignments.insertMissing({ id: randomUUID(), email, scope }, at)),
  );
  return {
    provider,
    async record(actor) {
      const audit = (event: Pick<AuditEvent, "type" | "data">) =>
        recordAudit(store, {
          ...event,
          outcome: "success",
          actor,
          at,
          ...(requestId !== undefined && { requestId }),
        } as AuditEvent);
      if (before !== installationName) {
        await audit({ type: "installation.changed", data: { name: { from: before, to: installationName } } });
      }
      await audit({ type: "provider.created", data: { key: provider.key, issuer: provider.issuer } });
      for (const scope of scopes.filter((_scope, index) => given[index])) {
        // oxlint-disable-next-line no-await-in-loop -- in order, on one connection
        await audit({ type: "assignment.created", data: { email, scope } });
      }
      await audit({ type: "installation.completed", data: { by } });
    },
  };
}

async function toProvider(
  { key, clientSecret, ...wanted }: InstallationProvider,
  { store, credentials }: Pick<StoringInstallation, "store" | "credentials">,
): Promise<IdentityProvider> {
  const id = randomUUID();
  return {
    ...wanted,
    id,
    key: await freeKey(key ?? keyOf(wanted.name), store),
    clientSecret: clientSecret === null ? null : credentials.seal(clientSecret, providerSecretRow(id)),
    enabled: true,
  };
}

/** A key out of a name: letters, digits and hyphens. */
function keyOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-+|-+$/g, "").slice(0, 90) || "provider";
}

/** There can be providers before the set-up is complete, but only few. */
async function freeKey(wanted: string, store: Store): Promise<string> {
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? wanted : `${wanted}-${number}`;
    // oxlint-disable-next-line no-await-in-loop -- the first one is free, nearly always
    if ((await store.identityProviders.findByKey(key)) === undefined) return key;
  }
}
