/**
 * Memory for something that is made, used at once and thrown away, once per request: no garbage is left.
 *
 * There is one view of each length, so that asking for one costs nothing either.
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

  /** The first bytes of the memory, whatever they are. */
  view(length: number): Buffer {
    return (this.#views[length] ??= this.#memory.subarray(0, length));
  }

  /** Writes an ASCII string and returns its bytes, which the next call overwrites. */
  writeAscii(ascii: string): Buffer {
    this.#memory.write(ascii, "latin1");
    return this.view(ascii.length);
  }

  /** Decodes base64url, as leniently as Node does, and returns the bytes, which the next call overwrites. */
  writeBase64url(encoded: string): Buffer {
    return this.view(this.#memory.write(encoded, "base64url"));
  }
}
