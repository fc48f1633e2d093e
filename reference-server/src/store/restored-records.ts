/**
 * What a backup brings back although it was used, answered or ended after the backup. In the order in which it goes:
 * what hangs on something else comes first, so that it is counted.
 */
export const restoredKinds = [
  "signInAttempts",
  "authorizationRequests",
  "deviceAuthorizations",
  "authorizationCodes",
  "connectionAttempts",
  "browserSessions",
  "grants",
] as const;

export type RestoredKind = (typeof restoredKinds)[number];

export interface RestoredRecordStore {
  /**
   * Lets nobody else write any of these records until the transaction ends: what is under way is stored before, or
   * decided again afterwards. Returns the database's clock.
   */
  lock(): Promise<Date>;
  /**
   * Ends some of what was issued before a moment, or rests on a sign-in before it: log-ins are revoked, everything else
   * is removed. `next` says where to go on; without it there is nothing more.
   */
  end(
    kind: RestoredKind,
    batch: {
      readonly before: Date;
      readonly at: Date;
      readonly after: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly count: number; readonly next: string | undefined }>;
}
