import { providerSecretRow } from "../../credentials/rows.js";
import { type CredentialVault, CredentialUnreadableError } from "../../credentials/vault.js";
import type { IdentityProvider } from "../../store/providers.js";
import type { Store } from "../../store/store.js";
import { AdminError } from "../http/admin-error.js";

/**
 * Refuses what would leave nobody a way to sign in. Changes wait for each other, so two of them cannot each count on
 * the other's provider.
 *
 * @throws {AdminError} `last_provider`: no other enabled provider has a secret that can be read.
 */
export async function requireOtherProvider(
  leaving: Pick<IdentityProvider, "id" | "name">,
  { store, credentials }: { readonly store: Store; readonly credentials: CredentialVault },
): Promise<void> {
  const others = (await store.providers.listEnabled()).filter(({ id }) => id !== leaving.id);
  if (others.some((provider) => canAuthenticate(provider, credentials))) return;
  throw new AdminError("last_provider", ({ refusals }) => refusals.lastProvider(leaving.name));
}

function canAuthenticate({ id, clientSecret }: IdentityProvider, credentials: CredentialVault): boolean {
  try {
    if (clientSecret !== null) credentials.open(clientSecret, providerSecretRow(id));
    return true;
  } catch (error) {
    if (error instanceof CredentialUnreadableError) return false;
    throw error;
  }
}
