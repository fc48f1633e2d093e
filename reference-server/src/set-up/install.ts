import type { CredentialVault } from "../platform/vault/credential-vault.js";
import type { Store } from "../store/store.js";
import type { Installation } from "./installation.js";
import { storeInstallation } from "./store-installation.js";

/** Installs without a browser. Returns whether this call did; `false`: it was installed before, and nothing changed. */
export async function install(
  installation: Installation,
  {
    store,
    credentials,
    at,
  }: { readonly store: Store; readonly credentials: CredentialVault; readonly at: Date },
): Promise<boolean> {
  return await store.transaction(async (tx) => {
    const stored = await storeInstallation(installation, { store: tx, credentials, by: "file", at });
    await stored?.record({ type: "operator" });
    return stored !== undefined;
  });
}
