/** One secret that `AUTHZ_CREDENTIAL_ENCRYPTION_KEY` has sealed. */
export interface SealedSecret {
  /** What it is bound to: the names of `credentials/rows.ts`. */
  readonly row: string;
  readonly sealed: Buffer;
}

export interface SealedSecretChange {
  readonly row: string;
  readonly from: Buffer;
  readonly to: Buffer;
}

/** Everything that is sealed, wherever it is, and the keys that it is sealed with. */
export interface SealedSecretStore {
  /** In the order of the rows' names. */
  list(batch: { readonly after: string; readonly limit: number }): Promise<readonly SealedSecret[]>;
  /** Replaces what is still what was read, byte by byte. Returns how many those were. */
  replace(changes: readonly SealedSecretChange[]): Promise<number>;
  /** A secret of the server's own. */
  find(name: string): Promise<Buffer | undefined>;
  /** One that is there stays as it is. */
  insertMissing(name: string, sealed: Buffer): Promise<void>;
  /** The key that was made the active one last. */
  newestKeyId(): Promise<string | undefined>;
  /** Notes a key that is active somewhere; one that is known stays where it is. */
  addKey(keyId: string): Promise<void>;
  /** Makes a key the newest one. */
  renewKey(keyId: string): Promise<void>;
}
