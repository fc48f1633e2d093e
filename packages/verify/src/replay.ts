import type { ReplayStore } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import { isFirstUse } from "@authz/dpop/replay";

/** A JWT that may be used once. */
export interface SingleUse {
  /** What it is, so that two kinds never share a key. */
  readonly kind: "assertion" | "catalog";
  /** Who made it and for whom, together with its identifier. */
  readonly parts: readonly string[];
  /** The last second in which it would be accepted. */
  readonly expiresAt: number;
}

/** Clocks of processes that share a store differ a little; a record outlives its token on all of them. */
const clockDifferenceSeconds = 60;

/**
 * Records a use and says whether it was the first one.
 *
 * @throws {ReplayStoreUnavailableError} The store threw, or answered with anything but a boolean.
 */
export async function spendJwt({ kind, parts, expiresAt }: SingleUse, store: ReplayStore): Promise<boolean> {
  const key = `${kind}.${sha256Base64url(JSON.stringify(parts))}`;
  return await isFirstUse({ key, expiresAt: expiresAt + clockDifferenceSeconds }, store);
}
