import { type Duplex, Transform, type TransformCallback } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** How a body is encoded; `undefined` when it cannot be decoded here. */
export type BodyEncoding = "identity" | "gzip" | "br" | "deflate";

/**
 * Reads `Content-Encoding`. They are asked for none, and some answer with one all the same.
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

/** Takes a place for a decoder of this encoding; `undefined`: there is none. What it returns gives the place back. */
export type TakeDecoder = (encoding: BodyEncoding) => (() => void) | undefined;

/** Brotli keeps up to 16 MiB of what it has decoded, for as long as somebody takes to read it; the others keep 32 KiB. */
const mostBrotliDecoders = 16;

/** Creates the places of a process, so that answers which decode to much more than they are do not fill its memory. */
export function createDecoderPlaces(most = mostBrotliDecoders): TakeDecoder {
  let used = 0;
  return (encoding) => {
    if (encoding !== "br") return () => undefined;
    if (used >= most) return undefined;
    used += 1;
    let given = false;
    return () => {
      if (!given) used -= 1;
      given = true;
    };
  };
}

/** A stream that decodes; it hands out pieces of 16 KiB as they are wanted, so a bomb never stands in memory. */
export function createDecoder(encoding: Exclude<BodyEncoding, "identity">): Duplex {
  return decoders[encoding]();
}

const decoders: Readonly<Record<Exclude<BodyEncoding, "identity">, () => Duplex>> = {
  gzip: () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: () => new EitherInflate(),
};

/** `deflate` means zlib (RFC 9110 §8.4.1.2); some servers send the bare format. The first byte tells them apart. */
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
