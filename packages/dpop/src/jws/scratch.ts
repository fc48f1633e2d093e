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

  /** Writes ASCII text and returns its bytes, which the next call overwrites. */
  writeAscii(text: string): Buffer {
    this.#memory.write(text, "latin1");
    return this.view(text.length);
  }

  /** Decodes base64url, as leniently as Node does, and returns the bytes, which the next call overwrites. */
  writeBase64url(text: string): Buffer {
    return this.view(this.#memory.write(text, "base64url"));
  }
}
