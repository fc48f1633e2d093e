import { type Duplex, Transform, type TransformCallback } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { createSemaphores } from "../platform/semaphores.js";

/** How a body is encoded; `undefined` when it cannot be decoded here. */
export type BodyEncoding = "identity" | "gzip" | "br" | "deflate";

/**
 * Reads `Content-Encoding`. Some servers encode although `identity` was asked for.
 *
 * @param values - every header of that name
 */
export function encodingOf(values: readonly string[]): BodyEncoding | undefined {
  const names = values
    .flatMap((value) => value.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > 1) return undefined;
  switch (names[0]) {
    case undefined:
      return "identity";
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "br":
      return "br";
    case "deflate":
      return "deflate";
    default:
      return undefined;
  }
}

/** Acquires a decoder of this encoding; the result releases it. `undefined`: there is none left. */
export type TakeDecoder = (encoding: BodyEncoding) => (() => void) | undefined;

/** A brotli decoder holds up to 16 MiB of output for as long as a caller takes to read it; the others 32 KiB. */
const maximumBrotliDecoders = 16;

/** Limits the decoders of a process, so that small answers with a large output do not fill its memory. */
export function createDecoderLimit(maximum = maximumBrotliDecoders): TakeDecoder {
  const acquire = createSemaphores(maximum);
  return (encoding) => (encoding === "br" ? acquire(encoding) : () => undefined);
}

/** A stream that decodes in pieces of 16 KiB as they are read, so a decompression bomb is never in memory. */
export function createDecoder(encoding: Exclude<BodyEncoding, "identity">): Duplex {
  return decoders[encoding]();
}

const decoders: Readonly<Record<Exclude<BodyEncoding, "identity">, () => Duplex>> = {
  gzip: () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: () => new EitherInflate(),
};

/** `deflate` means zlib (RFC 9110 §8.4.1.2), but some servers send raw deflate. The first byte tells which. */
class EitherInflate extends Transform {
  #inner: Transform | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#open(chunk[0] ?? 0);
    if (this.#inner.write(chunk)) done();
    else this.#inner.once("drain", done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner === undefined) return done();
    this.#inner.once("end", done).end();
  }

  override _read(size: number): void {
    this.#inner?.resume();
    // oxlint-disable-next-line no-underscore-dangle -- Node's name
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #open(first: number): Transform {
    const inner = (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
    inner.on("data", (piece: Buffer) => {
      if (!this.push(piece)) inner.pause();
    });
    inner.on("error", (error) => this.destroy(error));
    return inner;
  }
}
