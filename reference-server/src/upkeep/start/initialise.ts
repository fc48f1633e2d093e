import { keepSealKey } from "../../audit/seal-key.js";
import type { ServerContext } from "../../context.js";
import { createDefaultRecords } from "../../registry/default-records.js";
import { adoptEnvironmentKey, reloadKeys } from "../../oauth/keys/keys.js";
import { activatableFrom } from "../../oauth/keys/rotate-keys.js";

/**
 * Creates what every installation has and reads the signing keys. Processes that start together may all do it.
 *
 * @throws {VaultError} The encryption key is another installation's. Nothing was stored.
 */
export async function initialise(context: ServerContext): Promise<void> {
  const { config, store, credentials, clock, log } = context;
  const at = new Date(clock());
  await keepSealKey(context);
  await store.sealedSecrets.addKey(await credentials.activeKeyId());
  await createDefaultRecords(store, { issuer: config.issuer, at });
  const adopted = await adoptEnvironmentKey(config.signingKey, { store, credentials, at });
  if (adopted === "staged") {
    const { kid } = config.signingKey;
    log.warn(
      { code: "SIGNING_KEY_STAGED", kid },
      `The key in AUTHZ_SIGNING_PRIVATE_JWK is new: it is staged and signs nothing yet. ` +
        `Activate it from ${activatableFrom({ stagedAt: at }).toISOString()} on: authz-server keys activate ${kid}`,
    );
  }
  await reloadKeys(context);
}
