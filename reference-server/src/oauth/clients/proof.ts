import type { ProofChecker, VerifiedProof } from "@authz/dpop";
import { fromDpopError } from "../../protocol/from-dpop-error.js";
import { OAuthError } from "../../protocol/oauth-error.js";

/** A request that may carry a proof. */
export interface ProvenRequest {
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
  /** The address of the endpoint, as clients know it. */
  readonly url: string;
}

/**
 * Verifies the proof of a posted form, when there is one. It is used up by whoever stores it.
 *
 * @throws {OAuthError} `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export function readProof(
  { dpop, url }: ProvenRequest,
  proofChecker: Pick<ProofChecker, "check">,
): VerifiedProof | undefined {
  const [proof] = dpop;
  if (dpop.length > 1) {
    throw new OAuthError("invalid_dpop_proof", "several_proofs", "Exactly one DPoP proof is needed.");
  }
  if (proof === undefined) return undefined;
  try {
    return proofChecker.check({ proof, method: "POST", url });
  } catch (error) {
    throw fromDpopError(error);
  }
}

/** The refusal of a request that needs a proof and has none. */
export function missingProof(): OAuthError {
  return new OAuthError("invalid_dpop_proof", "missing_proof", "Exactly one DPoP proof is needed.");
}
