import { isUsable } from "../../registry/apply/keep-provider.js";
import type { CredentialVault } from "../../platform/vault/credential-vault.js";
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
  if (others.some((provider) => isUsable(provider, credentials))) return;
  throw new AdminError("last_provider", ({ refusals }) => refusals.lastProvider(leaving.name));
}
