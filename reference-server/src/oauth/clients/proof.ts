import { DpopError, type ProofChecker, type VerifiedProof } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { OnceRecord } from "../../store/redemptions.js";
import type { Store } from "../../store/store.js";
import { replayedAssertion } from "./authenticate.js";

/** A request that may carry a proof. */
interface ProvenRequest {
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
  readonly method: string;
  /** The address of the endpoint, as clients know it. */
  readonly url: string;
  /** Of the access token that the proof accompanies. */
  readonly accessTokenHash?: string;
}

/**
 * Verifies the proof of a request, if there is one. It is accepted once: `useUp` and the writes of the token endpoint store it.
 *
 * @throws {OAuthError} `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export function readProof(
  { dpop, ...request }: ProvenRequest,
  proofChecker: Pick<ProofChecker, "check">,
): VerifiedProof | undefined {
  const [proof] = dpop;
  if (dpop.length > 1) {
    throw new OAuthError("invalid_dpop_proof", "several_proofs", "Exactly one DPoP proof is needed.");
  }
  if (proof === undefined) return undefined;
  try {
    return proofChecker.check({ ...request, proof });
  } catch (error) {
    if (error instanceof DpopError) throw fromDpopError(error);
    throw error;
  }
}

/** The refusal of a request that needs a proof and has none. */
export function missingProof(): OAuthError {
  return new OAuthError("invalid_dpop_proof", "missing_proof", "Exactly one DPoP proof is needed.");
}

/** The refusal of a proof that was used before. */
export function replayedProof(): OAuthError {
  return fromDpopError(new DpopError("replayed"));
}

function fromDpopError(cause: DpopError): OAuthError {
  return new OAuthError(cause.code, cause.reason, cause.message, { cause });
}

/** The single-use credentials of a request. */
interface SingleUse {
  readonly proof: VerifiedProof | undefined;
  readonly assertionUse: OnceRecord | undefined;
}

/** How the database stores a proof: by key and `jti`, never by its text. `expiresAt` is in epoch seconds. */
export function replayRecord(proof: VerifiedProof): OnceRecord {
  return { key: `${proof.thumbprint}.${sha256Base64url(proof.jti)}`, expiresAt: proof.expiresAt };
}

/** How the database stores the single-use credentials of a request. */
export function onceRecords({ proof, assertionUse }: SingleUse): readonly OnceRecord[] {
  const records = proof === undefined ? [] : [replayRecord(proof)];
  return assertionUse === undefined ? records : [...records, assertionUse];
}

/** The refusal of a request whose credential with this key was used before. */
export function replayedError(key: string, { assertionUse }: SingleUse): OAuthError {
  return key === assertionUse?.key ? replayedAssertion() : replayedProof();
}

/**
 * Uses up the credentials of a request in the transaction of what they authorize; a rollback leaves them unused.
 *
 * @throws {OAuthError} `invalid_dpop_proof` or `invalid_client`: it was used before.
 */
export async function useUp(store: Pick<Store, "dpopReplays">, credentials: SingleUse): Promise<void> {
  for (const record of onceRecords(credentials)) {
    if (!(await store.dpopReplays.consume(record))) throw replayedError(record.key, credentials);
  }
}
