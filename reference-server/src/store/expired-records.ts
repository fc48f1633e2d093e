/** What grows by itself and is of no use after some time. */
export const expiredKinds = [
  "audit_counts",
  "audit_resource_counts",
  "authorization_codes",
  "authorization_requests",
  "browser_sessions",
  "connection_attempts",
  "device_authorizations",
  "dpop_replays",
  "expired_grants",
  "known_groups",
  "rate_limits",
  "refresh_tokens",
  "revoked_grants",
  "sign_in_attempts",
  "skill_reads",
  "user_groups",
] as const;

export type ExpiredKind = (typeof expiredKinds)[number];

export interface ExpiredRecordStore {
  /**
   * Removes records of one kind whose time has been over for so long by the clock of the database, in one short
   * statement, and returns how many there were. A used code stays while the log-in it produced is there.
   */
  remove(kind: ExpiredKind, batch: { readonly keepSeconds: number; readonly limit: number }): Promise<number>;
}
