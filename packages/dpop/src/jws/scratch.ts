/**
 * A reusable buffer for values that are made and used at once, once per request, so that they leave no garbage.
 *
 * Views are kept by length, so that asking for one allocates nothing either.
 */
export class Scratch {
  readonly #memory: Buffer;
  readonly #views: (Buffer | undefined)[] = [];

  constructor(size: number) {
    this.#memory = Buffer.allocUnsafeSlow(size);
  }

  get size(): number {
    return this.#memory.length;
  }

  /** The first bytes of the memory, uninitialized. */
  view(length: number): Buffer {
    return (this.#views[length] ??= this.#memory.subarray(0, length));
  }

  /** Writes an ASCII string and returns its bytes, which the next call overwrites. */
  writeAscii(ascii: string): Buffer {
    this.#memory.write(ascii, "latin1");
    return this.view(ascii.length);
  }

  /**
   * Writes any string as UTF-8 and returns its bytes, which the next call overwrites. There is a byte for each character if all
   * of them are ASCII, and only then; what does not fit is left out.
   */
  writeUtf8(text: string): Buffer {
    return this.view(this.#memory.write(text));
  }
}
