import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStreamDefaultReader, ReadableStreamReadResult } from "node:stream/web";

/** What an answer is sent through. */
interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string | Buffer | Readable): unknown;
}

/** How long an answer is awaited to send it in one piece, as most are: event by event costs three times as many writes. */
const wholeMilliseconds = 100;
/** The library's interval: some proxies take a longer silence for a broken connection. */
const keepAliveMilliseconds = 15_000;

/**
 * Sends messages as events of a stream (Streamable HTTP): `work` returns the last one, and notifies of others before. A quick answer is
 * sent in one piece.
 *
 * @throws What `work` throws, unless the stream has begun; then it breaks.
 */
export async function sendEvents(
  work: (notify: (message: object) => unknown) => Promise<object>,
  reply: Reply,
): Promise<void> {
  void reply.header("content-type", "text/event-stream");
  void reply.header("cache-control", "no-store");
  void reply.header("x-accel-buffering", "no");
  let stream: Readable | undefined;
  const open = (): Readable => (stream ??= openStream(reply));
  const timer = setTimeout(open, wholeMilliseconds);
  try {
    const last = await work((message) => push(open(), eventOf(message)));
    if (stream === undefined) reply.send(eventOf(last));
    else push(push(stream, eventOf(last)), null);
  } catch (error) {
    if (stream === undefined) throw error;
    stream.destroy(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

function openStream(reply: Reply): Readable {
  const stream = new Readable({ read() {} });
  const timer = setInterval(() => void stream.push(": keepalive\n\n"), keepAliveMilliseconds).unref();
  stream.once("close", () => clearInterval(timer));
  sendHeadersFirst(stream, reply);
  return stream;
}

/** A caller that waits for events gets the headers at once. */
function sendHeadersFirst(stream: Readable, reply: Reply): void {
  stream.once("resume", () => {
    if (!reply.raw.headersSent) reply.raw.flushHeaders();
  });
  reply.send(stream);
}

/** Does nothing once the caller has gone. */
function push(stream: Readable, text: string | null): Readable {
  if (!stream.destroyed) stream.push(text);
  return stream;
}

function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

type Read = Promise<ReadableStreamReadResult<Uint8Array>>;

/** Sends an answer of the library: a quick one in one piece, others piece by piece. */
export async function sendResponse(response: Response, reply: Reply): Promise<void> {
  void reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== "connection") void reply.header(name, value);
  void reply.header("cache-control", "no-store");
  if (response.body === null) {
    reply.send();
    return;
  }
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const pieces: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), wholeMilliseconds);
  });
  try {
    for (;;) {
      const next = reader.read();
      const read = await Promise.race([next, late]);
      if (read === undefined) {
        sendStream(reply, { reader, pieces, next });
        return;
      }
      if (read.done) {
        reply.send(Buffer.concat(pieces));
        return;
      }
      pieces.push(read.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function sendStream(
  reply: Reply,
  {
    reader,
    pieces,
    next,
  }: { readonly reader: ReadableStreamDefaultReader<Uint8Array>; readonly pieces: Uint8Array[]; next: Read },
): void {
  let pending: Read | undefined = next;
  const body = new Readable({
    read() {
      const read = pending ?? reader.read();
      pending = undefined;
      read.then(
        ({ done, value }) => void this.push(done ? null : value),
        (error: unknown) => void this.destroy(error as Error),
      );
    },
    destroy(error, done) {
      void cancel(reader);
      done(error);
    },
  });
  for (const piece of pieces) body.push(piece);
  sendHeadersFirst(body, reply);
}

async function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    await reader.cancel();
  } catch {
    // It has broken already.
  }
}
