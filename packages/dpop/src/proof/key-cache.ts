import type { ProofKey } from "./proof-key.js";

// A plain proof header has about 250 characters; a stuffed one is verified each time instead of stored.
const maxHeaderLength = 1024;

/**
 * Remembers proof keys by their exact encoded header, so that a known client costs neither a parse nor a key import.
 *
 * One key holds one place however many headers it is sent under, and it gets a lasting place only by coming back:
 * a flood of new keys pushes out other new keys, not the clients that are at work. Among the regulars, one that was
 * back since the last look gets a second chance.
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
    if (knownHeader === headerSegment) {
      this.#noteReturn(entry);
    } else {
      if (knownHeader !== undefined) this.#remove(knownHeader, thumbprint);
      this.#add(entry);
    }
  }

  #add(entry: ProofKey): void {
    if (this.#newcomers.size >= this.#maxNewcomers) this.#removeOldest(this.#newcomers);
    this.#newcomers.set(entry.headerSegment, entry);
    this.#headers.set(entry.thumbprint, entry.headerSegment);
  }

  #noteReturn(entry: ProofKey): void {
    const newcomer = this.#newcomers.get(entry.headerSegment);
    if (newcomer === undefined) {
      entry.wasBack = true;
    } else if (this.#maxRegulars > 0) {
      if (this.#regulars.size >= this.#maxRegulars) this.#removeOldest(this.#regulars);
      this.#newcomers.delete(entry.headerSegment);
      this.#regulars.set(entry.headerSegment, newcomer);
    }
  }

  #removeOldest(entries: Map<string, ProofKey>): void {
    // Entries that get a second chance go to the end, so this ends after at most one round.
    for (const [headerSegment, entry] of entries) {
      if (!entry.wasBack) {
        this.#remove(headerSegment, entry.thumbprint);
        return;
      }
      entry.wasBack = false;
      entries.delete(headerSegment);
      entries.set(headerSegment, entry);
    }
  }

  #remove(headerSegment: string, thumbprint: string): void {
    this.#newcomers.delete(headerSegment);
    this.#regulars.delete(headerSegment);
    this.#headers.delete(thumbprint);
  }
}
