import type { WrappedKey } from "../connectors/keys/key-ring.js";

/** A row whose data key can be sealed again. */
export interface RewrapCandidate {
  readonly id: string;
  /** What the data key is bound to. */
  readonly row: string;
  readonly key: WrappedKey;
}

/** Rows whose secret has a data key. Connectors and connections are such. */
export interface RewrapStore {
  /** Rows that are not sealed with the active key, in the order of their ids. */
  nextToRewrap(batch: {
    readonly activeKeyId: string;
    /** Where the batch before ended. */
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<readonly RewrapCandidate[]>;
  /** Replaces the data key only if it is still the one that was read, byte by byte. Returns whether it was. */
  rewrap(change: {
    readonly id: string;
    readonly from: WrappedKey;
    readonly to: WrappedKey;
  }): Promise<boolean>;
  /** How many rows each key has sealed. */
  countByKey(): Promise<readonly KeyCount[]>;
}

export interface KeyCount {
  readonly keyId: string;
  readonly count: number;
}
