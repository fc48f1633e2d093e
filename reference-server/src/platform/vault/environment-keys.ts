import { createHash } from "node:crypto";
import { contexts, keyLength, openBytes, sealBytes } from "./data-cipher.js";
import { ConnectorKeyError, type KeyEncryption } from "./key-ring.js";

export interface EnvironmentKeys {
  /** `AUTHZ_CONNECTOR_KEK`. */
  readonly active: Buffer | undefined;
  /** `AUTHZ_CONNECTOR_KEK_PREVIOUS`: these only open. */
  readonly previous: readonly Buffer[];
}

/** Key encryption keys that the environment brings. */
export function createEnvironmentKeys({ active, previous }: EnvironmentKeys): KeyEncryption {
  const keys = new Map<string, Buffer>();
  for (const key of active === undefined ? previous : [active, ...previous])
    keys.set(environmentKeyId(key), key);
  const activeKeyId = active && environmentKeyId(active);
  const requireActive = () => {
    if (active === undefined || activeKeyId === undefined) {
      const message =
        "AUTHZ_CONNECTOR_KEK is not set, so nothing can be sealed. Generate one: authz-server secrets.";
      throw new ConnectorKeyError("not_configured", message);
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
        throw new ConnectorKeyError("unknown_key", `The key ${keyId} is not in the environment.`);
      }
      try {
        const dataKey = openBytes(wrapped, key, contexts.dataKey(row));
        if (dataKey.length !== keyLength) throw new Error("not a data key");
        return dataKey;
      } catch (cause) {
        const message = `The data key of ${row} does not open with ${keyId}: the row was altered, or copied from another one.`;
        throw new ConnectorKeyError("unreadable", message, { cause });
      }
    },
  };
}

/** Tells keys apart without saying anything about them. */
export function environmentKeyId(key: Buffer): string {
  const digest = createHash("sha256").update("authz connector key id\n").update(key).digest("hex");
  return `env:${digest.slice(0, 16)}`;
}
