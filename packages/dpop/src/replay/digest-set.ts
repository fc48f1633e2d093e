import { randomFillSync } from "node:crypto";
import { sha256Base64url } from "../jws/base64url.js";

const maxLength = 255;
const smallestCapacity = 256;

/** Computes digests of keys: two sums of their characters, weighted by secrets of this process. */
export class KeyDigest {
  /** The digest of the last key, in one array so that a request allocates nothing. */
  readonly sums: Float64Array = new Float64Array(2);
  /** Two for each position, below 2³⁸, so that the sums of 255 ASCII characters are exact in a double. */
  readonly #weights = createWeights();

  compute(key: string): void {
    this.#begin();
    if (!this.#add(key, 0)) this.compute(sha256Base64url(key));
  }

  /** Starts at 1, so that no sum is 0, which marks an empty slot. */
  #begin(): void {
    this.sums[0] = 1;
    this.sums[1] = 1;
  }

  /** Adds the characters from a position on; false if there are too many, or one of them is not ASCII. */
  #add(text: string, position: number): boolean {
    const end = position + text.length;
    if (end > maxLength) return false;
    const weights = this.#weights;
    let first = this.sums[0] as number;
    let second = this.sums[1] as number;
    for (let index = position; index < end; index++) {
      const code = text.charCodeAt(index - position);
      if (code > 127) return false;
      first += (code + 1) * (weights[2 * index] as number);
      second += (code + 1) * (weights[2 * index + 1] as number);
    }
    this.sums[0] = first;
    this.sums[1] = second;
    return true;
  }
}

/**
 * A set of digests in 16 bytes per slot, which creates no garbage however many keys come and go.
 *
 * Equal keys have equal digests, so a known key is never missed. Two different keys collide with a probability of at most
 * 2⁻⁷⁶, even if an attacker chooses them.
 */
export class DigestSet {
  #slots = new Float64Array(2 * smallestCapacity);
  #mask = smallestCapacity - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(sums: Float64Array): boolean {
    return this.#size > 0 && this.#slots[2 * this.#find(sums[0] as number, sums[1] as number)] !== 0;
  }

  /** Adds a digest that is not in the set. */
  add(sums: Float64Array): void {
    if (2 * this.#size > this.#mask) this.#grow();
    this.#put(sums[0] as number, sums[1] as number);
    this.#size += 1;
  }

  /** Removes everything; keeps the memory if most of it was in use. */
  clear(): void {
    if (8 * this.#size < this.#mask) {
      this.#slots = new Float64Array(2 * smallestCapacity);
      this.#mask = smallestCapacity - 1;
    } else {
      this.#slots.fill(0);
    }
    this.#size = 0;
  }

  /** The slot of a digest, or the empty slot for it. At least half of the slots are empty. */
  #find(first: number, second: number): number {
    const slots = this.#slots;
    let slot = (Math.imul(first ^ (second / 0x10_0000), 0x9e3779b1) >>> 7) & this.#mask;
    for (;;) {
      const found = slots[2 * slot];
      if (found === 0 || (found === first && slots[2 * slot + 1] === second)) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #put(first: number, second: number): void {
    const slot = this.#find(first, second);
    this.#slots[2 * slot] = first;
    this.#slots[2 * slot + 1] = second;
  }

  #grow(): void {
    const previous = this.#slots;
    this.#slots = new Float64Array(2 * previous.length);
    this.#mask = previous.length - 1;
    for (let index = 0; index < previous.length; index += 2) {
      if (previous[index] !== 0) this.#put(previous[index] as number, previous[index + 1] as number);
    }
  }
}

function createWeights(): Float64Array {
  const random = randomFillSync(new Uint32Array(4 * maxLength));
  return Float64Array.from(
    { length: 2 * maxLength },
    (_, index) => (random[2 * index] as number) * 2 ** 6 + ((random[2 * index + 1] as number) % 2 ** 6),
  );
}
