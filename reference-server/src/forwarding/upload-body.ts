import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { TooManyBytesError } from "./guard-body.js";

/** The caller went away before its request or its answer was complete. */
export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";
  constructor() {
    super("The caller went away.");
  }
}

export interface UploadOptions {
  readonly mostBytes: number;
  /** Called with the length of each piece that is passed on. */
  readonly count: (bytes: number) => void;
  /** Called before anything is read. */
  readonly begin?: () => void;
}

/**
 * The body of a request, as it arrives. Nothing is read before the first read.
 *
 * Unlike `pipeline`, it does not destroy the request when it is destroyed itself: the answer needs the same connection.
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

/** How long a refused caller may continue to send, so that it reads the answer. */
const restSeconds = 5;

/**
 * Discards the rest of a body. Closing at once would reset the connection before the caller has read why it was refused.
 */
export function discardRest(source: IncomingMessage): void {
  if (source.complete || source.destroyed) return;
  const timer = setTimeout(() => source.destroy(), restSeconds * 1000).unref();
  source.once("close", () => clearTimeout(timer)).once("end", () => clearTimeout(timer));
  source.on("error", () => undefined);
  source.resume();
}
