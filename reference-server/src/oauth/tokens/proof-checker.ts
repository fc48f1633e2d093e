import {
  type Clock,
  createProofVerifier,
  type NonceSource,
  type ProofInput,
  type VerifiedProof,
} from "@authz/dpop";

/**
 * Checks proofs of DPoP. It keeps no account of those that were used: whoever accepts one stores it, in the statement
 * or transaction of what it authorises, which refuses it the second time.
 */
export interface ProofChecker {
  /** @throws {DpopError} The proof is refused; nothing is changed. */
  check(input: ProofInput): VerifiedProof;
  /**
   * Remembers the key of a proof that was accepted and stored, so that its next proof costs no import of the key. Only
   * such a key: others must not crowd the cache.
   */
  remember(proof: VerifiedProof): void | Promise<void>;
}

export function createProofChecker(options: {
  readonly clock: Clock;
  readonly nonces: NonceSource | undefined;
}): ProofChecker {
  const { clock, nonces } = options;
  const verifier = createProofVerifier({
    // Never asked whether a proof is new: the database has said so when `remember` is called.
    replayStore: { consume: () => true },
    clock,
    ...(nonces !== undefined && { nonces }),
  });
  return {
    check: (input) => verifier.check(input),
    remember: (proof) => verifier.consume(proof),
  };
}
