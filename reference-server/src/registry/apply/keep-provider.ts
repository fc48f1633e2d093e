import { providerSecretRow } from "../../platform/vault/rows.js";
import { type CredentialVault, CredentialUnreadableError } from "../../platform/vault/credential-vault.js";
import { isLoopbackHost } from "../../platform/outbound/addresses.js";
import type { IdentityProvider } from "../../store/providers.js";
import { RegistryError } from "./registry-error.js";
import type { Work } from "./work.js";

/** Whether people can sign in there, as far as it can be seen from here: it is enabled, and its secret can be read. */
export function isUsable(
  { id, enabled, clientSecret }: IdentityProvider,
  credentials: CredentialVault,
): boolean {
  if (!enabled) return false;
  try {
    if (clientSecret !== null) credentials.open(clientSecret, providerSecretRow(id));
    return true;
  } catch (error) {
    if (error instanceof CredentialUnreadableError) return false;
    throw error;
  }
}

/**
 * Refuses a file that leaves nobody a way to sign in: what worked before is disabled, or at another issuer, where nobody has
 * signed in yet, and nothing else works.
 *
 * @throws {RegistryError}
 */
export async function keepUsableProvider(
  before: readonly IdentityProvider[],
  { store, credentials }: Pick<Work, "store" | "credentials">,
): Promise<void> {
  const after = await store.providers.listEnabled();
  const left = before.filter(
    (provider) =>
      isUsable(provider, credentials) &&
      !isOfThisComputer(provider) &&
      !after.some(({ id, issuer }) => id === provider.id && issuer === provider.issuer),
  );
  const [first] = left;
  if (first === undefined) return;
  const others = after.filter(({ id }) => !left.some((provider) => provider.id === id));
  if (others.some((provider) => isUsable(provider, credentials))) return;
  throw new RegistryError([
    `providers: "${first.key}" is the last one that works, and with another issuer, or disabled, it would leave nobody a way to sign in. List the new one under another key, sign in there, and remove "${first.key}" afterwards`,
  ]);
}

/** A provider for development: its port changes, and nobody depends on it. */
function isOfThisComputer({ issuer }: IdentityProvider): boolean {
  return isLoopbackHost(new URL(issuer).hostname);
}
