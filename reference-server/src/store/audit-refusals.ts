/** Refusals that are alike, and that have no event of their own. */
export interface RefusalSum {
  /** What they have in common, as a digest. */
  readonly key: Buffer;
  /** The end of the hour that they belong to. */
  readonly endsAt: Date;
  /** What they have in common. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface AuditRefusalStore {
  /** Adds to the sums of all processes, in one statement. Each key and hour at most once. */
  add(sums: readonly RefusalSum[]): Promise<void>;
  /** Takes sums of hours that ended before then. Call it inside the transaction that records them. */
  take(batch: { readonly endedBefore: Date; readonly limit: number }): Promise<readonly RefusalSum[]>;
}
