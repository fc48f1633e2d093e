import type { WrappedKey } from "../platform/vault/key-ring.js";

/** A row whose data key can be sealed again. */
export interface RewrapCandidate {
  readonly id: string;
  /** What the data key is bound to. */
  readonly row: string;
  readonly key: WrappedKey;
}

export interface RewrapChange {
  readonly id: string;
  readonly from: WrappedKey;
  readonly to: WrappedKey;
}

/** Rows whose secret has a data key. Connectors and connections are such. */
export interface RewrapStore {
  /** Rows that these keys have sealed, in the order of their ids. */
  nextToRewrap(batch: {
    readonly keyIds: readonly string[];
    /** Where the batch before ended. */
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<readonly RewrapCandidate[]>;
  /**
   * Replaces data keys that are still the ones that were read, byte by byte, in one short statement. Returns the ids of
   * those; the others have a newer data key already.
   */
  rewrap(changes: readonly RewrapChange[]): Promise<ReadonlySet<string>>;
  /** Which keys have sealed rows. Takes the same time however many rows there are. */
  listKeyIds(): Promise<readonly string[]>;
  /** How many rows each key has sealed. */
  countByKey(): Promise<readonly KeyCount[]>;
}

export interface KeyCount {
  readonly keyId: string;
  readonly count: number;
}
