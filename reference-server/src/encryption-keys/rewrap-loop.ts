import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { OpenStore } from "../store/store.js";
import { describeKeys, type EncryptionKeyContext, listUnreadableCredentials } from "./describe-keys.js";
import { rewrapAll } from "./rewrap-keys.js";

const everySeconds = 30;

export interface RewrapLoopContext extends EncryptionKeyContext {
  readonly store: OpenStore;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Seals credentials again while a process runs that names keys from before. */
export interface RewrapLoop extends Loop {
  readonly run: () => Promise<void>;
}

/**
 * Creates the loop. Only processes whose active key is the newest one do the work: while the setting is changed on one
 * server after the other, the two halves would undo each other's.
 */
export function createRewrapLoop(context: RewrapLoopContext): RewrapLoop {
  const { store, credentials, clock, log } = context;
  let loggedDone = false;

  const run = async () => {
    const keyId = await credentials.activeKeyId();
    if ((await store.sealedSecrets.newestKeyId()) !== keyId) return;
    const result = await store.exclusively("credential keys", () =>
      rewrapAll({ purpose: "credentials", limit: 100, actor: { type: "system" }, clock }, context),
    );
    if (result === undefined) return;
    const { rewrapped: resealed } = result;
    if (resealed > 0) {
      loggedDone = false;
      log.info(
        { code: "CREDENTIALS_RESEALED", keyId, resealed },
        `${resealed} credentials are sealed with ${keyId} now.`,
      );
    }
    if (loggedDone) return;
    const [{ keys }, rows] = [
      await describeKeys("credentials", context),
      await listUnreadableCredentials(context),
    ];
    if (rows.length > 0) {
      log.warn(
        { code: "CREDENTIALS_UNREADABLE", rows },
        `No key that is named here opens ${rows.join(", ")}. Name the key that was used, or enter these secrets again.`,
      );
    } else if (keys.every(({ active }) => active)) {
      log.info(
        { code: "CREDENTIAL_KEY_REPLACED", keyId },
        `Every stored credential is sealed with ${keyId}. Once all servers have it as AUTHZ_CREDENTIAL_ENCRYPTION_KEY, remove AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS.`,
      );
    }
    loggedDone = true;
  };

  const loop = createLoop({
    everySeconds,
    work: run,
    onError: logFailures(log, {
      code: "CREDENTIALS_NOT_RESEALED",
      message: "Sealing credentials again failed; trying again.",
    }),
  });
  return { ...loop, run };
}
