import { createHash } from "node:crypto";
import { contexts, keyLength, openBytes, sealBytes } from "./sealed.js";
import { VaultError, type KeyEncryption } from "./key-ring.js";

export interface EnvironmentKeys {
  readonly active: Buffer | undefined;
  /** Replaced keys: these only open. */
  readonly previous: readonly Buffer[];
}

/**
 * Key encryption keys from the environment.
 *
 * @param variable - the variable of the active key, for messages
 */
export function createEnvironmentKeys(
  { active, previous }: EnvironmentKeys,
  variable: string,
): KeyEncryption {
  const keys = new Map<string, Buffer>();
  for (const key of active === undefined ? previous : [active, ...previous])
    keys.set(environmentKeyId(key), key);
  const activeKeyId = active && environmentKeyId(active);
  const requireActive = () => {
    if (active === undefined || activeKeyId === undefined) {
      const message = `${variable} is not set, so nothing can be sealed. Generate one: authz-server secrets.`;
      throw new VaultError("not_configured", message);
    }
    return { active, activeKeyId };
  };

  return {
    owns: (keyId) => keys.has(keyId),
    activeKeyId: async () => requireActive().activeKeyId,
    async wrap(dataKey, row) {
      const { active: key, activeKeyId: keyId } = requireActive();
      return { keyId, wrapped: sealBytes(dataKey, key, contexts.dataKey(row)) };
    },
    async unwrap({ keyId, wrapped }, row) {
      const key = keys.get(keyId);
      if (key === undefined) {
        throw new VaultError("unknown_key", `The key ${keyId} is not in the environment.`);
      }
      try {
        const dataKey = openBytes(wrapped, key, contexts.dataKey(row));
        if (dataKey.length !== keyLength) throw new Error("not a data key");
        return dataKey;
      } catch (cause) {
        const message = `The data key of ${row} does not open with ${keyId}: the row was altered, or copied from another one.`;
        throw new VaultError("unreadable", message, { cause });
      }
    },
  };
}

/** Identifies a key without revealing it. */
export function environmentKeyId(key: Buffer): string {
  const digest = createHash("sha256").update("authz encryption key id\n").update(key).digest("hex");
  return `env:${digest.slice(0, 16)}`;
}
