import type { Grant } from "./grants.js";

export interface RefreshToken {
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly grantId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was rotated. A rotated token stays, so that its reuse can be recognised. */
  readonly usedAt: Date | null;
}

export interface RefreshTokenStore {
  insert(token: RefreshToken): Promise<void>;
  find(hash: Buffer): Promise<{ readonly token: RefreshToken; readonly grant: Grant } | undefined>;
  /** Returns whether this call is the one that used the token. */
  use(token: { hash: Buffer; now: Date }): Promise<boolean>;
}
