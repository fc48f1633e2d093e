/**
 * DPoP proofs (RFC 9449): sign them, check them, accept each once.
 *
 * @module
 */
export type { Clock } from "./clock.js";
export {
  DpopError,
  type DpopErrorCode,
  type DpopErrorOptions,
  type DpopErrorReason,
  ReplayStoreUnavailableError,
} from "./errors.js";
export {
  type Es256KeyPair,
  generateEs256KeyPair,
  jwkThumbprint,
  type PrivateJwk,
  type PublicJwk,
} from "./jws/keys.js";
export { createNonceSource, type NonceSource, type NonceSourceOptions } from "./nonces.js";
export type { ExpectedRequest } from "./proof/check-claims.js";
export {
  createProofChecker,
  type ProofChecker,
  type ProofCheckerOptions,
  type ProofInput,
  spendProof,
  type VerifiedProof,
} from "./proof/check-proof.js";
export type { ProofKeyHandle } from "./proof/key-cache.js";
export {
  createProofSigner,
  type ProofRequest,
  type ProofSigner,
  type ProofSignerOptions,
} from "./proof/sign-proof.js";
export { type InMemoryOptions, inMemory } from "./replay/in-memory.js";
export type { ReplayRecord, ReplayStore } from "./replay/replay-store.js";
