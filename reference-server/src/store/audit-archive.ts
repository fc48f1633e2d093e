import type { AuditSeal } from "./audit-seals.js";

/** The end of what was archived and removed. The chain goes on behind it. */
export interface ArchivedSeal extends Pick<AuditSeal, "id" | "lastEventId" | "digest"> {
  /** Proves that the server removed it, and no owner of the database. */
  readonly mac: Buffer;
}

export interface AuditArchiveStore {
  find(): Promise<ArchivedSeal | undefined>;
  /**
   * Moves the end on from where it was. Only then can the events and seals up to there be removed. Returns whether it
   * was there.
   */
  advance(end: ArchivedSeal, from: { readonly sealId: number }): Promise<boolean>;
  /** Removes what is behind the end: events with their words, and seals. Returns the events that were there. */
  removeThrough(end: Pick<ArchivedSeal, "id" | "lastEventId">): Promise<number>;
}
