import type { Vault } from "../platform/vault/vault.js";
import { Refusal } from "../registry/refusal.js";
import type { Store } from "../store/store.js";
import { InstallFileError } from "./install-file-error.js";
import type { Installation } from "./installation.js";
import { storeInstallation } from "./store-installation.js";

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
