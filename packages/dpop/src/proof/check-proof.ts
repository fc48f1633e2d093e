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
  /** How old a proof may be. 60 by default, at most 3600. */
  maxAgeSeconds?: number;
  /** How far ahead the client's clock may be. 5 by default, at most 300. */
  clockToleranceSeconds?: number;
  /** How many client keys are remembered, about 7 KB each. 10,000 by default; 0 turns the cache off. */
  keyCacheSize?: number;
  /** Turns on server nonces: a proof without a current one is refused with `use_dpop_nonce`. */
  nonces?: NonceSource | undefined;
}

/** One request with its proof. */
export interface ProofInput extends ExpectedRequest {
  /** The value of the one `DPoP` header. */
  readonly proof: string;
  /**
   * The key that probably made the proof: what `keyOf` said of an accepted one with the same access token. If the proof has the
   * header of that one, its key is found without a search. Nothing is believed because of it.
   */
  readonly expectedKey?: ProofKeyHandle | undefined;
}

/** A proof that was made for this request, by the holder of the key with this thumbprint. */
export interface VerifiedProof {
  /** RFC 7638 thumbprint of the key: compare it with the token's `cnf.jkt`. */
  readonly thumbprint: string;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** The last second in which the proof could pass anywhere: until then, a replay of it must be recognized. */
  readonly expiresAt: number;
}

/** Checks proofs. It does not record which ones were used: that is the job of `spendProof`, or of your own statement. */
export interface ProofChecker {
  /**
   * Verifies the proof sent with one request and returns the key that made it. Nothing is recorded.
   *
   * @throws {DpopError} The proof is refused; `reason` says why.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 | RFC 9449 §4.3}
   */
  check(input: ProofInput): VerifiedProof;
  /**
   * The same, for a process that serves many requests at a time: the signature is verified in a thread of libuv's pool while
   * others are being verified, so that one process uses several cores. Answers at once, without a promise, when this is the
   * only check, when 32 are waiting already, and for a proof that is refused without a look at its signature: it throws then.
   *
   * @throws {DpopError} The proof is refused; `reason` says why.
   */
  checkConcurrently(input: ProofInput): VerifiedProof | Promise<VerifiedProof>;
  /**
   * Keeps the key of an accepted proof, so that its next proof needs no import of the key. `spendProof` does this;
   * call it yourself if you record the use of a proof in your own statement, and only for an accepted proof:
   * others must not crowd the cache.
   */
  remember(proof: VerifiedProof): void;
  /**
   * The key of a proof that was remembered, for `expectedKey` of the next proof from the same client. Undefined when the cache does
   * not have it. Holding on to it keeps no more than its header, of at most 1 KB, in memory after the cache has dropped it.
   */
  keyOf(proof: VerifiedProof): ProofKeyHandle | undefined;
}

/**
 * The processes that share a replay store have clocks of their own. Added to the age that a proof may have, so that none of
 * them still takes a proof whose use the store has forgotten.
 */
const clockDifferenceSeconds = 5;

/**
 * Creates a checker for the proofs that arrive at one server. Create it once: it holds the cache of client keys.
 *
 * @throws {TypeError} An option is malformed or unknown.
 */
export function createProofChecker(options: ProofCheckerOptions = {}): ProofChecker {
  const { keyCacheSize, policy } = readOptions(options);
  const cache = new KeyCache(keyCacheSize);
  // Counted from `iat`, which may be ahead: the tolerance for that is in it already.
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
  /** What is returned if the signature is right. */
  readonly checked: CheckedProof;
}

function accept(checked: CheckedProof, isVerified: boolean): CheckedProof {
  if (!isVerified) throw new DpopError("bad_signature");
  return checked;
}

/** What `check` returns: the facts, and the way back into the cache of the checker. */
class CheckedProof implements VerifiedProof {
  readonly thumbprint: string;
  readonly jti: string;
  readonly iat: number;
  readonly expiresAt: number;
  readonly #cache: KeyCache;
  readonly #proofKey: ProofKey;

  // Five parameters, not an object: it is made once per request.
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
