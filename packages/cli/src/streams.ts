import type { Writable } from "node:stream";

const failures = new WeakMap<Writable, Error>();

/**
 * Keeps a stream from ending the process: a reader of the output may stop early (`authz … | head`). The handler stays in
 * force, because the news often comes after the command has ended.
 */
export function outliveReader<Stream extends Writable>(stream: Stream): Stream {
  if (!stream.listeners("error").includes(remember)) stream.on("error", remember);
  return stream;
}

function remember(this: Writable, error: Error): void {
  failures.set(this, error);
}

/** Writes, waits until there is room again, and answers whether it is worth going on. */
export async function send(stream: Writable, chunk: Uint8Array | string): Promise<boolean> {
  if (failures.has(stream)) return false;
  return await new Promise((resolve) => {
    stream.write(chunk, (error) => {
      if (error instanceof Error) failures.set(stream, error);
      resolve(!failures.has(stream));
    });
  });
}

/** Waits until everything is written, and returns what went wrong; a reader that stopped is no error. */
export async function writeFailure(stream: Writable): Promise<Error | undefined> {
  await send(stream, "");
  const failure = failures.get(stream);
  return failure === undefined || isClosedPipe(failure) ? undefined : failure;
}

function isClosedPipe(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return ["EPIPE", "ECONNRESET", "EOF", "ERR_STREAM_DESTROYED"].includes(String(code));
}
