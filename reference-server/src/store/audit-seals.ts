/** One link of the chain over the audit trail. What the digests cover is defined in `audit/seal.ts`. */
export interface AuditSeal {
  /** 1, 2, 3 without gaps. */
  readonly id: number;
  /** One more than the last event id of the seal before. */
  readonly firstEventId: string;
  readonly lastEventId: string;
  readonly eventCount: number;
  readonly eventsDigest: Buffer;
  readonly previousDigest: Buffer;
  readonly digest: Buffer;
  /** Proves that the digest was made by somebody who knows the server's secret. */
  readonly mac: Buffer;
  readonly sealedAt: Date;
  /** Ids of events that the server did not record; `null` when a version sealed them that did not look. */
  readonly unproven: readonly string[] | null;
}

/** A line drawn through the audit trail: ids up to `lastId` were given out before it. */
export interface AuditFence {
  readonly lastId: string;
  /** The transactions that could still store one of those ids. */
  readonly writers: readonly string[];
}

export interface AuditSealStore {
  last(): Promise<AuditSeal | undefined>;
  /** Seals after the one with this number, oldest first. */
  list(page: { afterId: number; limit: number }): Promise<readonly AuditSeal[]>;
  /** Returns whether the seal was stored; `false` when another process was first. */
  insert(seal: AuditSeal): Promise<boolean>;
  /** Whether one of the last seals up to now, as many as a day can have, is older than proofs. */
  hasOlderSince(since: Date): Promise<boolean>;
  drawFence(): Promise<AuditFence>;
  /** Whether every writer of the fence has ended, so that nothing can appear behind it any more. */
  isSettled(fence: AuditFence): Promise<boolean>;
}
