/** A log-in that a device without a browser waits for (RFC 8628). */
export interface DeviceAuthorization {
  readonly id: string;
  /** SHA-256 of the device code. */
  readonly deviceCodeHash: Buffer;
  /** HMAC of the user code, so that the database does not hold it. */
  readonly userCodeHash: Buffer;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The key that the device code is bound to; `null` when the device named none. */
  readonly dpopJkt: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Seconds that the device waits between two questions. Grows when it does not. */
  readonly intervalSeconds: number;
  /** What a person said; `null` while nobody has answered. */
  readonly answer: DeviceAnswer | null;
  readonly usedAt: Date | null;
}

/** Where and when a device asked, for the person who answers. */
export interface PlaceOfRequest {
  /** `null` when it is not known. */
  readonly address: string | null;
  readonly askedAt: Date;
}

export type DeviceAnswer =
  | {
      readonly kind: "allowed";
      readonly userId: string;
      readonly authTime: Date | null;
      readonly amr: readonly string[];
    }
  | { readonly kind: "denied"; readonly userId: string | null };

/** Redeemed by `RedemptionStore`, read for the token endpoint by `LogInStore`. */
export interface DeviceAuthorizationStore {
  /** Returns whether it was stored; `false` when another one has the same user code. */
  insert(device: DeviceAuthorization, clientAddress: string | null): Promise<boolean>;
  findPlace(id: string): Promise<PlaceOfRequest | undefined>;
  /** The one that waits for an answer to this user code. */
  findWaiting(device: { userCodeHash: Buffer; now: Date }): Promise<DeviceAuthorization | undefined>;
  /** Returns whether this call is the one that answered. */
  answer(device: { id: string; answer: DeviceAnswer; now: Date }): Promise<boolean>;
  /** Counts one question of a waiting device and says whether it came too early, which makes the interval longer. */
  poll(device: { id: string; now: Date }): Promise<"in_time" | "too_early">;
}
