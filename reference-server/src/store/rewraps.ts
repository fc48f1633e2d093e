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
  /** Rows that these keys have sealed, in the order of their ids. */
  nextToRewrap(batch: {
    readonly keyIds: readonly string[];
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
  /** Which keys have sealed rows. Takes the same time however many rows there are. */
  listKeyIds(): Promise<readonly string[]>;
  /** How many rows each key has sealed. */
  countByKey(): Promise<readonly KeyCount[]>;
}

export interface KeyCount {
  readonly keyId: string;
  readonly count: number;
}
