/** The proofs that were accepted, shared by all processes. Fits `ReplayStore` of `@authz/dpop`. */
export interface DpopReplayStore {
  /**
   * Returns whether the proof is seen for the first time. `expiresAt` is in epoch seconds; what is over by the clock of
   * the database is not, because nobody would remember it.
   */
  consume(record: { readonly key: string; readonly expiresAt: number }): Promise<boolean>;
}
