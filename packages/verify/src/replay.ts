import type { ReplayStore } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import { isFirstUse } from "@authz/dpop/replay";

/** A JWT, or the transaction in one, that is accepted once. */
export interface SingleUse {
  /** Keeps the keys of two kinds distinct. */
  readonly kind: "assertion" | "catalog" | "transaction";
  /** Issuer, audience and identifier. */
  readonly parts: readonly string[];
  /** The last second in which it is accepted. */
  readonly expiresAt: number;
}

/** Difference between the clocks of processes that share a store: a record must outlive its token on all of them. */
const clockDifferenceSeconds = 60;

/**
 * Records a use; returns whether it was the first one.
 *
 * @throws {ReplayStoreUnavailableError} The store threw, or returned something other than a boolean.
 */
export async function spendJwt({ kind, parts, expiresAt }: SingleUse, store: ReplayStore): Promise<boolean> {
  const key = `${kind}.${sha256Base64url(JSON.stringify(parts))}`;
  return await isFirstUse({ key, expiresAt: expiresAt + clockDifferenceSeconds }, store);
}
