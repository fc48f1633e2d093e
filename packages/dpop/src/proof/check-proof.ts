import type { KeyObject } from "node:crypto";
import { type Clock, systemClock } from "../clock.js";
import { DpopError } from "../errors.js";
import { sha256Base64url } from "../jws/base64url.js";
import { JwsError } from "../jws/errors.js";
import { verifyEs256, verifyEs256Concurrently } from "../jws/es256.js";
import type { NonceSource } from "../nonces.js";
import { requireClock, requireInteger, requireKnownOptions, requireMethods } from "../options.js";
import { isFirstUse, type ReplayStore } from "../replay/replay-store.js";
import { type ClaimPolicy, checkClaims, type ExpectedRequest } from "./check-claims.js";
import { KeyCache, ProofKey, type ProofKeyHandle } from "./key-cache.js";
import { type ParsedProof, parseProof, parseProofHeader } from "./parse-proof.js";

export interface ProofCheckerOptions {
  clock?: Clock;
  /** Maximum age of a proof. 60 by default, at most 3600. */
  maxAgeSeconds?: number;
  /** Maximum lead of the client's clock. 5 by default, at most 300. */
  clockToleranceSeconds?: number;
  /** Maximum number of cached client keys, about 7 KB each. 10,000 by default; 0 turns the cache off. */
  keyCacheSize?: number;
  /** Turns on server nonces: a proof without a current one is refused with `use_dpop_nonce`. */
  nonces?: NonceSource | undefined;
}

/** A request with its proof. */
export interface ProofInput extends ExpectedRequest {
  /** The value of the one `DPoP` header. */
  readonly proof: string;
  /**
   * The key that probably made the proof: the result of `keyOf` for an accepted proof with the same access token. A proof with the
   * same header needs no cache lookup. Only a hint: every check still runs.
   */
  readonly expectedKey?: ProofKeyHandle | undefined;
}

/** A proof made for this request by the holder of the key with this thumbprint. */
export interface VerifiedProof {
  /** RFC 7638 thumbprint of the key: compare it with the token's `cnf.jkt`. */
  readonly thumbprint: string;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** The last second in which the proof could pass, in seconds since 1970: a replay store must remember it until then. */
  readonly expiresAt: number;
}

/** Checks proofs. It does not record their use: `spendProof` does, or a statement of your own. */
export interface ProofChecker {
  /**
   * Verifies the proof sent with one request and returns the key that made it. Nothing is recorded.
   *
   * @throws {DpopError} The proof is refused; `reason` says why.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 | RFC 9449 §4.3}
   */
  check(input: ProofInput): VerifiedProof;
  /**
   * As `check`, for a process that serves many requests at a time: while other signatures are being verified, this one is
   * verified in a thread of libuv's pool, so that one process uses several cores. Returns without a promise when this is the
   * only check or 32 are waiting already; throws at once for a proof that is refused before its signature is verified.
   *
   * @throws {DpopError} The proof is refused; `reason` says why.
   */
  checkConcurrently(input: ProofInput): VerifiedProof | Promise<VerifiedProof>;
  /**
   * Caches the key of an accepted proof, so that the next proof of the client needs no key import. `spendProof` does this;
   * call it yourself if you record the use of proofs in your own statement, and only for accepted proofs, so that refused
   * ones cannot fill the cache.
   */
  remember(proof: VerifiedProof): void;
  /**
   * The cached key of a proof, for `expectedKey` of the next proof from the same client. Undefined when it is not cached. After the
   * cache has dropped it, a reference keeps only its header in memory, at most 1 KB.
   */
  keyOf(proof: VerifiedProof): ProofKeyHandle | undefined;
}

/** Difference between the clocks of processes that share a replay store: the store remembers a proof longer by this. */
const clockDifferenceSeconds = 5;

/**
 * Creates a checker for the proofs that arrive at one server. Create it once: it holds the cache of client keys.
 *
 * @throws {TypeError} An option is malformed or unknown.
 */
export function createProofChecker(options: ProofCheckerOptions = {}): ProofChecker {
  const { keyCacheSize, policy } = readOptions(options);
  const cache = new KeyCache(keyCacheSize);
  // Counted from `iat`, which may be ahead, so the clock tolerance is included already.
  const retentionSeconds = policy.maxAgeSeconds + clockDifferenceSeconds;

  /** Everything but the signature. */
  function read(input: ProofInput): ReadProof {
    try {
      const { expectedKey: expected } = input;
      const proof = parseProof(input.proof);
      const { headerSegment } = proof;
      const isExpected =
        expected instanceof ProofKey && expected.owner === cache && expected.headerSegment === headerSegment;
      const proofKey = isExpected ? expected : (cache.get(headerSegment) ?? parseProofHeader(headerSegment));
      const { jti, iat } = checkClaims(proof.claims, input, policy);
      const { key } = proofKey;
      return { proof, key, checked: new CheckedProof(cache, proofKey, jti, iat, iat + retentionSeconds) };
    } catch (error) {
      throw error instanceof JwsError ? new DpopError(error.reason, { cause: error }) : error;
    }
  }

  return Object.freeze({
    check(input: ProofInput): VerifiedProof {
      const { proof, key, checked } = read(input);
      return accept(checked, verifyEs256(proof.signingInput, proof.signature, key));
    },
    checkConcurrently(input: ProofInput): VerifiedProof | Promise<VerifiedProof> {
      const { proof, key, checked } = read(input);
      const verified = verifyEs256Concurrently(proof.signingInput, proof.signature, key);
      return typeof verified === "boolean"
        ? accept(checked, verified)
        : verified.then((later) => accept(checked, later));
    },
    remember(proof: VerifiedProof) {
      if (proof instanceof CheckedProof) proof.remember();
    },
    keyOf: (proof: VerifiedProof) => (proof instanceof CheckedProof ? proof.keyIn(cache) : undefined),
  });
}

interface ReadProof {
  readonly proof: ParsedProof;
  readonly key: KeyObject;
  /** The result if the signature is right. */
  readonly checked: CheckedProof;
}

function accept(checked: CheckedProof, isVerified: boolean): CheckedProof {
  if (!isVerified) throw new DpopError("bad_signature");
  return checked;
}

/** The result of `check`, with its key and the cache of the checker. */
class CheckedProof implements VerifiedProof {
  readonly thumbprint: string;
  readonly jti: string;
  readonly iat: number;
  readonly expiresAt: number;
  readonly #cache: KeyCache;
  readonly #proofKey: ProofKey;

  // Five parameters instead of an object, because this runs once per request.
  constructor(cache: KeyCache, proofKey: ProofKey, jti: string, iat: number, expiresAt: number) {
    this.thumbprint = proofKey.thumbprint;
    this.jti = jti;
    this.iat = iat;
    this.expiresAt = expiresAt;
    this.#cache = cache;
    this.#proofKey = proofKey;
  }

  keyIn(cache: KeyCache): ProofKey | undefined {
    return this.#proofKey.owner === cache ? this.#proofKey : undefined;
  }

  remember(): void {
    this.#cache.remember(this.#proofKey);
  }
}

/**
 * Records the use of a checked proof. Call it last, so that a request refused for another reason does not reach the store.
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

const knownOptions = ["clock", "maxAgeSeconds", "clockToleranceSeconds", "keyCacheSize", "nonces"];

function readOptions(options: ProofCheckerOptions): { keyCacheSize: number; policy: ClaimPolicy } {
  const factory = "createProofChecker";
  requireKnownOptions(factory, options, knownOptions);
  const { clock = systemClock, maxAgeSeconds = 60, clockToleranceSeconds = 5 } = options;
  const { keyCacheSize = 10_000, nonces } = options;
  if (nonces !== undefined) requireMethods(`${factory}: nonces`, nonces, ["current", "accepts"]);
  requireClock(factory, clock);
  requireInteger(`${factory}: maxAgeSeconds`, maxAgeSeconds, { min: 1, max: 3600 });
  requireInteger(`${factory}: clockToleranceSeconds`, clockToleranceSeconds, { min: 0, max: 300 });
  requireInteger(`${factory}: keyCacheSize`, keyCacheSize, { min: 0, max: 1_000_000 });
  return { keyCacheSize, policy: { clock, maxAgeSeconds, clockToleranceSeconds, nonces } };
}
