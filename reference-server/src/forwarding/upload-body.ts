import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { TooManyBytesError } from "./guard-body.js";

/** The caller went away before everything was said. */
export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";
  constructor() {
    super("The caller went away.");
  }
}

export interface UploadOptions {
  readonly mostBytes: number;
  /** Told of every piece that is handed on. */
  readonly count: (bytes: number) => void;
  /** Called before anything is read. */
  readonly begin?: () => void;
}

/**
 * The body of a request, as it arrives. Nothing is read before somebody wants it.
 *
 * Unlike `pipeline`, it leaves the request alone when nobody wants the rest: the answer still has to go back on the same
 * connection.
 */
export function uploadBody(source: IncomingMessage, { mostBytes, count, begin }: UploadOptions): Readable {
  let bytes = 0;
  let listening = false;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      body.destroy(new TooManyBytesError());
    } else {
      count(chunk.length);
      if (!body.push(chunk)) source.pause();
    }
  };
  const onEnd = () => void body.push(null);
  const onGone = () => {
    if (!source.readableEnded) body.destroy(new CallerGoneError());
  };
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      if (!listening) {
        listening = true;
        begin?.();
        source.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
        if (source.destroyed && !source.readableEnded) onGone();
      }
      source.resume();
    },
    destroy(error, done) {
      source.off("data", onData).off("end", onEnd).off("close", onGone);
      if (listening) source.pause();
      done(error);
    },
  });
  return body;
}

/** How long a refused caller may still send, so that it gets to read the answer. */
const restSeconds = 5;

/**
 * Reads what is left of a body and throws it away. Closing at once would reset the connection, and the caller would never
 * see why it was refused.
 */
export function discardRest(source: IncomingMessage): void {
  if (source.complete || source.destroyed) return;
  const timer = setTimeout(() => source.destroy(), restSeconds * 1000).unref();
  source.once("close", () => clearTimeout(timer)).once("end", () => clearTimeout(timer));
  source.on("error", () => undefined);
  source.resume();
}
