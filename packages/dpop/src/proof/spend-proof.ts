import { DpopError } from "../errors.js";
import { sha256Base64url } from "../jws/base64url.js";
import { isFirstUse, type ReplayStore } from "../replay/replay-store.js";
import { CheckedProof, type VerifiedProof } from "./check-proof.js";

/**
 * Uses up a checked proof. Call it last: then a request refused for another reason costs the store nothing.
 *
 * Returns without a promise if the store answers synchronously, as `inMemory()` does.
 *
 * @throws {DpopError} `replayed`
 * @throws {ReplayStoreUnavailableError} The store did not answer. Refuse the request with 503.
 */
export function spendProof(proof: VerifiedProof, store: ReplayStore): void | Promise<void> {
  const { thumbprint, jti, expiresAt } = proof;
  const answer = isFirstUse({ key: sha256Base64url(`${thumbprint}.${jti}`), expiresAt }, store);
  return typeof answer === "boolean" ? settle(proof, answer) : answer.then((first) => settle(proof, first));
}

function settle(proof: VerifiedProof, isFirst: boolean): void {
  if (!isFirst) throw new DpopError("replayed");
  if (proof instanceof CheckedProof) proof.remember();
}
