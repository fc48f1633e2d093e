import { type Duplex, type Readable, Transform, type TransformCallback, pipeline } from "node:stream";
import { createCoverer } from "./cover-token.js";
import { type BodyEncoding, createDecoder } from "./decode-answer.js";

/** More bytes came than are allowed. */
export class TooManyBytesError extends Error {
  override readonly name = "TooManyBytesError";
  constructor() {
    super("More bytes than are allowed.");
  }
}

/** Passes bytes on up to a number of them, and counts. */
class ByteLimit extends Transform {
  #bytes = 0;
  readonly #most: number;
  constructor(most: number) {
    super();
    this.#most = most;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#most) done(new TooManyBytesError());
    else done(null, chunk);
  }
}

export interface AnswerGuard {
  readonly encoding: BodyEncoding;
  readonly mostBytes: number;
  /** What is covered with stars. */
  readonly secrets: readonly string[];
  /** Told of every piece that is handed on. */
  readonly count: (bytes: number) => void;
}

/**
 * The body as the caller gets it: decoded, without the token, no longer than allowed. It streams; when something breaks
 * or is too much, the stream ends with an error.
 */
export function guardAnswer(body: Readable, guard: AnswerGuard): Readable {
  const cover = new CoverStream(guard);
  // Encoded bytes count as well: an endless stream can decode to nothing.
  const decoding: Duplex[] =
    guard.encoding === "identity" ? [] : [new ByteLimit(guard.mostBytes), createDecoder(guard.encoding)];
  // Whoever reads the result sees what broke; an error that comes later than that must not end the process.
  for (const stream of [...decoding, cover]) stream.on("error", () => undefined);
  pipeline([body, ...decoding, cover], () => undefined);
  return cover;
}

class CoverStream extends Transform {
  readonly #guard: AnswerGuard;
  readonly #coverer;
  #bytes = 0;
  constructor(guard: AnswerGuard) {
    super({ highWaterMark: 64 * 1024 });
    this.#guard = guard;
    this.#coverer = createCoverer(guard.secrets);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#guard.mostBytes) return done(new TooManyBytesError());
    done(null, this.#counted(this.#coverer.next(chunk)));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#counted(this.#coverer.end()));
  }

  #counted(bytes: Buffer): Buffer | undefined {
    this.#guard.count(bytes.length);
    return bytes.length === 0 ? undefined : bytes;
  }
}
