import type { GrantListStore } from "./grant-list.js";

/** One log-in of a client on a device. Created by `RedemptionStore`. Its `id` is `sid` in tokens; every token of the log-in dies with it. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** Thumbprint of the device's key; `null` for a client that cannot use DPoP. */
  readonly jkt: string | null;
  readonly scopes: readonly string[];
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export type RevocationReason =
  | "code_reused"
  | "refresh_token_reused"
  | "restored"
  | "revoked_by_administrator"
  | "revoked_by_client"
  | "revoked_by_user"
  | "user_disabled";

export interface GrantStore extends GrantListStore {
  find(id: string): Promise<Grant | undefined>;
  /** The log-in, unless its client is disabled: then nothing of it is good. */
  findWithEnabledClient(id: string): Promise<Grant | undefined>;
  /** The log-in of a refresh token, rotated or not. */
  findByRefreshToken(hash: Buffer): Promise<Grant | undefined>;
  /** The live log-ins of a person, newest first. */
  listLive(person: { userId: string; now: Date; limit: number }): Promise<readonly Grant[]>;
  /** Returns whether this call is the one that revoked the grant. */
  revoke(grant: { id: string; reason: RevocationReason; at: Date }): Promise<boolean>;
}
