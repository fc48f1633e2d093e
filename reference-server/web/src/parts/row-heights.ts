/** Height of a row before any was measured. */
export const guess = 50;

/** Heights and offsets of rows. Rows that were never drawn count with the height of the first one. */
export class RowHeights {
  #heights = new Float64Array(0);
  #offsets = new Float64Array(1);
  #isKnown = new Uint8Array(0);
  #estimate = guess;
  #isStale = true;

  setCount(count: number): void {
    if (count === this.#heights.length) return;
    const known = this.#isKnown.slice(0, count);
    const heights = new Float64Array(count).fill(this.#estimate);
    heights.set(this.#heights.subarray(0, count));
    this.#heights = heights;
    this.#isKnown = new Uint8Array(count);
    this.#isKnown.set(known);
    this.#offsets = new Float64Array(count + 1);
    this.#isStale = true;
  }

  isKnown(index: number): boolean {
    return this.#isKnown[index] === 1;
  }

  set(index: number, height: number): void {
    // One estimate for all rows, so that the page does not move while scrolling.
    if (this.#estimate === guess && height > 0) {
      this.#estimate = height;
      for (const [row, known] of this.#isKnown.entries()) {
        if (known === 0) this.#heights[row] = height;
      }
    }
    this.#isKnown[index] = 1;
    this.#heights[index] = height;
    this.#isStale = true;
  }

  /** The distance of a row from the first one; of the row count, the end of the last row. */
  offset(index: number): number {
    this.#sum();
    return this.#offsets[index] ?? 0;
  }

  /** The row at a distance from the top; the first or last one beyond the rows. */
  at(y: number): number {
    this.#sum();
    let low = 0;
    let high = this.#heights.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  #sum(): void {
    if (!this.#isStale) return;
    const heights = this.#heights;
    const offsets = this.#offsets;
    let offset = 0;
    for (let index = 0; index < heights.length; index++) {
      offset += heights[index] ?? 0;
      offsets[index + 1] = offset;
    }
    this.#isStale = false;
  }
}
