/** A data key, sealed with the key encryption key that `keyId` names. */
export interface WrappedKey {
  /** `env:…` or `vault:…`. Identifies the key without revealing it. */
  readonly keyId: string;
  readonly wrapped: Buffer;
}

/** One source of key encryption keys: the environment, Vault or OpenBao, a cloud's key management. */
export interface KeyEncryption {
  /**
   * Seals a data key for one row with the key that is active now.
   *
   * @throws {VaultError} `unavailable`
   */
  wrap(dataKey: Buffer, row: string): Promise<WrappedKey>;
  /**
   * Opens a data key whose id this source owns. The caller wipes the buffer, which is its own copy.
   *
   * @throws {VaultError} `unreadable`, `unavailable`
   */
  unwrap(key: WrappedKey, row: string): Promise<Buffer>;
  /** Whether a key with this id can be here. Sends no request. */
  owns(keyId: string): boolean;
  /**
   * The id that a data key sealed now gets.
   *
   * @throws {VaultError} `unavailable`
   */
  activeKeyId(): Promise<string>;
}

/**
 * Why nothing can be sealed or opened. `not_configured`: there is no key. `malformed`: a variable cannot be read.
 * `unknown_key`: sealed with a key that is not configured here. `unreadable`: that key does not open it.
 * `unavailable`: the source of the key does not answer, or refuses this server.
 */
export type VaultProblem = "not_configured" | "malformed" | "unknown_key" | "unreadable" | "unavailable";

/** A secret cannot be sealed or opened. The message says what to check; it carries no secret. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly reason: VaultProblem;
  constructor(reason: VaultProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
