import type { ByteStream } from "@authz/client";
import type { Output } from "./output.js";

const quietMs = 1000;
const everyMs = 200;

/** Shows how far a transfer is, once it has taken a second. */
export function transferProgress(
  output: Output,
  clock: () => number,
  { verb, total }: { verb: string; total: number | undefined },
): (bytes: number) => void {
  let shownAt = clock() + quietMs - everyMs;
  return (bytes) => {
    if (clock() - shownAt < everyMs) return;
    shownAt = clock();
    output.progress(
      `${verb} ${formatBytes(bytes)}${total === undefined ? "" : ` of ${formatBytes(total)}`} …`,
    );
  };
}

/** The same stream, which counts its bytes. */
export function counted(stream: ByteStream, onBytes: (bytes: number) => void): ByteStream {
  const open = (): AsyncIterable<Uint8Array> => (typeof stream === "function" ? stream() : stream);
  async function* bytes(): AsyncIterable<Uint8Array> {
    let size = 0;
    for await (const chunk of open()) {
      size += chunk.byteLength;
      onBytes(size);
      yield chunk;
    }
  }
  return typeof stream === "function" ? bytes : bytes();
}

/** A size for people: `512 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  for (const unit of ["B", "kB", "MB"]) {
    if (size < 1000) return `${unit === "B" ? String(size) : size.toFixed(1)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} GB`;
}
