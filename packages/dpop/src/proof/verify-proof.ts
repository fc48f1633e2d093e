import type { Clock } from "../clock.js";
import { DpopError } from "../errors.js";
import { JwsError } from "../jws/errors.js";
import { verifyEs256 } from "../jws/es256.js";
import { sha256Base64url } from "../jws/sha256.js";
import type { NonceSource } from "../nonces.js";
import { requireClock, requireInteger, requireKnownOptions, requireMethods } from "../options.js";
import { askStore } from "../replay/ask-store.js";
import type { ReplayStore } from "../replay/replay-store.js";
import { type ClaimPolicy, checkClaims, type ExpectedRequest } from "./check-claims.js";
import { KeyCache } from "./key-cache.js";
import { parseProof, parseProofHeader } from "./parse-proof.js";
import type { ProofKey } from "./proof-key.js";

export interface ProofVerifierOptions {
  /** Asked last, once per accepted proof. `inMemory()` for one process, a shared store for several. */
  replayStore: ReplayStore;
  clock?: Clock;
  /** How old a proof may be. 60 by default, at most 3600. */
  maxAgeSeconds?: number;
  /** How far ahead the client's clock may be. 5 by default, at most 300. */
  futureToleranceSeconds?: number;
  /** How many client keys are remembered, about 7 KB each. 10,000 by default; 0 turns the cache off. */
  keyCacheSize?: number;
  /** Turns on server nonces: a proof without a current one is refused with `use_dpop_nonce`. */
  nonces?: NonceSource;
}

/** One request with its proof. */
export interface ProofInput extends ExpectedRequest {
  /** The value of the one `DPoP` header. */
  readonly proof: string;
}

/** A proof that was made for this request, by the holder of the key with this thumbprint. */
export interface VerifiedProof {
  /** RFC 7638 thumbprint of the key: compare it with the token's `cnf.jkt`. */
  readonly thumbprint: string;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** The last second in which a replay of the proof has to be recognised. */
  readonly expiresAt: number;
}

/** Verifies proofs in two phases, so that a server can decide everything else before a proof is used up. */
export interface ProofVerifier {
  /**
   * Verifies the proof sent with one request and returns the key that made it. Nothing is recorded.
   *
   * @throws {DpopError} The proof is refused; `reason` says why.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 | RFC 9449 §4.3}
   */
  check(input: ProofInput): VerifiedProof;
  /**
   * Uses a checked proof up. Call it last: a request that is refused for another reason then costs the store nothing.
   *
   * Done at once, without a promise, when the store answers at once, as `inMemory()` does.
   *
   * @throws {DpopError} `replayed`
   * @throws {ReplayStoreUnavailableError} The store did not answer. Refuse the request with 503.
   */
  consume(proof: VerifiedProof): void | Promise<void>;
  /** `check`, then `consume`. */
  verify(input: ProofInput): Promise<VerifiedProof>;
}

/**
 * Creates a verifier for the proofs that arrive at one server. Create it once: it holds the cache of client keys.
 *
 * @throws {TypeError} An option is missing, malformed or unknown.
 */
export function createProofVerifier(options: ProofVerifierOptions): ProofVerifier {
  const { replayStore, keyCacheSize, policy } = readOptions(options);
  const cache = new KeyCache(keyCacheSize);
  const retentionSeconds = policy.maxAgeSeconds + policy.futureToleranceSeconds;

  function check(input: ProofInput): CheckedProof {
    try {
      const proof = parseProof(input.proof);
      const proofKey = cache.get(proof.headerSegment) ?? parseProofHeader(proof.headerSegment);
      const { jti, iat } = checkClaims(proof.claims, input, policy);
      if (!verifyEs256(proof.signingInput, proof.signature, proofKey.key))
        throw new DpopError("bad_signature");
      return new CheckedProof(proofKey, jti, iat, iat + retentionSeconds);
    } catch (error) {
      throw error instanceof JwsError ? new DpopError(error.reason, { cause: error }) : error;
    }
  }

  function consume(proof: VerifiedProof): void | Promise<void> {
    const key = sha256Base64url(`${proof.thumbprint}.${proof.jti}`);
    const answer = askStore(replayStore, { key, expiresAt: proof.expiresAt });
    return typeof answer === "boolean" ? settle(proof, answer) : answer.then((first) => settle(proof, first));
  }

  function settle(proof: VerifiedProof, isFirstUse: boolean): void {
    if (!isFirstUse) throw new DpopError("replayed");
    // Only now, so that keys without a use that was accepted cannot crowd the cache.
    if (proof instanceof CheckedProof) cache.remember(proof.proofKey);
  }

  return Object.freeze({
    check,
    consume,
    async verify(input: ProofInput) {
      const proof = check(input);
      await consume(proof);
      return proof;
    },
  });
}

class CheckedProof implements VerifiedProof {
  readonly thumbprint: string;
  readonly jti: string;
  readonly iat: number;
  readonly expiresAt: number;
  readonly #proofKey: ProofKey;

  // Four parameters, not an object: it is made once per request.
  constructor(proofKey: ProofKey, jti: string, iat: number, expiresAt: number) {
    this.thumbprint = proofKey.thumbprint;
    this.jti = jti;
    this.iat = iat;
    this.expiresAt = expiresAt;
    this.#proofKey = proofKey;
  }

  get proofKey(): ProofKey {
    return this.#proofKey;
  }
}

const knownOptions = [
  "replayStore",
  "clock",
  "maxAgeSeconds",
  "futureToleranceSeconds",
  "keyCacheSize",
  "nonces",
];

function readOptions(options: ProofVerifierOptions): {
  replayStore: ReplayStore;
  keyCacheSize: number;
  policy: ClaimPolicy;
} {
  const factory = "createProofVerifier";
  requireKnownOptions(factory, options, knownOptions);
  const { replayStore, clock = Date.now, maxAgeSeconds = 60, futureToleranceSeconds = 5 } = options;
  const { keyCacheSize = 10_000, nonces } = options;
  requireMethods(`${factory}: replayStore`, replayStore, ["consume"]);
  if (nonces !== undefined) requireMethods(`${factory}: nonces`, nonces, ["current", "accepts"]);
  requireClock(factory, clock);
  requireInteger(`${factory}: maxAgeSeconds`, maxAgeSeconds, { min: 1, max: 3600 });
  requireInteger(`${factory}: futureToleranceSeconds`, futureToleranceSeconds, { min: 0, max: 300 });
  requireInteger(`${factory}: keyCacheSize`, keyCacheSize, { min: 0, max: 1_000_000 });
  return { replayStore, keyCacheSize, policy: { clock, maxAgeSeconds, futureToleranceSeconds, nonces } };
}
