/** One log-in of a client on a device. Its `id` is `sid` in tokens; every token of the log-in dies with it. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  /** Thumbprint of the device's key. */
  readonly jkt: string;
  readonly scopes: readonly string[];
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export type RevocationReason =
  | "code_reused"
  | "refresh_token_reused"
  | "revoked_by_client"
  | "revoked_by_user";

export interface GrantStore {
  insert(grant: Grant): Promise<void>;
  find(id: string): Promise<Grant | undefined>;
  /** The live log-ins of a person, newest first. */
  listLive(person: { userId: string; now: Date; limit: number }): Promise<readonly Grant[]>;
  /** Returns whether this call is the one that revoked the grant. */
  revoke(grant: { id: string; reason: RevocationReason; at: Date }): Promise<boolean>;
}
