import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** Most answers are complete by then, and travel in one piece: events one by one cost three times as many writes. */
export const wholeMilliseconds = 100;
/** As often as the library: silence for longer is taken for a broken connection by some proxies. */
const keepAliveMilliseconds = 15_000;

/** What events are sent through. */
export interface EventReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): unknown;
  send(body: string | Readable): unknown;
}

/**
 * Sends messages as events of a stream (Streamable HTTP): `work` makes the last one, and tells of others before. The answer goes out in
 * one piece when it is complete soon.
 *
 * @throws What `work` throws, unless the stream has begun; then it breaks.
 */
export async function sendEvents(
  work: (tell: (message: object) => unknown) => Promise<object>,
  reply: EventReply,
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

function openStream(reply: EventReply): Readable {
  const stream = new Readable({ read() {} });
  const timer = setInterval(() => void stream.push(": keepalive\n\n"), keepAliveMilliseconds).unref();
  stream.once("close", () => clearInterval(timer));
  // A caller that waits for events is to know that it does.
  stream.once("resume", () => {
    if (!reply.raw.headersSent) reply.raw.flushHeaders();
  });
  reply.send(stream);
  return stream;
}

/** Whoever has gone needs no more words. */
function push(stream: Readable, text: string | null): Readable {
  if (!stream.destroyed) stream.push(text);
  return stream;
}

function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
