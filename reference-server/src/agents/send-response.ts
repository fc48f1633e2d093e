import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStreamDefaultReader, ReadableStreamReadResult } from "node:stream/web";
import { wholeMilliseconds } from "./send-events.js";

/** What an answer is sent through. */
interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: Buffer | Readable): unknown;
}

type Read = Promise<ReadableStreamReadResult<Uint8Array>>;

/** Sends an answer of the library: whole when it is complete soon, else piece by piece from then on. */
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
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
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
      void leave(reader);
      done(error);
    },
  });
  for (const piece of pieces) body.push(piece);
  // A caller that waits for events is to know that it does.
  body.once("resume", () => {
    if (!reply.raw.headersSent) reply.raw.flushHeaders();
  });
  reply.send(body);
}

async function leave(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    await reader.cancel();
  } catch {
    // It has broken, which is what it is left for.
  }
}
