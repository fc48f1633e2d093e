/** What is known about a refresh token. Written by `RedemptionStore`, read by `LogInStore`. */
export interface RefreshToken {
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly grantId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was rotated, by the database's clock. A rotated token stays, so that its reuse can be recognised. */
  readonly usedAt: Date | null;
}

/** The refresh token that followed a rotated one. */
export interface Successor {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  /** Since the one before it was rotated, by the database's clock. */
  readonly ageSeconds: number;
}
