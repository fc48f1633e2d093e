/** Requests that one key made in one minute. */
export interface RateCount {
  readonly key: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly count: number;
}

/** What all processes together counted for a key. */
export interface SharedRateCount extends RateCount {
  /** The count of the minute before. */
  readonly previous: number;
}

export interface RateLimitStore {
  /** Adds to the counts of all processes and returns them, in one statement. Each key and minute at most once. */
  add(counts: readonly RateCount[]): Promise<readonly SharedRateCount[]>;
}
