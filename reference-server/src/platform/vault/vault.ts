import { randomBytes } from "node:crypto";
import { type KeyEncryption, VaultError, type VaultProblem } from "./key-ring.js";
import {
  contexts,
  keyLength,
  openBytes,
  packSealed,
  type SealedParts,
  sealBytes,
  unpackSealed,
} from "./sealed.js";

/** Seals secrets that are stored: each with a fresh data key, which a key encryption key wraps. */
export interface Vault {
  /**
   * Seals a text for one row, e.g. `identity_providers/{id}`; it opens for no other.
   *
   * @throws {VaultError}
   */
  seal(text: string, row: string): Promise<Buffer>;
  /**
   * Prepares to seal one text for one row. For texts that can be requested only once: the call fails first when nothing can be
   * sealed.
   *
   * @throws {VaultError}
   */
  prepare(row: string): Promise<PreparedSeal>;
  /** @throws {VaultError} */
  open(sealed: Uint8Array, row: string): Promise<string>;
  /**
   * Wraps the data key again, with the key that is active now. The ciphertext stays as it is.
   *
   * @throws {VaultError}
   */
  rewrap(sealed: Uint8Array, row: string): Promise<Buffer>;
  /**
   * The id of the key that wraps new data keys.
   *
   * @throws {VaultError}
   */
  activeKeyId(): Promise<string>;
  /** Whether something can be sealed at this moment. Never throws a `VaultError`. */
  state(): Promise<VaultState>;
  /** Whether a key with this id is configured here. Sends no request. */
  readable(keyId: string): boolean;
}

/** Seals one text, at once and without a request. */
export interface PreparedSeal {
  /** Call it once: the data key is wiped then. */
  seal(text: string): Buffer;
  /** Wipes a data key that is not needed. */
  discard(): void;
}

export interface VaultState {
  readonly state: "ready" | VaultProblem;
  /** What is wrong and what to do. */
  readonly problem?: string;
  readonly activeKeyId?: string;
}

export interface VaultOptions {
  /** The variable of the key, for messages; that of replaced keys ends with `_PREVIOUS`. */
  readonly variable: string;
  /** Wraps new data keys. */
  readonly active: KeyEncryption | VaultError;
  /** All sources of keys, the active one included. */
  readonly places: readonly KeyEncryption[];
  /** What is wrong with the configuration; a key that is not found may be missing because of it. */
  readonly problem?: string | undefined;
}

/** Envelope encryption with AES-256-GCM. A data key lives for one call. */
export function createVault({ variable, active, places, problem }: VaultOptions): Vault {
  const requireActive = (): KeyEncryption => {
    if (active instanceof VaultError) throw active;
    return active;
  };
  const missingKey = (keyId: string, row: string): VaultError => {
    const what = `${row} is sealed with the key ${keyId}, which this server does not have.`;
    if (problem !== undefined) return new VaultError("malformed", `${what} ${problem}`);
    if (places.length === 0) return new VaultError("not_configured", `${what} Set ${variable}.`);
    const remedy = keyId.startsWith("vault:")
      ? "Check AUTHZ_CONNECTOR_VAULT_ADDR, AUTHZ_CONNECTOR_VAULT_MOUNT and AUTHZ_CONNECTOR_VAULT_KEY."
      : `Add that key to ${variable}_PREVIOUS.`;
    return new VaultError("unknown_key", `${what} ${remedy}`);
  };
  const unwrap = async (sealed: Uint8Array, row: string): Promise<SealedParts & { dataKey: Buffer }> => {
    const parts = unpackSealed(sealed);
    if (parts === undefined)
      throw new VaultError(
        "unreadable",
        `What is stored for ${row} is not a sealed value: the row was altered.`,
      );
    const { keyId } = parts.key;
    const place = places.find((candidate) => candidate.owns(keyId));
    if (place === undefined) throw missingKey(keyId, row);
    return { ...parts, dataKey: await place.unwrap(parts.key, row) };
  };

  const prepare = async (row: string): Promise<PreparedSeal> => {
    const place = requireActive();
    const dataKey = randomBytes(keyLength);
    const key = await place.wrap(dataKey, row);
    let isUsed = false;
    const discard = () => {
      isUsed = true;
      dataKey.fill(0);
    };
    return {
      discard,
      seal(text) {
        // A data key seals once; after that it is zeros, which would protect nothing.
        if (isUsed) throw new TypeError("This data key was used or discarded. Prepare another one.");
        const ciphertext = sealBytes(Buffer.from(text), dataKey, contexts.secret(row));
        discard();
        return packSealed({ key, ciphertext });
      },
    };
  };

  return {
    prepare,
    async seal(text, row) {
      return (await prepare(row)).seal(text);
    },
    async open(sealed, row) {
      const { ciphertext, dataKey } = await unwrap(sealed, row);
      try {
        return openBytes(ciphertext, dataKey, contexts.secret(row)).toString("utf8");
      } catch (cause) {
        const message = `The secret of ${row} does not open with its data key: the row was altered, or copied from another one.`;
        throw new VaultError("unreadable", message, { cause });
      } finally {
        dataKey.fill(0);
      }
    },
    async rewrap(sealed, row) {
      const place = requireActive();
      const { ciphertext, dataKey } = await unwrap(sealed, row);
      try {
        return packSealed({ key: await place.wrap(dataKey, row), ciphertext });
      } finally {
        dataKey.fill(0);
      }
    },
    activeKeyId: async () => await requireActive().activeKeyId(),
    async state() {
      try {
        const activeKeyId = await requireActive().activeKeyId();
        return { state: "ready", activeKeyId, ...(problem !== undefined && { problem }) };
      } catch (error) {
        if (error instanceof VaultError) return { state: error.reason, problem: error.message };
        throw error;
      }
    },
    readable: (keyId) => places.some((place) => place.owns(keyId)),
  };
}
