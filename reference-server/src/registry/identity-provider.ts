import { randomUUID } from "node:crypto";
import { isLoopbackHost } from "../platform/outbound/addresses.js";
import { VaultError } from "../platform/vault/key-ring.js";
import { providerSecretRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import type { IdentityProvider, ListedIdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import { fault } from "../objects/check.js";
import { findSecretFaults } from "../objects/fields.js";
import { full, inUse, invalid, notFound, Refusal, requireNone, taken } from "./refusal.js";
import { type Assurance, assureSignIn } from "./provider-test.js";
import { changedFields, type Saving, sealSecret, type Work } from "./work.js";

/** As many as a registry file can have. */
export const maximumIdentityProviders = 100;

/**
 * The provider as a change would leave it, with the secret in the clear that it would have. Nothing is stored or sealed.
 *
 * @throws {Refusal} `invalid_request`: it needs its secret again, or none.
 */
export async function previewIdentityProvider(
  { before, after: wanted }: { readonly before: IdentityProvider; readonly after: WantedIdentityProvider },
  credentials: Vault,
): Promise<Omit<IdentityProvider, "clientSecret"> & { readonly clientSecret: string | null }> {
  const { id } = before;
  const sealed = await decideSecret({ before, wanted, id }, credentials);
  return { ...wanted, id, clientSecret: sealed === null ? null : await openSecret(sealed, id, credentials) };
}

/** Reads the secret of a provider. @throws {Refusal} `invalid_request`: it was sealed with a key that is gone. */
async function openSecret(sealed: Buffer, id: string, credentials: Vault): Promise<string> {
  try {
    return await credentials.open(sealed, providerSecretRow(id));
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw invalid(fault("clientSecret", "secretUnreadable"));
  }
}

/** A provider as it shall be; its secret is absent when the stored one stays, `null` when it shall have none. */
export type WantedIdentityProvider = Omit<IdentityProvider, "id" | "clientSecret"> & {
  readonly clientSecret?: string | null | undefined;
};

/**
 * Stores an identity provider as it shall be.
 *
 * At another issuer the same account identifier can be another person (OpenID Connect Core §5.7), so the accounts of the
 * former one are forgotten.
 *
 * @throws {Refusal} `already_exists`: the key, or the issuer's assertions are another provider's; `invalid_request`: there are
 * too many, or it needs its secret again, or none; `test_required`: it would serve without having been tested like this.
 */
export async function saveIdentityProvider(
  {
    before,
    after: wanted,
    assurance,
  }: Saving<IdentityProvider, WantedIdentityProvider> & { readonly assurance: Assurance },
  work: Work,
): Promise<void> {
  const { store, credentials, at, audit } = work;
  const { key, issuer } = wanted;
  if (before === undefined && (await store.identityProviders.findByKey(key)) !== undefined) {
    throw taken("identityProvider", { key }, "key");
  }
  if (before === undefined && (await store.identityProviders.count()) >= maximumIdentityProviders) {
    throw full("identityProviders", maximumIdentityProviders);
  }
  const id = before?.id ?? randomUUID();
  await requireOnlyAsserting(
    { id, ...wanted, allowsAssertions: wanted.allowsAssertions ?? before?.allowsAssertions },
    store,
  );
  const after: IdentityProvider = {
    ...wanted,
    id,
    clientSecret: await decideSecret({ before, wanted, id }, credentials),
  };
  if (before === undefined) {
    await store.identityProviders.save(after, at);
    await audit({ type: "provider.created", data: { key, issuer } });
    return await assureSignIn({ before, after }, assurance, work);
  }
  const fields = changedFields(before, after);
  if (fields.length === 0) return;
  if (issuer !== before.issuer) await store.identityProviders.forgetAccounts(id);
  // A refresh token is for the client that it was issued to.
  if (after.clientId !== before.clientId) await store.presences.dropTokens(id);
  await store.identityProviders.save(after, at);
  if (presenceFields.some((name) => fields.includes(name))) await store.presences.reschedule(id);
  await audit({ type: "provider.changed", data: { key, fields } });
  await assureSignIn({ before, after }, assurance, work);
}

const presenceFields = ["presence", "presenceIntervalSeconds", "signInEveryDays"] as const;

/** One provider of an issuer answers for its assertions: whose accounts are meant, and which addresses are allowed, is certain. */
async function requireOnlyAsserting(
  {
    id,
    issuer,
    allowsAssertions,
  }: Pick<IdentityProvider, "id" | "issuer"> & { readonly allowsAssertions: boolean | undefined },
  store: Pick<Store, "identityProviders">,
): Promise<void> {
  if (allowsAssertions !== true) return;
  const other = await store.identityProviders.findAsserting(issuer);
  if (other === undefined || other.id === id) return;
  throw taken("assertionIssuer", { issuer, provider: other.key }, "allowsAssertions");
}

async function decideSecret(
  {
    before,
    wanted,
    id,
  }: {
    readonly before: IdentityProvider | undefined;
    readonly wanted: WantedIdentityProvider;
    readonly id: string;
  },
  credentials: Vault,
): Promise<Buffer | null> {
  const { clientSecret: given, tokenEndpointAuthMethod: method } = wanted;
  const stored = before?.clientSecret ?? null;
  const keepsSecret = given === undefined && stored !== null && method !== "none";
  const hasSecret = typeof given === "string" || keepsSecret;
  requireNone(findSecretFaults({ hasSecret, method }).map(({ path, code }) => fault(path.join("."), code)));
  if (typeof given === "string")
    return await sealSecret({ secret: given, row: providerSecretRow(id), stored }, credentials);
  if (!keepsSecret) return null;
  const moved = wanted.issuer !== before?.issuer || wanted.discoveryUrl !== before.discoveryUrl;
  if (moved) throw invalid(fault("clientSecret", "secretAgain"));
  return stored;
}

/** Removes a provider and its accounts; people stay. @throws {Refusal} `in_use`, `last_provider` */
export async function removeIdentityProvider(provider: ListedIdentityProvider, work: Work): Promise<void> {
  const { id, key, issuer, groupProvider } = provider;
  if (groupProvider !== null) throw inUse("groupsTaken", { provider: key, groupProvider });
  const streams = await work.store.signalStreams.countOf(id);
  if (streams > 0) throw inUse("signalStreamsOfProvider", { provider: key, streams });
  if (provider.enabled) await requireOtherProvider(provider, work);
  await work.store.identityProviders.remove(id);
  await work.audit({ type: "provider.removed", data: { key, issuer } });
}

/** @throws {Refusal} `not_found` */
export async function findIdentityProvider(
  store: Pick<Store, "identityProviders">,
  key: string,
): Promise<ListedIdentityProvider> {
  const provider = await store.identityProviders.describe(key);
  if (provider === undefined) throw notFound("identityProvider", { key });
  return provider;
}

/**
 * Refuses to remove the last way to sign in. Changes wait for each other, so two of them cannot each count on
 * the other's provider.
 *
 * @throws {Refusal} `last_provider`: no other enabled provider has a secret that can be read.
 */
export async function requireOtherProvider(
  leaving: Pick<IdentityProvider, "id" | "name">,
  { store, credentials }: Pick<Work, "store" | "credentials">,
): Promise<void> {
  const others = (await store.identityProviders.listEnabled()).filter(({ id }) => id !== leaving.id);
  if ((await findUsable(others, credentials)).length > 0) return;
  throw new Refusal("last_provider", {
    key: "administration.refusals.lastProvider",
    values: { name: leaving.name },
  });
}

/**
 * The same for many changes at once, after them: what worked before is disabled, or at another issuer, where nobody has
 * signed in yet, and nothing else works.
 *
 * @throws {Refusal} `last_provider`
 */
export async function keepUsableProvider(
  before: readonly IdentityProvider[],
  { store, credentials }: Pick<Work, "store" | "credentials">,
): Promise<void> {
  const after = await store.identityProviders.listEnabled();
  const left = (await findUsable(before, credentials)).filter(
    (provider) =>
      !isOfThisComputer(provider) &&
      !after.some(({ id, issuer }) => id === provider.id && issuer === provider.issuer),
  );
  const [first] = left;
  if (first === undefined) return;
  const others = after.filter(({ id }) => !left.some((provider) => provider.id === id));
  if ((await findUsable(others, credentials)).length > 0) return;
  throw new Refusal("last_provider", {
    key: "administration.refusals.lastProviderOfFile",
    values: { key: first.key },
  });
}

/** The providers that people can sign in at, as far as it can be seen from here: enabled, and with a secret that opens. */
async function findUsable(
  providers: readonly IdentityProvider[],
  credentials: Vault,
): Promise<readonly IdentityProvider[]> {
  const usable: IdentityProvider[] = [];
  for (const provider of providers) {
    const { id, enabled, clientSecret } = provider;
    if (!enabled) continue;
    try {
      if (clientSecret !== null) await credentials.open(clientSecret, providerSecretRow(id));
      usable.push(provider);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
    }
  }
  return usable;
}

/** A provider for development, whose port changes. */
function isOfThisComputer({ issuer }: IdentityProvider): boolean {
  return isLoopbackHost(new URL(issuer).hostname);
}
