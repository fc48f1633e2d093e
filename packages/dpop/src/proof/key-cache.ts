import type { ProofKey } from "./proof-key.js";

// A plain proof header has about 250 characters; a stuffed one is verified each time instead of stored.
const maxHeaderLength = 1024;

/**
 * Remembers proof keys by their exact encoded header, so that a known client costs neither a parse nor a key import.
 *
 * One key holds one place however many headers it is sent under, and it gets a lasting place only by coming back:
 * a flood of new keys pushes out other new keys, not the clients that are at work.
 */
export class KeyCache {
  readonly #newcomers = new Map<string, ProofKey>();
  readonly #regulars = new Map<string, ProofKey>();
  readonly #headers = new Map<string, string>();
  readonly #maxNewcomers: number;
  readonly #maxRegulars: number;

  constructor(size: number) {
    this.#maxNewcomers = Math.ceil(size / 4);
    this.#maxRegulars = size - this.#maxNewcomers;
  }

  get size(): number {
    return this.#headers.size;
  }

  get(headerSegment: string): ProofKey | undefined {
    return this.#regulars.get(headerSegment) ?? this.#newcomers.get(headerSegment);
  }

  /** Notes an accepted use. Only a key whose signature verified may come here. */
  remember(entry: ProofKey): void {
    const { headerSegment, thumbprint } = entry;
    if (this.#maxNewcomers === 0 || headerSegment.length > maxHeaderLength) return;
    const knownHeader = this.#headers.get(thumbprint);
    if (knownHeader !== headerSegment) {
      if (knownHeader !== undefined) this.#remove(knownHeader, thumbprint);
      this.#add(entry);
    } else if (this.#regulars.delete(headerSegment)) {
      this.#regulars.set(headerSegment, entry);
    } else if (this.#maxRegulars > 0) {
      this.#promote(entry);
    }
  }

  #add(entry: ProofKey): void {
    if (this.#newcomers.size >= this.#maxNewcomers) this.#removeOldest(this.#newcomers);
    this.#newcomers.set(entry.headerSegment, entry);
    this.#headers.set(entry.thumbprint, entry.headerSegment);
  }

  #promote(entry: ProofKey): void {
    if (this.#regulars.size >= this.#maxRegulars) this.#removeOldest(this.#regulars);
    this.#newcomers.delete(entry.headerSegment);
    this.#regulars.set(entry.headerSegment, entry);
  }

  #removeOldest(entries: Map<string, ProofKey>): void {
    for (const { headerSegment, thumbprint } of entries.values()) {
      this.#remove(headerSegment, thumbprint);
      return;
    }
  }

  #remove(headerSegment: string, thumbprint: string): void {
    this.#newcomers.delete(headerSegment);
    this.#regulars.delete(headerSegment);
    this.#headers.delete(thumbprint);
  }
}
