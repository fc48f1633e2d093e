import type { KeyObject } from "node:crypto";
import { createP256PublicKey, type PublicJwk, thumbprintOf } from "../jws/keys.js";

// A plain proof header has about 250 characters; a padded one is parsed each time instead of cached.
const maxHeaderLength = 1024;

/** A cached key of the checker that accepted its proof. */
export interface ProofKeyHandle {
  /** RFC 7638. */
  readonly thumbprint: string;
}

/** The key in a proof's header. Importing it is expensive, so it is deferred until the claims have passed. */
export class ProofKey implements ProofKeyHandle {
  /** The header as received, still encoded. */
  readonly headerSegment: string;
  /** The part of the cache that holds the key. */
  place: "outside" | "probationary" | "protected" = "outside";
  /** The cache that holds the key; undefined while it is outside. */
  owner: KeyCache | undefined;
  /** Whether the key was used since the last pass of eviction. */
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

  /** Marks the key as evicted and frees the imported key; a reference that remains costs a few hundred bytes. */
  leave(): void {
    this.place = "outside";
    this.owner = undefined;
    this.#key = undefined;
  }
}

/**
 * Caches proof keys by their exact encoded header, so that a known client costs neither a parse nor a key import.
 *
 * A segmented cache: a new key is probationary and becomes protected at its second use, so that a flood of new keys
 * evicts other new keys and not active clients. The protected part evicts by second chance. A key has one entry, however
 * many headers it is sent with. An ordinary LRU cache has neither property.
 */
export class KeyCache {
  readonly #probationary = new Map<string, ProofKey>();
  readonly #protected = new Map<string, ProofKey>();
  readonly #keys = new Map<string, ProofKey>();
  readonly #maxProbationary: number;
  readonly #maxProtected: number;

  constructor(size: number) {
    this.#maxProbationary = Math.ceil(size / 4);
    this.#maxProtected = size - this.#maxProbationary;
  }

  get size(): number {
    return this.#keys.size;
  }

  get(headerSegment: string): ProofKey | undefined {
    return this.#protected.get(headerSegment) ?? this.#probationary.get(headerSegment);
  }

  /** Records an accepted use. Only for keys whose signature was verified. */
  remember(entry: ProofKey): void {
    switch (entry.place) {
      case "protected":
        entry.referenced = true;
        return;
      case "probationary":
        this.#protect(entry);
        return;
      case "outside":
        this.#add(entry);
    }
  }

  #add(entry: ProofKey): void {
    const { headerSegment, thumbprint } = entry;
    if (this.#maxProbationary === 0 || headerSegment.length > maxHeaderLength) return;
    const known = this.#keys.get(thumbprint);
    if (known?.headerSegment === headerSegment) return this.remember(known);
    if (known !== undefined) this.#remove(known);
    if (this.#probationary.size >= this.#maxProbationary) this.#evictFrom(this.#probationary);
    entry.place = "probationary";
    entry.owner = this;
    this.#probationary.set(headerSegment, entry);
    this.#keys.set(thumbprint, entry);
  }

  #protect(entry: ProofKey): void {
    if (this.#maxProtected === 0) return;
    if (this.#protected.size >= this.#maxProtected) this.#evictFrom(this.#protected);
    this.#probationary.delete(entry.headerSegment);
    entry.place = "protected";
    this.#protected.set(entry.headerSegment, entry);
  }

  #evictFrom(entries: Map<string, ProofKey>): void {
    // Entries with a second chance go to the end, so this ends after at most one round.
    for (const [headerSegment, entry] of entries) {
      if (!entry.referenced) {
        this.#remove(entry);
        return;
      }
      entry.referenced = false;
      entries.delete(headerSegment);
      entries.set(headerSegment, entry);
    }
  }

  #remove(entry: ProofKey): void {
    this.#probationary.delete(entry.headerSegment);
    this.#protected.delete(entry.headerSegment);
    this.#keys.delete(entry.thumbprint);
    entry.leave();
  }
}
