/**
 * DPoP proofs (RFC 9449): create them, verify them, accept each once.
 *
 * @module
 */
export type { Clock } from "./clock.js";
export {
  DpopError,
  type DpopErrorCode,
  type DpopErrorReason,
  ReplayStoreUnavailableError,
} from "./errors.js";
export type { PrivateJwk, PublicJwk } from "./jws/jwk.js";
export { type Es256KeyPair, generateEs256KeyPair } from "./key-pair.js";
export { createNonceSource, type NonceSource, type NonceSourceOptions } from "./nonces.js";
export {
  createProofSigner,
  type ProofRequest,
  type ProofSigner,
  type ProofSignerOptions,
} from "./proof/sign-proof.js";
export {
  createProofVerifier,
  type ProofInput,
  type ProofVerifier,
  type ProofVerifierOptions,
  type VerifiedProof,
} from "./proof/verify-proof.js";
export { type InMemoryOptions, inMemory } from "./replay/in-memory.js";
export type { ReplayRecord, ReplayStore } from "./replay/replay-store.js";
export { jwkThumbprint } from "./thumbprint.js";
