import type { AuditActor, AuditEvent } from "../audit/events.js";
import { recordAllAudits } from "../audit/record.js";
import type { Vault } from "../platform/vault/vault.js";
import { changeAssignments } from "../registry/assignment.js";
import { findIdentityProvider, saveIdentityProvider } from "../registry/identity-provider.js";
import { SignInFault } from "../registry/probes/sign-in-checks.js";
import { Refusal } from "../registry/refusal.js";
import { saveSettings } from "../registry/settings.js";
import type { RegistryChange, Work } from "../registry/work.js";
import type { Browser } from "../sign-in/browser.js";
import { type ProvidedIdentity, SignInError } from "../sign-in/identity.js";
import { openSession } from "../sign-in/open-session.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import { administerScope, agentsScope, loginScope } from "../store/system-scopes.js";
import { type Installation, InstallFileError } from "./installation.js";

interface StoringInstallation {
  /** Of a transaction: all of it is stored, or nothing. */
  readonly store: Store;
  readonly credentials: Vault;
  readonly by: "browser" | "file";
  readonly at: Date;
  readonly requestId?: string;
}

/** The stored provider, and how to record the installation. */
interface StoredInstallation {
  readonly provider: IdentityProvider;
  /** Records that the installation is complete, and by whom. Call it last, in the same transaction. */
  readonly record: (actor: AuditActor) => Promise<void>;
}

/**
 * Stores an installation through the registry, and closes the set-up. `undefined` when it is closed already: among any
 * number of calls one gets through.
 *
 * @throws {Refusal} The registry does not save it, by the rules that it has for everybody.
 */
async function storeInstallation(
  installation: Installation,
  { store, credentials, by, at, requestId }: StoringInstallation,
): Promise<StoredInstallation | undefined> {
  // First, because its lock makes concurrent calls wait.
  if (!(await store.installation.complete(at))) return undefined;
  const { installationName, administratorEmail: email, provider: described } = installation;
  // Recorded once the actor is known.
  const changes: RegistryChange[] = [];
  const auditAll = async (more: readonly RegistryChange[]) => void changes.push(...more);
  const work: Work = { store, credentials, at, audit: (change) => auditAll([change]), auditAll };
  await saveSettings({ installationName }, work);
  const key = await freeKey(described.key ?? keyOf(described.name), store);
  const after = { ...described, key, enabled: true };
  // In a browser the administrator has just signed in at this provider.
  const assurance = by === "browser" ? { signedInAs: email } : "vouched";
  await saveIdentityProvider({ before: undefined, after, assurance }, work);
  const create = [administerScope, loginScope, agentsScope].map((scope) => ({ email, scope }));
  await changeAssignments({ create, remove: [] }, work);
  return {
    provider: await findIdentityProvider(store, key),
    async record(actor) {
      const common = { outcome: "success", actor, at, ...(requestId !== undefined && { requestId }) };
      const all: readonly RegistryChange[] = [...changes, { type: "installation.completed", data: { by } }];
      await recordAllAudits(
        store,
        all.map((change) => ({ ...common, ...change }) as AuditEvent),
      );
    },
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
    if ((await store.identityProviders.findByKey(key)) === undefined) return key;
  }
}

interface SetUpCompletion {
  readonly installation: Installation;
  /** The first administrator, who just signed in at the provider. */
  readonly identity: ProvidedIdentity;
  readonly browser: Browser;
  readonly userAgent: string | null;
  /** What the browser prefers of the languages that are spoken here. */
  readonly language: string;
  readonly requestId: string;
}

/**
 * Stores the installation and signs its first administrator in, or does nothing at all.
 *
 * @returns the token of the new session; `undefined` when the set-up was completed before
 * @throws {SignInFault} `user_disabled`, or `not_saved`: the registry refuses it
 */
export async function completeSetUp(
  completion: SetUpCompletion,
  { store, credentials, now }: { store: Store; credentials: Vault; now: Date },
): Promise<string | undefined> {
  const { installation, identity, requestId } = completion;
  try {
    return await store.transaction(async (tx) => {
      const by = { store: tx, credentials, by: "browser", at: now, requestId } as const;
      const stored = await storeInstallation(installation, by);
      if (stored === undefined) return undefined;
      const { provider } = stored;
      const opened = await openSession(identity, {
        provider,
        claimed: undefined,
        refreshToken: undefined,
        credentials,
        askedAnewAt: null,
        input: completion,
        store: tx,
        now,
      });
      await stored.record({ type: "user", id: opened.userId });
      return opened.token;
    });
  } catch (error) {
    if (error instanceof Refusal) {
      throw new SignInFault("not_saved", { email: identity.email, detail: error.message });
    }
    if (!(error instanceof SignInError) || error.reason !== "user_disabled") throw error;
    throw new SignInFault("user_disabled", { email: identity.email });
  }
}

/**
 * Installs without a browser. Returns whether this call did; `false`: it was installed before, and nothing changed.
 *
 * @throws {InstallFileError} The registry refuses it.
 */
export async function install(
  installation: Installation,
  { store, credentials, at }: { readonly store: Store; readonly credentials: Vault; readonly at: Date },
): Promise<boolean> {
  try {
    return await store.transaction(async (tx) => {
      const stored = await storeInstallation(installation, { store: tx, credentials, by: "file", at });
      await stored?.record({ type: "operator" });
      return stored !== undefined;
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new InstallFileError([error.message]);
  }
}
