import { isDeepStrictEqual } from "node:util";
import { VaultError } from "../platform/vault/key-ring.js";
import { providerSecretRow, providerTestRow, signInTestRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import { isAllowedAddress } from "../sign-in/identity.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { ProviderTest } from "../store/provider-tests.js";
import { Refusal } from "./refusal.js";
import type { Work } from "./work.js";

/** The settings that decide whether a sign-in works; changing one of them makes a test outdated. */
interface TestedSettings {
  readonly issuer: string;
  readonly discoveryUrl: string | null;
  readonly clientId: string;
  /** In the clear: only ever kept sealed. */
  readonly clientSecret: string | null;
  readonly tokenEndpointAuthMethod: IdentityProvider["tokenEndpointAuthMethod"];
  readonly scopes: readonly string[];
  /** A refresh token was wanted, and the provider gave one and accepted it. */
  readonly presence: boolean;
}

/** A sign-in that succeeded, as a test or to complete the set-up. */
export interface PassedTest {
  readonly settings: TestedSettings;
  /** Address of the person who signed in; lower case. */
  readonly email: string;
}

/**
 * How it is known that people can sign in at a provider that begins to serve.
 *
 * `tested`: a test with exactly these settings has passed, or it is refused. `vouched`: somebody who cannot test it answers for
 * it, which is recorded. Otherwise: who has just signed in there.
 */
export type Assurance = "tested" | "vouched" | { readonly signedInAs: string };

/** How long a test counts for changes that are not saved yet. */
const unsavedSeconds = 3600;

/** @throws {VaultError} Its secret does not open. */
async function testedSettingsOf(provider: IdentityProvider, credentials: Vault): Promise<TestedSettings> {
  const { issuer, discoveryUrl, clientId, tokenEndpointAuthMethod, scopes } = provider;
  const { id, clientSecret: sealed, presence } = provider;
  const clientSecret = sealed === null ? null : await credentials.open(sealed, providerSecretRow(id));
  return {
    issuer,
    discoveryUrl,
    clientId,
    clientSecret,
    tokenEndpointAuthMethod,
    scopes: [...scopes],
    presence: presence === "on",
  };
}

/** Whether a provider begins to serve, or serves with other settings than before. */
function beginsToServe(before: IdentityProvider | undefined, after: IdentityProvider): boolean {
  if (!after.enabled) return false;
  if (before === undefined || !before.enabled) return true;
  const names = ["issuer", "discoveryUrl", "clientId", "clientSecret", "tokenEndpointAuthMethod"] as const;
  return (
    names.some((name) => !isDeepStrictEqual(before[name], after[name])) ||
    !isDeepStrictEqual([...before.scopes], [...after.scopes]) ||
    (after.presence === "on" && before.presence !== "on") ||
    allowsFewer(before.allowedEmailDomains, after.allowedEmailDomains)
  );
}

function allowsFewer(before: readonly string[], after: readonly string[]): boolean {
  if (after.length === 0) return false;
  return before.length === 0 || before.some((domain) => !after.includes(domain));
}

/**
 * Makes sure that a provider which begins to serve, or serves with other settings, has been tested with them. Call it when the
 * provider is stored, in the same transaction.
 *
 * @throws {Refusal} `test_required`
 */
export async function assureSignIn(
  { before, after }: { readonly before: IdentityProvider | undefined; readonly after: IdentityProvider },
  assurance: Assurance,
  { store, credentials, at, audit }: Work,
): Promise<void> {
  if (!beginsToServe(before, after)) return;
  const { id: providerId, key, name } = after;
  if (typeof assurance === "object") {
    const passed = { settings: await testedSettingsOf(after, credentials), email: assurance.signedInAs };
    return await store.providerTests.save(await sealTest({ providerId, passed, testedAt: at }, credentials));
  }
  const found = await findPassedTest(after, { store, credentials, at });
  if (found !== undefined) return await store.providerTests.save(await sealTest(found, credentials));
  if (assurance === "vouched") return await audit({ type: "provider.test_skipped", data: { key } });
  throw new Refusal("test_required", { key: "administration.refusals.testRequired", values: { name } });
}

interface FoundTest {
  readonly providerId: string;
  readonly passed: PassedTest;
  readonly testedAt: Date;
}

/** The last test that passed with the settings that a provider has now; also one of changes that were not saved then. */
async function findPassedTest(
  provider: IdentityProvider,
  { store, credentials, at }: Pick<Work, "store" | "credentials" | "at">,
): Promise<FoundTest | undefined> {
  const { id: providerId } = provider;
  const stored = await store.providerTests.find(providerId);
  const last = stored && (await openTest(stored, credentials));
  if (stored !== undefined && last !== undefined && (await covers(last, provider, credentials))) {
    return { providerId, passed: last, testedAt: stored.testedAt };
  }
  const since = new Date(at.getTime() - unsavedSeconds * 1000);
  const tests = await store.signInTests.listPassed({ providerId, since });
  for (const { id, settings, finishedAt } of tests) {
    const passed = await openSealed(settings, signInTestRow(id), credentials);
    if (passed !== undefined && (await covers(passed, provider, credentials))) {
      return { providerId, passed, testedAt: finishedAt ?? at };
    }
  }
  return undefined;
}

/**
 * Whether a test says that people can sign in at a provider as it is: it has the same settings, and whoever signed in then would
 * still be allowed to. Another domain beside the allowed ones makes no test void, and neither does not asking the provider any more.
 */
export async function covers(
  passed: PassedTest,
  provider: IdentityProvider,
  credentials: Vault,
): Promise<boolean> {
  if (!isAllowedAddress(passed.email, provider)) return false;
  try {
    const { presence, ...settings } = await testedSettingsOf(provider, credentials);
    const { presence: tried, ...tested } = passed.settings;
    return isDeepStrictEqual(tested, settings) && (tried || !presence);
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

export async function sealTest(
  { providerId, passed, testedAt }: FoundTest,
  credentials: Vault,
): Promise<ProviderTest> {
  const settings = await credentials.seal(JSON.stringify(passed), providerTestRow(providerId));
  return { providerId, settings, testedAt };
}

/** `undefined` when it does not open any more: then nothing is known. */
export async function openTest(
  { providerId, settings }: ProviderTest,
  credentials: Vault,
): Promise<PassedTest | undefined> {
  return await openSealed(settings, providerTestRow(providerId), credentials);
}

async function openSealed(sealed: Buffer, row: string, credentials: Vault): Promise<PassedTest | undefined> {
  try {
    return JSON.parse(await credentials.open(sealed, row)) as PassedTest;
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
