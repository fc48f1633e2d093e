import type { AuditRow } from "./audit-events.js";
import type { Grant } from "./grants.js";
import type { RefreshToken } from "./refresh-tokens.js";

/** The proof of a request, and the event that records what it authorises. */
export interface RedemptionRecord {
  /** `expiresAt` is in epoch seconds. */
  readonly proof: { readonly key: string; readonly expiresAt: number };
  readonly audit: AuditRow;
  readonly now: Date;
}

/** `replayed`: the proof was used before. `lost`: what is used once was used before. Then nothing is stored. */
export type RedemptionOutcome = "stored" | "replayed" | "lost";

/**
 * The writes behind the token endpoint. Each is one statement, and so one transaction, that stores the proof,
 * what it authorises and the audit event, or nothing.
 */
export interface RedemptionStore {
  redeemCode(
    redemption: RedemptionRecord & {
      readonly codeHash: Buffer;
      readonly grant: Grant;
      readonly refreshToken: RefreshToken | undefined;
    },
  ): Promise<RedemptionOutcome>;
  rotateRefreshToken(
    redemption: RedemptionRecord & { readonly usedHash: Buffer; readonly next: RefreshToken },
  ): Promise<RedemptionOutcome>;
  /** Uses nothing up but the proof. */
  recordIssuance(redemption: RedemptionRecord): Promise<RedemptionOutcome>;
}
