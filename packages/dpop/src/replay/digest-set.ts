import { randomInt } from "node:crypto";
import { digestWords } from "./digest.js";

const initialBits = 10;
/** Above this share of taken places the table doubles. */
const maxLoad = 0.6;

/**
 * A set of digests in one typed array, with open addressing. It has no objects that the garbage collector would have
 * to follow, and a look-up touches one line of memory where a `Set` of strings touches several.
 */
export class DigestSet {
  #bits = initialBits;
  #words = new Uint32Array(digestWords << initialBits);
  #size = 0;
  /** Odd, and not known outside: nobody can choose digests that crowd one corner of the table. */
  readonly #multiplier = randomInt(2 ** 31) * 2 + 1;

  get size(): number {
    return this.#size;
  }

  has(digest: Uint32Array): boolean {
    return this.#size > 0 && !this.#isFree(this.#find(digest, 0));
  }

  /** @param digest - not all zeros: those mark a free place */
  add(digest: Uint32Array): void {
    if (this.#size >= maxLoad * 2 ** this.#bits) this.#grow();
    if (this.#put(digest, 0)) this.#size++;
  }

  /** Copies the digest at `start` into the table. Returns whether it was not there yet. */
  #put(source: Uint32Array, start: number): boolean {
    const offset = this.#find(source, start);
    if (!this.#isFree(offset)) return false;
    for (let index = 0; index < digestWords; index++) {
      this.#words[offset + index] = source[start + index] as number;
    }
    return true;
  }

  /** Where the digest is, or else the free place where it belongs: there is always a free one. */
  #find(source: Uint32Array, start: number): number {
    const last = this.#words.length - digestWords;
    let offset = (Math.imul(source[start] as number, this.#multiplier) >>> (32 - this.#bits)) * digestWords;
    while (!this.#isFree(offset) && !this.#isAt(offset, source, start)) {
      offset = offset === last ? 0 : offset + digestWords;
    }
    return offset;
  }

  #isFree(offset: number): boolean {
    return isZeroAt(this.#words, offset);
  }

  #isAt(offset: number, source: Uint32Array, start: number): boolean {
    for (let index = 0; index < digestWords; index++) {
      if (this.#words[offset + index] !== source[start + index]) return false;
    }
    return true;
  }

  #grow(): void {
    const old = this.#words;
    this.#bits++;
    this.#words = new Uint32Array(digestWords << this.#bits);
    for (let start = 0; start < old.length; start += digestWords) {
      if (!isZeroAt(old, start)) this.#put(old, start);
    }
  }
}

function isZeroAt(words: Uint32Array, offset: number): boolean {
  for (let index = 0; index < digestWords; index++) {
    if (words[offset + index] !== 0) return false;
  }
  return true;
}
