import type { Clock } from "@authz/dpop";
import { createTransitClient, type TransitClientOptions, type TransitConfig } from "./transit-client.js";
import { contexts, keyLength } from "./sealed.js";
import { createDataKeyCache } from "./data-key-cache.js";
import { VaultError, type KeyEncryption, type WrappedKey } from "./key-ring.js";

/** How long the newest version of the key is remembered. */
const versionSeconds = 60;

/**
 * Key encryption keys that never leave the transit engine of Vault or OpenBao.
 *
 * The stored value is the engine's own ciphertext; its version is in the key's id, so that a rotation shows.
 *
 * @see {@link https://openbao.org/api-docs/secret/transit/ | the API of the transit engine}
 */
export function createTransitKeys(
  config: TransitConfig,
  { clock, ...options }: TransitClientOptions & { readonly clock: Clock },
): KeyEncryption {
  const call = createTransitClient(config, options);
  const cache = createDataKeyCache(clock);
  const running = new Map<string, Promise<Buffer>>();
  const prefix = `vault:${config.mount}/${config.key}:v`;
  let newest: { readonly keyId: string; readonly until: number } | undefined;

  const encrypt = async (plaintext: Buffer, row: string): Promise<WrappedKey> => {
    const { ciphertext } = await call("encrypt", {
      plaintext: plaintext.toString("base64"),
      associated_data: encode(contexts.dataKey(row)),
    });
    const version = typeof ciphertext === "string" ? /^vault:v(\d{1,9}):./.exec(ciphertext)?.[1] : undefined;
    if (version === undefined) throw unexpected(config);
    const keyId = `${prefix}${version}`;
    newest = { keyId, until: clock() + versionSeconds * 1000 };
    return { keyId, wrapped: Buffer.from(String(ciphertext)) };
  };
  const decrypt = async (key: WrappedKey, row: string): Promise<Buffer> => {
    const { plaintext } = await call("decrypt", {
      ciphertext: key.wrapped.toString("utf8"),
      associated_data: encode(contexts.dataKey(row)),
    });
    const dataKey = Buffer.from(typeof plaintext === "string" ? plaintext : "", "base64");
    if (dataKey.length !== keyLength) throw unexpected(config);
    cache.set(key, row, dataKey);
    return dataKey;
  };

  return {
    owns: (keyId) => keyId.startsWith(prefix) && /^\d{1,9}$/.test(keyId.slice(prefix.length)),
    async activeKeyId() {
      // Seals a throw-away key: the policy then needs nothing but encrypting and decrypting.
      if (newest === undefined || newest.until <= clock()) await encrypt(Buffer.alloc(keyLength), "probe");
      return newest?.keyId ?? prefix;
    },
    async wrap(dataKey, row) {
      const key = await encrypt(dataKey, row);
      cache.set(key, row, dataKey);
      return key;
    },
    async unwrap(key, row) {
      const { keyId, wrapped } = key;
      if (!wrapped.toString("latin1").startsWith(`vault:v${keyId.slice(prefix.length)}:`)) {
        const message = `The data key of ${row} is not of the version that ${keyId} says: the row was altered.`;
        throw new VaultError("unreadable", message);
      }
      const known = cache.get(key, row);
      if (known !== undefined) return known;
      const name = `${row}\n${wrapped.toString("latin1")}`;
      const opening = running.get(name) ?? decrypt(key, row).finally(() => running.delete(name));
      running.set(name, opening);
      return Buffer.from(await opening);
    },
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

function unexpected({ address }: TransitConfig): VaultError {
  const message = `Vault at ${address} sent an answer that is not from a transit engine. Check AUTHZ_CONNECTOR_VAULT_ADDR and AUTHZ_CONNECTOR_VAULT_MOUNT.`;
  return new VaultError("unavailable", message);
}
