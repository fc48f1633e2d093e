import type { KeyObject } from "node:crypto";
import { createP256PublicKey, type PublicJwk, thumbprintOf } from "../jws/keys.js";

// A plain proof header has about 250 characters; a stuffed one is verified each time instead of stored.
const maxHeaderLength = 1024;

/** The key in a proof's header. Importing it is expensive, so that waits until the claims are known to be right. */
export class ProofKey {
  /** The header as received, still encoded. */
  readonly headerSegment: string;
  /** For the cache: whether the key was used since the cache last came by. */
  referenced = false;
  readonly #publicJwk: PublicJwk;
  #key: KeyObject | undefined;
  #thumbprint: string | undefined;

  constructor(headerSegment: string, publicJwk: PublicJwk) {
    this.headerSegment = headerSegment;
    this.#publicJwk = publicJwk;
  }

  /** @throws {JwsError} The point is not on the curve. */
  get key(): KeyObject {
    this.#key ??= createP256PublicKey(this.#publicJwk);
    return this.#key;
  }

  get thumbprint(): string {
    this.#thumbprint ??= thumbprintOf(this.#publicJwk);
    return this.#thumbprint;
  }
}

/**
 * Remembers proof keys by their exact encoded header, so that a known client costs neither a parse nor a key import.
 *
 * A segmented cache: a new key is probationary, and its second use makes it protected, so that a flood of new keys
 * evicts other new keys and not the clients that are at work. The protected part evicts by second chance. One key holds
 * one entry however many headers it is sent under.
 */
export class KeyCache {
  readonly #probationary = new Map<string, ProofKey>();
  readonly #protected = new Map<string, ProofKey>();
  readonly #headers = new Map<string, string>();
  readonly #maxProbationary: number;
  readonly #maxProtected: number;

  constructor(size: number) {
    this.#maxProbationary = Math.ceil(size / 4);
    this.#maxProtected = size - this.#maxProbationary;
  }

  get size(): number {
    return this.#headers.size;
  }

  get(headerSegment: string): ProofKey | undefined {
    return this.#protected.get(headerSegment) ?? this.#probationary.get(headerSegment);
  }

  /** Notes an accepted use. Only a key whose signature verified may come here. */
  remember(entry: ProofKey): void {
    const { headerSegment, thumbprint } = entry;
    if (this.#maxProbationary === 0 || headerSegment.length > maxHeaderLength) return;
    const knownHeader = this.#headers.get(thumbprint);
    if (knownHeader === headerSegment) {
      this.#noteReuse(entry);
    } else {
      if (knownHeader !== undefined) this.#remove(knownHeader, thumbprint);
      this.#add(entry);
    }
  }

  #add(entry: ProofKey): void {
    if (this.#probationary.size >= this.#maxProbationary) this.#evictFrom(this.#probationary);
    this.#probationary.set(entry.headerSegment, entry);
    this.#headers.set(entry.thumbprint, entry.headerSegment);
  }

  #noteReuse(entry: ProofKey): void {
    const probationary = this.#probationary.get(entry.headerSegment);
    if (probationary === undefined) {
      entry.referenced = true;
    } else if (this.#maxProtected > 0) {
      if (this.#protected.size >= this.#maxProtected) this.#evictFrom(this.#protected);
      this.#probationary.delete(entry.headerSegment);
      this.#protected.set(entry.headerSegment, probationary);
    }
  }

  #evictFrom(entries: Map<string, ProofKey>): void {
    // Entries that get a second chance go to the end, so this ends after at most one round.
    for (const [headerSegment, entry] of entries) {
      if (!entry.referenced) {
        this.#remove(headerSegment, entry.thumbprint);
        return;
      }
      entry.referenced = false;
      entries.delete(headerSegment);
      entries.set(headerSegment, entry);
    }
  }

  #remove(headerSegment: string, thumbprint: string): void {
    this.#probationary.delete(headerSegment);
    this.#protected.delete(headerSegment);
    this.#headers.delete(thumbprint);
  }
}
