import { DpopError, type VerifiedProof } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Store } from "../../store/store.js";

/** How the database remembers a proof: by key and `jti`, never by its text. `expiresAt` is in epoch seconds. */
export function replayRecord(proof: VerifiedProof): { readonly key: string; readonly expiresAt: number } {
  return { key: `${proof.thumbprint}.${sha256Base64url(proof.jti)}`, expiresAt: proof.expiresAt };
}

/**
 * Uses a proof up in the transaction of what it authorises: when that is rolled back, the proof is unused.
 *
 * @throws {DpopError} `replayed`.
 */
export async function consumeProof(store: Pick<Store, "dpopReplays">, proof: VerifiedProof): Promise<void> {
  if (!(await store.dpopReplays.consume(replayRecord(proof)))) throw new DpopError("replayed");
}
