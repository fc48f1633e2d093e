import { applyProvider, saveChangedProvider } from "../../registry/apply/apply-providers.js";
import { changedFields } from "../../registry/apply/changed-fields.js";
import { clientSecretFault } from "../../registry/apply/provider-fields.js";
import { sealSecret } from "../../registry/apply/work.js";
import { providerSecretRow } from "../../platform/vault/rows.js";
import type { IdentityProvider as StoredProvider } from "../../store/providers.js";
import { loadScopesOfGroups } from "../groups/reach-of-groups.js";
import { AdminError, alreadyExists, fieldError, inUse, notFound } from "../http/admin-error.js";
import type { ChangeReach, ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { AdminTexts, Sentence } from "../texts/texts.js";
import { requireOtherProvider } from "./keep-provider.js";
import type { CheckedIdentityProvider, CheckedIdentityProviderPatch, IdentityProvider } from "./schemas.js";
import { loadProvider } from "./show-provider.js";

/** As many as a registry file can have. */
const maximumProviders = 100;

/** @throws {AdminError} `already_exists`, `invalid_request` */
export async function createProvider(
  wanted: CheckedIdentityProvider,
  { issuer, ...work }: ProviderWork,
): Promise<IdentityProvider> {
  const { store } = work;
  const { key } = wanted;
  if ((await store.providers.findByKey(key)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.identityProvider(key), "key");
  }
  if ((await store.providers.count()) >= maximumProviders) {
    throw new AdminError("invalid_request", ({ refusals }) =>
      refusals.full.identityProviders(maximumProviders),
    );
  }
  await applyProvider(wanted, work);
  return (await loadProvider(store, { key, issuer })).shown;
}

type ProviderWork = ChangeWork & {
  /** Of this server. */
  readonly issuer: string;
};

/** @throws {AdminError} `not_found`, `version_conflict`, `last_provider`, `invalid_request` */
export async function changeProvider(
  {
    key,
    change,
    version,
  }: { readonly key: string; readonly change: CheckedIdentityProviderPatch; readonly version: number },
  { issuer, ...work }: ProviderWork,
): Promise<IdentityProvider> {
  const { store, audit } = work;
  requireVersion((await loadProvider(store, { key, issuer })).shown, version);
  const found = await store.providers.findByKey(key);
  if (found === undefined) throw notFound(({ things }) => things.identityProvider(key));
  const provider = merge(found, change, work);
  // Nobody has signed in at the other issuer yet, so the provider counts as one that leaves.
  const leaves = !provider.enabled || provider.issuer !== found.issuer;
  if (found.enabled && leaves) await requireOtherProvider(found, work);
  const fields = changedFields(found, provider);
  if (fields.length > 0) {
    await saveChangedProvider({ before: found, after: provider }, work);
    await audit({ type: "provider.changed", data: { key, fields } });
  }
  return (await loadProvider(store, { key, issuer })).shown;
}

function merge(
  found: StoredProvider,
  { clientSecret: secret, ...change }: CheckedIdentityProviderPatch,
  { credentials }: Pick<ChangeWork, "credentials">,
): StoredProvider {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const provider: StoredProvider = { ...found, ...given };
  const { clientSecret: stored } = found;
  const method = provider.tokenEndpointAuthMethod;
  const hasSecret = secret !== undefined || (stored !== null && method !== "none");
  const fault = clientSecretFault({ hasSecret, method });
  if (fault !== undefined) throw fieldError("clientSecret", ({ below }) => below(fault));
  if (!hasSecret) return { ...provider, clientSecret: null };
  if (secret !== undefined) {
    const row = providerSecretRow(found.id);
    return { ...provider, clientSecret: sealSecret({ secret, row, stored }, credentials) };
  }
  const moved = provider.issuer !== found.issuer || provider.discoveryUrl !== found.discoveryUrl;
  if (moved) throw fieldError("clientSecret", ({ fields }) => fields.secretAgain);
  return provider;
}

/** @throws {AdminError} `not_found`, `version_conflict`, `in_use`, `last_provider` */
export async function removeProvider(
  { key, version }: { readonly key: string; readonly version: number },
  { issuer, ...work }: ProviderWork,
): Promise<void> {
  const { store, audit } = work;
  const { stored, shown } = await loadProvider(store, { key, issuer });
  requireVersion(shown, version);
  const { groupProvider } = shown;
  if (groupProvider !== null) throw inUse(({ refusals }) => refusals.groupsTaken(key, groupProvider));
  if (stored.enabled) await requireOtherProvider(stored, work);
  await store.providers.remove(stored.id);
  await audit({ type: "provider.removed", data: { key, issuer: stored.issuer } });
}

/**
 * The scopes that people have by groups that this provider names, and what ends: the way in of people, their sessions, or at
 * another issuer what is known of their accounts.
 */
export function reachOfProvider(
  key: string,
  lost: { readonly now: Date; readonly ends: boolean; readonly issuer?: string | undefined },
): ChangeReach {
  let notes: readonly Sentence[] = [];
  return {
    scopes: async (store) => {
      const found = await store.providers.findByKey(key);
      if (found === undefined) return [];
      const moves = lost.issuer !== undefined && lost.issuer !== found.issuer;
      if ((lost.ends && found.enabled) || moves) {
        const people = lost.ends && found.enabled ? await store.users.countDependent(found.id) : 0;
        const accounts = moves ? ((await store.providers.describe(key))?.people ?? 0) : 0;
        const sessions = await store.browserSessions.countLive({ providerId: found.id, now: lost.now });
        notes = describeLoss({ people, accounts, sessions, name: found.name });
      }
      const groups = await store.groupProviders.findByIdentityProvider(found.id);
      if (groups === undefined) return [];
      const compared = await loadScopesOfGroups(store, groups.id);
      notes = [...notes, ...compared.notes];
      return compared.scopes;
    },
    notes: async () => notes,
  };
}

function describeLoss({
  people,
  accounts,
  sessions,
  name,
}: {
  readonly people: number;
  readonly accounts: number;
  readonly sessions: number;
  readonly name: string;
}): readonly Sentence[] {
  return [
    ...(people > 0 ? [({ notes }: AdminTexts) => notes.signInLost(people, name)] : []),
    ...(accounts > 0 ? [({ notes }: AdminTexts) => notes.accountsForgotten(accounts, name)] : []),
    ...(sessions > 0 ? [({ notes }: AdminTexts) => notes.providerSessionsEnd(sessions)] : []),
  ];
}
