import { pipeline, Readable, Transform, type TransformCallback } from "node:stream";
import { createCoverer } from "@authz/dpop/cover";
import { type BodyEncoding, createDecoder } from "./decode-answer.js";

/** A body is longer than allowed. */
export class TooManyBytesError extends Error {
  override readonly name = "TooManyBytesError";
  constructor() {
    super("More bytes than are allowed.");
  }
}

/** Passes on up to this many bytes. */
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
  /** Replaced by stars. */
  readonly secrets: readonly string[];
  /** Called with the length of each piece that is passed on. */
  readonly count: (bytes: number) => void;
}

/**
 * The body as the caller gets it: decoded, without the token, no longer than allowed. It streams, and ends with an error when it
 * breaks or is too long.
 */
export function guardAnswer(body: Readable, guard: AnswerGuard): Readable {
  return new GuardedBody(decoded(body, guard), guard);
}

/** Encoded bytes count as well: an endless stream can decode to nothing. */
function decoded(body: Readable, { encoding, mostBytes }: AnswerGuard): Readable {
  if (encoding === "identity") return body;
  const limit = new ByteLimit(mostBytes);
  const decoder = createDecoder(encoding);
  // The reader of the result gets the first error; a later one must not end the process.
  for (const stream of [limit, decoder]) stream.on("error", () => undefined);
  pipeline([body, limit, decoder], () => undefined);
  return decoder;
}

/** Counts and covers in one pass, without another stream in between. */
class GuardedBody extends Readable {
  readonly #source: Readable;
  readonly #guard: AnswerGuard;
  readonly #coverer;
  #bytes = 0;
  #started = false;
  constructor(source: Readable, guard: AnswerGuard) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
    this.#guard = guard;
    this.#coverer = createCoverer(guard.secrets);
    this.on("error", () => undefined);
    source.on("error", (error) => this.destroy(error));
    source.on("close", () => {
      if (!source.readableEnded) this.destroy(source.errored ?? new Error("The rest does not come."));
    });
  }

  override _read(): void {
    if (!this.#started) {
      this.#started = true;
      this.#source.on("data", (chunk: Buffer) => this.#take(chunk));
      this.#source.once("end", () => {
        this.#hand(this.#coverer.end());
        this.push(null);
      });
    }
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#source.readableEnded) this.#source.destroy(error ?? undefined);
    done(error);
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#guard.mostBytes) this.destroy(new TooManyBytesError());
    else if (!this.#hand(this.#coverer.next(chunk))) this.#source.pause();
  }

  /** Whether more is wanted. */
  #hand(bytes: Buffer): boolean {
    this.#guard.count(bytes.length);
    return bytes.length === 0 || this.push(bytes);
  }
}
