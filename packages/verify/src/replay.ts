import { type ReplayStore, ReplayStoreUnavailableError } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";

/** Something that may be used once. */
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
export async function isFirstUse(store: ReplayStore, use: SingleUse): Promise<boolean> {
  const key = `${use.kind}.${sha256Base64url(JSON.stringify(use.parts))}`;
  let first: unknown;
  try {
    first = await store.consume({ key, expiresAt: use.expiresAt + clockDifferenceSeconds });
  } catch (cause) {
    throw new ReplayStoreUnavailableError("The replay store failed.", { cause });
  }
  if (typeof first !== "boolean")
    throw new ReplayStoreUnavailableError("The replay store gave no clear answer.");
  return first;
}
