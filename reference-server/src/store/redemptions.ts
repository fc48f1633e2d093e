import type { AuditRow } from "./audit-events.js";
import type { Grant } from "./grants.js";
import type { RefreshToken } from "./refresh-tokens.js";

/** Something that is accepted once: a proof, a client assertion. `expiresAt` is in epoch seconds. */
export interface OnceRecord {
  readonly key: string;
  readonly expiresAt: number;
}

/**
 * What a decision rests on. It was read a moment before; when it is not so any more, nothing is stored, and the
 * request is judged again.
 */
export interface DecisionBasis {
  /** Enabled. */
  readonly clientId: string;
  /** Neither revoked nor expired. */
  readonly grantId: string | null;
  /** Enabled. */
  readonly userId: string | null;
  /** All of them are still there, and the providers of their groups enabled. */
  readonly assignmentIds: readonly string[];
  /** The machine client still has all of them. */
  readonly machineScopes: readonly string[];
}

/** What every write behind the token endpoint stores or checks. */
export interface RedemptionRecord {
  readonly once: readonly OnceRecord[];
  readonly basis: DecisionBasis;
  readonly audit: AuditRow;
  readonly now: Date;
}

/**
 * `replayed`: something that is accepted once was accepted before, or is over by the clock of the database, so that
 * nobody remembers whether it was. `lost`: what the redemption uses up is used up,
 * or its basis has changed. In both cases nothing is stored.
 */
export type RedemptionOutcome =
  | { readonly kind: "stored" | "lost" }
  | { readonly kind: "replayed"; readonly key: string };

/** A log-in that begins. */
export interface NewLogIn {
  readonly grant: Grant;
  readonly refreshToken: RefreshToken | undefined;
}

/**
 * The writes behind the token endpoint. Each is one statement, and so one transaction, that stores what is accepted
 * once, what it authorises and the audit event, or nothing.
 */
export interface RedemptionStore {
  redeemCode(
    redemption: RedemptionRecord & NewLogIn & { readonly codeHash: Buffer },
  ): Promise<RedemptionOutcome>;
  redeemDevice(
    redemption: RedemptionRecord & NewLogIn & { readonly deviceId: string },
  ): Promise<RedemptionOutcome>;
  rotateRefreshToken(
    redemption: RedemptionRecord & { readonly usedHash: Buffer; readonly next: RefreshToken },
  ): Promise<RedemptionOutcome>;
  /**
   * Uses nothing up: the token was rotated already. Its successor must be unused still, and for a log-in without a key
   * the rotation at most `bearerSeconds` ago, by the database's clock.
   */
  repeatRotation(
    redemption: RedemptionRecord & {
      readonly usedHash: Buffer;
      readonly nextHash: Buffer;
      readonly bearerSeconds: number;
    },
  ): Promise<RedemptionOutcome>;
  /** Uses nothing up but what is accepted once. */
  recordIssuance(redemption: RedemptionRecord): Promise<RedemptionOutcome>;
}
