import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { createLoop, type Loop } from "../../platform/jobs/loop.js";
import type { OpenStore } from "../../store/store.js";
import { describeCredentialKeys, resealCredentials } from "./reseal.js";
import type { CredentialVault } from "../../platform/vault/credential-vault.js";

const everySeconds = 30;

export interface ResealContext {
  readonly store: OpenStore;
  readonly credentials: CredentialVault;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Seals credentials again while a process runs that names keys from before. */
export interface ResealLoop extends Loop {
  readonly run: () => Promise<void>;
}

/**
 * Creates the loop. Only processes whose active key is the newest one do the work: while the setting is changed on one
 * server after the other, the two halves would undo each other's.
 */
export function createResealLoop(context: ResealContext): ResealLoop {
  const { store, credentials, clock, log } = context;
  const { activeKeyId: keyId } = credentials;
  let saidDone = false;

  const run = async () => {
    if ((await store.sealedSecrets.newestKeyId()) !== keyId) return;
    const resealed = await store.exclusively("credential keys", () =>
      resealCredentials(context, { actor: { type: "system" }, clock }),
    );
    if (resealed === undefined) return;
    if (resealed > 0) {
      saidDone = false;
      log.info(
        { code: "CREDENTIALS_RESEALED", keyId, resealed },
        `${resealed} credentials are sealed with ${keyId} now.`,
      );
    }
    if (saidDone) return;
    const { keys, unreadable } = await describeCredentialKeys(context);
    if (unreadable.length > 0) {
      log.warn(
        { code: "CREDENTIALS_UNREADABLE", rows: unreadable },
        `No key that is named here opens ${unreadable.join(", ")}. Name the key that was used, or enter these secrets again.`,
      );
    } else if (keys.every(({ active }) => active)) {
      log.info(
        { code: "CREDENTIAL_KEY_REPLACED", keyId },
        `Every stored credential is sealed with ${keyId}. Once all servers have it as AUTHZ_CREDENTIAL_ENCRYPTION_KEY, remove AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS.`,
      );
    }
    saidDone = true;
  };

  const loop = createLoop({
    everySeconds,
    work: run,
    onError: (err) =>
      log.warn({ code: "CREDENTIALS_NOT_RESEALED", err }, "Sealing credentials again failed; trying again."),
  });
  return { ...loop, run };
}
