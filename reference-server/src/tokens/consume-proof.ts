import { DpopError, type VerifiedProof } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Store } from "../store/store.js";

/**
 * Uses a proof up in the transaction of what it authorises: when that is rolled back, the proof is unused.
 *
 * @throws {DpopError} `replayed`.
 */
export async function consumeProof(store: Pick<Store, "dpopReplays">, proof: VerifiedProof): Promise<void> {
  const key = `${proof.thumbprint}.${sha256Base64url(proof.jti)}`;
  const first = await store.dpopReplays.consume({ key, expiresAt: proof.expiresAt });
  if (!first) throw new DpopError("replayed");
}
