/** One use of something that may be used once. */
export interface ReplayRecord {
  /** 1 to 255 printable ASCII characters. Never a token or a proof itself. */
  key: string;
  /** The last second (since 1970) in which the store has to remember the key. */
  expiresAt: number;
}

/** Remembers what was used, across all processes that share the store. */
export interface ReplayStore {
  /**
   * Records a use. Of any number of concurrent calls with one key, exactly one gets `true`.
   *
   * @returns `true` the first time, `false` when the key is known already
   * @throws when it cannot tell: the caller then refuses
   */
  consume(record: ReplayRecord): boolean | Promise<boolean>;
}
